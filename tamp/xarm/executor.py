"""Carries out the steps of an action plan on an arm, and says what became of each.

All that can be known is checked before anything moves; every step is planned anew from where the arm is. Whatever goes
wrong, the arm is halted first, and the run ends with the reason. Nothing is ever queued beyond one leg, so that nothing
can run after a halt.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.xarm.driver import Condition, Driver
from tamp.xarm.faults import ArmFault
from tamp.xarm.following import Leg, follow, off
from tamp.xarm.hand import Hand, HandEvent
from tamp.xarm.steps import Sleep, Step
from tamp.xarm.stopping import Stop
from tamp.xarm.targets import Target, Targets
from tamp.xarm.ways import NoWay, Ways

Tell = Callable[..., None]
"""Takes an event as `EpisodeLog.event` does: its kind, and what it holds by keyword."""
HAND_SECONDS = 10.0


@dataclass(frozen=True)
class StepDone:
    """A step that was carried out: metres and radians from where it should end, and the nearest that it came to
    anything by the second look (metres, None when that is off)."""

    number: int
    action: str
    seconds: float
    off_metres: float
    off_radians: float
    nearest: float | None


@dataclass(frozen=True)
class Verdict:
    """What became of a run. `failed` is the number of the step that was not done, `kind` a word for why, as
    `ArmFault.kind`, or `infeasible`; `halted` whether the arm acknowledged that it stands still, None when it never
    moved."""

    success: bool
    done: tuple[StepDone, ...]
    failed: int | None = None
    kind: str = ""
    reason: str = ""
    halted: bool | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


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
            self.rehearse(steps, self.driver.condition().q)
        except ArmFault as e:
            return self._end(Verdict(False, (), e.step, e.kind, str(e)))
        try:
            self.driver.prepare(self.ways.cell.T_flange_tool, self.ways.cell.load)
            for number, step in enumerate(steps, 1):
                self.stop.check()
                self.tell("step", number=number, action=_word(step), says=repr(step))
                done.append(self._do(number, step))
                self.tell("done", **asdict(done[-1]))
        except (ArmFault, KeyboardInterrupt) as e:
            verdict = self._abort(e, tuple(done), len(done) + 1)
        else:
            verdict = Verdict(True, tuple(done))
        return self._end(verdict)

    def rehearse(self, steps: Sequence[Step | HandEvent], q: Array) -> None:
        """Go through a plan without moving, as far as its targets are known. ArmFault `infeasible` with the step."""
        at = q
        for number, step in enumerate(steps, 1):
            if isinstance(step, HandEvent | Sleep):
                continue
            try:
                target = self.targets.known(step, self.ways.tool(at))
            except ArmFault as fault:
                raise ArmFault(fault.kind, f"step {number}, {_word(step)}: {fault}", number) from fault
            if target is None:  # not seen yet: what follows depends on where it will be
                return
            at = self._legs(number, step, target, at)[-1].q[-1]

    # How

    def _do(self, number: int, step: Step | HandEvent) -> StepDone:
        begun = time.perf_counter()
        if isinstance(step, HandEvent):
            self._hand(number, step)
            return StepDone(number, _word(step), time.perf_counter() - begun, 0.0, 0.0, None)
        if isinstance(step, Sleep):
            self._sleep(step.seconds)
            return StepDone(number, _word(step), time.perf_counter() - begun, 0.0, 0.0, None)
        q = self.driver.checked().q
        target = self.targets.find(step, self.ways.tool(q), self.stop)
        self.tell("target", number=number, T_base_tool=target.T_base_tool, detection=target.seen)
        legs = self._legs(number, step, target, q)
        nearest = self._second_look(number, step, legs)
        self.targets.fresh(target)
        now = self._follow(legs)
        away = off(self.driver.arm, now.q, self.ways.cell.T_flange_tool, target.T_base_tool)
        return StepDone(number, _word(step), time.perf_counter() - begun, *away, nearest)

    def _legs(self, number: int, step: Step, target: Target, q: Array) -> tuple[Leg, ...]:
        legs = self.ways.legs(q, target.T_base_tool, target.how, target.q)
        if isinstance(legs, NoWay):
            self.tell("infeasible", number=number, obstacle=legs.obstacle)
            raise ArmFault("infeasible", f"step {number}, {_word(step)}: {legs}", number)
        return legs

    def _second_look(self, number: int, step: Step, legs: tuple[Leg, ...]) -> float | None:
        if not self.check_twice:
            return None
        report = self.ways.second_look(legs)
        self.tell("second_look", number=number, **asdict(report))
        if near := report.touches():
            what = f"{near.link} {abs(near.distance) * 1000:.0f} mm into {near.other} after {near.time:.1f} s"
            raise ArmFault("infeasible", f"step {number}, {_word(step)}: the second check sees {what}")
        return report.bodies.distance if report.bodies else None

    def _follow(self, legs: tuple[Leg, ...]) -> Condition:
        for leg in legs:
            self.tell("leg", kind=leg.kind, seconds=round(leg.seconds, 3), to=leg.q[-1])
            now = follow(leg, self.driver, self.ways.cell, self.stop, self._observed)
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
        answer = self.hand.emit(event, HAND_SECONDS)
        self.tell("hand", number=number, event=event.kind, answer=str(answer))
        if not answer.acknowledged:
            raise ArmFault("hand", f"step {number}, {event.kind}: {answer}")

    def _end(self, verdict: Verdict) -> Verdict:
        self.tell("end", success=verdict.success, kind=verdict.kind, reason=verdict.reason, halted=verdict.halted)
        return verdict

    def _abort(self, e: BaseException, done: tuple[StepDone, ...], number: int) -> Verdict:
        kind = e.kind if isinstance(e, ArmFault) else "stopped"
        reason = str(e) or "interrupted (Ctrl-C)"
        self.tell("abort", number=number, kind=kind, reason=reason)
        halted: bool | None = True
        try:
            self.driver.halt()
        except ArmFault as fault:
            halted, reason = False, f"{reason}; {fault}"
        self.tell("halted", acknowledged=halted)
        return Verdict(False, done, number, kind, reason, halted)


def _word(step: Step | HandEvent) -> str:
    return step.kind if isinstance(step, HandEvent) else type(step).__name__
