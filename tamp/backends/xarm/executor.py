"""Carries out the steps of an action plan on an arm, and says what became of each.

All that can be known is checked before anything moves; every step is planned anew from where the arm is. Whatever goes
wrong, the arm is halted first, and the run ends with the reason. Nothing is ever queued beyond one leg, so that nothing
can run after a halt.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from tamp.backends.xarm.driver import Condition, Driver
from tamp.backends.xarm.faults import ArmFault
from tamp.backends.xarm.following import CYCLE, Leg, follow, off
from tamp.backends.xarm.hand import Acknowledged, Hand, HandEvent, NotAcknowledged
from tamp.backends.xarm.rehearsal import look_twice, planned, rehearse, word
from tamp.backends.xarm.steps import Sleep, Step
from tamp.backends.xarm.stopping import Stop
from tamp.backends.xarm.targets import Targets
from tamp.backends.xarm.verdict import StepDone, Verdict
from tamp.backends.xarm.ways import Ways
from tamp.planning.engine import Tell

HAND_SECONDS = 10.0


@dataclass(eq=False)
class Executor:
    """Runs plans on one arm."""

    driver: Driver
    ways: Ways
    targets: Targets
    stop: Stop
    tell: Tell
    hand: Hand | None = None
    check_twice: bool = True

    def run(self, steps: Sequence[Step | HandEvent]) -> Verdict:
        """Carry out the steps. Does not raise for what an arm does: the verdict says it."""
        done: list[StepDone] = []
        try:
            q = self.driver.condition().q
            rehearse(steps, q, self.ways, self.targets, self.stop, self.tell, self.check_twice)
        except ArmFault as e:
            return self._end(Verdict(False, (), e.step, e.kind, str(e)))
        self.targets.begin()
        try:
            self.driver.prepare(self.ways.cell.T_flange_tool, self.ways.cell.load)
            for number, step in enumerate(steps, 1):
                self.stop.check()
                self.tell("step", number=number, action=word(step), says=repr(step))
                done.append(self._do(number, step))
                self.tell("done", **asdict(done[-1]))
        except (ArmFault, KeyboardInterrupt) as e:
            verdict = self._abort(e, tuple(done), len(done) + 1)
        except BaseException as e:  # a fault of ours: the arm stops as for any other
            self._end(self._abort(e, tuple(done), len(done) + 1))
            raise
        else:
            verdict = Verdict(True, tuple(done))
        return self._end(verdict)

    # How

    def _do(self, number: int, step: Step | HandEvent) -> StepDone:
        begun = time.perf_counter()
        if isinstance(step, HandEvent):
            self._hand(number, step)
            return StepDone(number, word(step), time.perf_counter() - begun, 0.0, 0.0, None)
        if isinstance(step, Sleep):
            self._sleep(step.seconds)
            return StepDone(number, word(step), time.perf_counter() - begun, 0.0, 0.0, None)
        q = self.driver.checked().q
        target = self.targets.find(step, self.ways.tool(q), self.stop)
        self.tell("target", number=number, T_base_tool=target.T_base_tool, detection=target.seen)
        legs = planned(number, step, target, q, self.ways, self.tell)
        nearest = look_twice(number, step, legs, self.ways, self.tell) if self.check_twice else None
        self.targets.fresh(target)
        now = self._follow(legs)
        away = off(self.driver.arm, now.q, self.ways.cell.T_flange_tool, target.T_base_tool)
        return StepDone(number, word(step), time.perf_counter() - begun, *away, nearest)

    def _follow(self, legs: tuple[Leg, ...]) -> Condition:
        cell = self.ways.cell
        for leg in legs:
            self.tell("leg", way=leg.kind, seconds=round(leg.seconds, 3), to=leg.q[-1])
            now = follow(leg, self.driver, cell.rates, cell.T_flange_tool, self.stop, self._observed)
        return now

    def _observed(self, now: Condition) -> None:
        self.tell("at", q=np.round(now.q, 5), state=now.state)

    def _sleep(self, seconds: float) -> None:
        until = self.stop.clock() + seconds
        while (left := until - self.stop.clock()) > 0:
            self.stop.sleep(min(left, 0.2))
            self.driver.checked()

    def _hand(self, number: int, event: HandEvent) -> None:
        if self.hand is None:
            raise ArmFault("hand", f"step {number} needs a hand controller ({event.kind}); the world names none")
        answer = self._answered(self.hand, event)
        done = isinstance(answer, Acknowledged)
        self.tell("hand", number=number, asked=event.kind, acknowledged=done)
        if isinstance(answer, NotAcknowledged):
            raise ArmFault("hand", f"step {number}, {event.kind}: {answer.message}", number)

    def _answered(self, hand: Hand, event: HandEvent) -> Acknowledged | NotAcknowledged:
        """What the hand answers; the arm is watched meanwhile. A stop, or a fault of the arm, ends the hand too."""
        answers: list[Acknowledged | NotAcknowledged] = []
        telling = threading.Thread(target=lambda: answers.append(hand.emit(event, HAND_SECONDS)), daemon=True)
        telling.start()
        try:
            while telling.is_alive():
                self.stop.check()
                self.driver.checked()
                telling.join(CYCLE)
        except BaseException:
            hand.close()
            raise
        return answers[0]

    def _end(self, verdict: Verdict) -> Verdict:
        self.tell("end", success=verdict.success, why=verdict.kind, reason=verdict.reason, halted=verdict.halted)
        return verdict

    def _abort(self, e: BaseException, done: tuple[StepDone, ...], number: int) -> Verdict:
        kind = e.kind if isinstance(e, ArmFault) else "stopped" if isinstance(e, KeyboardInterrupt) else "internal"
        reason = str(e) or ("interrupted (Ctrl-C)" if kind == "stopped" else type(e).__name__)
        self.tell("abort", number=number, why=kind, reason=reason)
        halted: bool | None = True
        try:
            self.driver.halt()
        except ArmFault as fault:
            halted, reason = False, f"{reason}; {fault}"
        self.tell("halted", acknowledged=halted)
        return Verdict(False, done, number, kind, reason, halted)

