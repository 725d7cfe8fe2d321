"""What a session can have done by an arm: the steps of action plans, each a routine that looks at the arm every cycle.

Every step is planned anew from where the arm is, and the arm is sent one leg at a time, so that nothing can run after a
halt. Whatever goes wrong or stops it, the arm is halted before anything else happens.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from motion.poses import Array, to_rpy
from tamp.agent.control_loop import run
from tamp.agent.session import Activity, Doing, Routine, Session, T, for_ever
from tamp.backends.xarm.arm_backend import ArmBackend, follow, tracking_error
from tamp.backends.xarm.arm_steps import (
    ARM_SKILLS,
    ApproachObject,
    MoveToObject,
    MoveToPose,
    OfObject,
    SkillCall,
    Sleep,
    Step,
    word,
)
from tamp.backends.xarm.arm_stop import ArmFault, ArmResult, ArmStop, StepDone
from tamp.backends.xarm.driver import STATE_PAUSED, Condition
from tamp.backends.xarm.hand import HandController, HandError, HandEvent
from tamp.backends.xarm.motion_planner import StepRefiner
from tamp.backends.xarm.step_targets import StepTarget, at_thing
from tamp.backends.xarm.workcell import Workcell
from tamp.errors import InputError
from tamp.model.atoms import GroundAction
from tamp.model.backend import Command, Observation
from tamp.model.events import Publish
from tamp.planning.deliberation import Thought
from tamp.skills.builtin_specs import ITEM, NAMED, arm_specs

HAND_SECONDS = 10.0
MOST_TOLD = 1000
"""Steps whose verdicts are kept of what has no end."""
SWING = 0.05
"""Metres to each side by which an arm waves."""
JUMPED = 0.02
"""Metres sideways that a thing may have moved since it was approached: further, and it is approached anew. Less would
do so for what a detector's noise amounts to, more would bring the tool down next to the thing."""


_FORMS = {
    name: tuple({NAMED: "pose", ITEM: "label"}[t] for t in spec.takes if t == ITEM or ITEM not in spec.takes)
    for name, spec in arm_specs().items()
}
"""The steps that can be started one by one, and what they take: a thing is the nearest one, wherever it is."""


def cannot_read(text: str) -> Thought[Any]:
    """For sessions without a language model."""
    raise InputError("words are not read here, without a language model; valid: start, stop, skip, end")


@dataclass(eq=False)
class ArmPerformer:
    """Performs on an arm. `verdict` is what became of the last plan."""

    backend: ArmBackend
    refiner: StepRefiner
    stop: ArmStop
    hand: HandController | None = None
    patience: float = 0.0
    """Seconds for which an arm that still moves at its first order is waited for: what a session that was
    killed had sent comes to its end by itself."""
    reader: Callable[[str], Thought[Sequence[Step]]] = cannot_read
    verdict: ArmResult = field(default_factory=lambda: ArmResult(False))
    doing: Doing | None = None
    _approached: tuple[ApproachObject, StepTarget] | None = None
    """The last approach to a thing, as long as nothing else was done since."""
    _prepared: bool = False

    @property
    def cell(self) -> Workcell:
        """Where the arm stands."""
        return self.refiner.planner.cell

    def tell(self, kind: str, /, **data: Any) -> None:
        """Note what happens."""
        self.refiner.tell(kind, **data)

    def carry_out(self, steps: Sequence[Step | HandEvent], publish: Publish) -> ArmResult:
        """Carry out steps in a session of their own. Does not raise for what an arm does: the result says it."""
        session = Session(self, publish, ends_when_idle=True)
        session.begin(self.pursue(steps))
        try:
            run(session, self.backend, publish, "real")
        except ArmFault:  # of the stop after the end; the verdict has what went before
            pass
        except KeyboardInterrupt:
            return self.verdict if self.verdict.kind else ArmResult(False, kind="stopped")
        return self.verdict

    def feel(self, observation: Observation) -> None:
        """The backend keeps what was observed."""

    def commanded(self, command: Command | None) -> Command:
        """Nothing: an arm stands still by itself."""
        return Command(np.zeros(6), 0.0)

    def start(self, action: str) -> Activity:
        """An activity for a step, `(move-to-named home)`, or for what has no end. InputError for what is neither."""
        name, *args = action.strip("()").split()
        if name == "hold":
            return Activity(name, for_ever(), endless=True, stage="acting")
        if name == "wave":
            return Activity(action, self._run(self._wave()), endless=True, inner=lambda: self.doing)
        if name == "follow" and len(args) == 1:
            above = itertools.repeat(ApproachObject((args[0],)))
            return Activity(action, self._run(above), endless=True, inner=lambda: self.doing)
        return Activity(action, self._run([self._step(name, args)], name=action), inner=lambda: self.doing)

    def pursue(self, wanted: Sequence[Step | HandEvent]) -> Activity:
        """An activity that carries out steps, once they are rehearsed, and leaves the verdict."""
        return Activity("the plan", self._run(wanted, rehearsed=wanted), inner=lambda: self.doing)

    def read(self, text: str) -> Thought[Sequence[Step]]:
        """The steps that words ask for."""
        return self.reader(text)

    def vocabulary(self) -> list[str]:
        """The steps, the named poses and the labels."""
        return [*_FORMS, "hold", "wave", "follow", *self.cell.poses, *self.cell.labels]

    def listed(self, activities: list[Activity]) -> str:
        """The state in words."""
        assert self.backend.last is not None
        x, y, z = self.backend.last.robot.T_world_tool[:3, 3]
        return f"Position: ({x:.2f}, {y:.2f}, {z:.2f})\nActions: [{', '.join(map(str, activities))}]"

    def _step(self, name: str, args: list[str]) -> Step | HandEvent:
        if name not in _FORMS or len(args) != len(_FORMS[name]):
            valid = ", ".join(f"({' '.join((n, *map(str.upper, takes)))})" for n, takes in _FORMS.items())
            raise InputError(f"no step ({' '.join((name, *args))}); valid: {valid}, hold, wave, (follow LABEL)")
        call = SkillCall(1, GroundAction(name, tuple(args)))
        for arg, kind in zip(args, _FORMS[name], strict=True):
            known = list(self.cell.poses) if kind == "pose" else list(self.cell.labels)
            if known and arg not in known:
                raise InputError(f"{arg!r} is no {kind} of the world; valid: {', '.join(known)}")
            call = replace(call, place=arg) if kind == "pose" else replace(call, label=arg)
        return ARM_SKILLS[name](call)

    def _wave(self) -> Iterable[Step]:
        """From side to side of where the tool is."""
        assert self.backend.last is not None
        T = self.backend.last.robot.T_world_tool
        x, y, z = map(float, T[:3, 3])
        roll, pitch, yaw = map(float, to_rpy(T[:3, :3]))
        return itertools.cycle(MoveToPose((x, y + side, z), (roll, pitch, yaw)) for side in (SWING, -SWING))

    # A plan

    def _run(
        self,
        steps: Iterable[Step | HandEvent],
        *,
        name: str | None = None,
        rehearsed: Sequence[Step | HandEvent] = (),
    ) -> Routine[str | None]:
        """Carry out steps; `name` is what a single one of them was started under. Those in `rehearsed` are rehearsed
        before anything is enabled or moves."""
        done: list[StepDone] = []
        try:
            if rehearsed:
                yield from self._rehearse(rehearsed)
        except ArmFault as e:
            self.verdict = ArmResult(False, failed=e.step, kind=e.kind, reason=str(e))
            return self.verdict.reason
        try:
            if not self._prepared:
                yield from self._prepare()
            self.refiner.targets.begin()
            for number, step in enumerate(steps, 1):
                self.stop.check()
                self.tell("step", number=number, action=word(step), says=repr(step))
                self.doing = Doing(name or word(step), self.backend.time, self.backend.time)
                done.append((yield from self._do(number, step)))
                done = done[-MOST_TOLD:]
                self.tell("done", **asdict(done[-1]))
        except BaseException as e:  # a stop by a session ends a routine so, and any fault of ours stops the arm too
            self.verdict = self._abort(e, tuple(done), len(done) + 1)
            if not isinstance(e, ArmFault | OSError):
                raise
            return self.verdict.reason
        finally:
            self.doing = None
        self.verdict = ArmResult(True, tuple(done))
        return None

    def _rehearse(self, steps: Sequence[Step | HandEvent]) -> Routine[None]:
        yield None
        last = self.backend.last
        assert last is not None
        if last.condition is None:
            raise last.fault or ArmFault("frozen", "the controller was not asked yet")
        q = last.condition.q
        yield from self._parallel(lambda: self.refiner.rehearse(steps, q, self.stop), watched=False)

    def _prepare(self) -> Routine[None]:
        """Wait for what still moves, as long as there is patience; then make the controller ready."""
        until = self.stop.clock() + self.patience
        while self.stop.clock() < until:
            yield None
            self.stop.check()
            last = self.backend.last
            if last is not None and last.condition is not None and not last.condition.moving:
                break
        driver = self.backend.driver
        now = yield from self._parallel(lambda: driver.prepare(self.cell.T_flange_tool, self.cell.load), watched=False)
        if now.warning:
            self.tell("warning", code=now.warning, message=now.warned)
        self._prepared = True

    def _do(self, number: int, step: Step | HandEvent) -> Routine[StepDone]:
        begun = time.perf_counter()
        if isinstance(step, HandEvent | Sleep):
            assert self.doing is not None
            self.doing.stage = "acting"
            if isinstance(step, HandEvent):
                yield from self._hand(number, step)
            else:
                until = self.stop.clock() + step.seconds
                while self.stop.clock() < until:
                    yield from self._looked()
            return StepDone(number, word(step), time.perf_counter() - begun, 0.0, 0.0, None)
        q = (yield from self._looked()).q
        target = yield from self._found(step, q)
        if (approach := self._approach_anew(number, step, target)) is not None:
            q = (yield from self._go(number, step, approach, q))[0].q
            target = yield from self._found(step, q)
        self.tell("target", number=number, T_base_tool=target.T_base_tool, detection=target.seen)
        now, nearest = yield from self._go(number, step, target, q)
        self._approached = (step, target) if isinstance(step, ApproachObject) else None
        off = tracking_error(self.backend.driver.arm, now.q, self.cell.T_flange_tool, target.T_base_tool)
        return StepDone(number, word(step), time.perf_counter() - begun, *off, nearest)

    def _approach_anew(self, number: int, step: Step, target: StepTarget) -> StepTarget | None:
        """Where to approach a thing once more that has jumped sideways since it was approached; None for any other."""
        if self._approached is None or target.seen is None or not isinstance(step, MoveToObject):
            return None
        approach, before = self._approached
        if before.seen is None or approach.words != step.words:
            return None
        moved = float(np.linalg.norm((target.seen.p_base - before.seen.p_base)[:2]))
        if moved <= JUMPED:
            return None
        self.tell("jumped", number=number, label=target.seen.label, metres=round(moved, 4), approach="anew")
        return at_thing(approach, target.seen, target.T_base_tool)

    def _go(self, number: int, step: Step, target: StepTarget, q: Array) -> Routine[tuple[Condition, float | None]]:
        """Refine a step, and go the way that was found, leg by leg."""
        legs, nearest = yield from self._parallel(lambda: self.refiner.refine(number, step, target, q))
        self.refiner.targets.fresh(target)
        cell, driver = self.cell, self.backend.driver
        for leg in legs:
            if self.doing is not None and leg is legs[-1]:
                self.doing.stage = "acting"
            self.tell("leg", way=leg.kind, seconds=round(leg.seconds, 3), to=leg.q[-1])
            now = yield from follow(leg, driver, cell.rates, cell.T_flange_tool, self.stop, self._look)
        return now, nearest

    def _parallel(self, think: Callable[[], T], *, watched: bool = True) -> Routine[T]:
        """What takes long, in a thread; the arm is watched meanwhile, unless it is just being made ready."""
        thought: Future[T] = Future()

        def run() -> None:
            try:
                thought.set_result(think())
            except BaseException as e:  # raised where it is waited for
                thought.set_exception(e)

        threading.Thread(target=run, daemon=True).start()
        while not thought.done():
            if watched:
                yield from self._looked()
            else:
                yield None
        return thought.result()

    def _looked(self) -> Routine[Condition]:
        """The condition after one more cycle. ArmFault where something is wrong, or says to stop."""
        yield None
        self.stop.check()
        return self._look()

    def _look(self) -> Condition:
        assert self.backend.last is not None
        now = self.backend.last.checked()
        self.tell("at", q=np.round(now.q, 5), state=now.state)
        if self.doing is not None:
            self.doing.now = self.backend.last.time
            self.doing.waits_for = "the controller is paused" if now.state == STATE_PAUSED else ""
        return now

    def _found(self, step: Step, q: Array) -> Routine[StepTarget]:
        """The target of a step, waited for as long as the step says."""
        targets, T_base_tool, begun = self.refiner.targets, self.refiner.planner.tool(q), time.monotonic()
        while isinstance(found := targets.find(step, T_base_tool), str):
            assert isinstance(step, OfObject)
            if time.monotonic() - begun >= step.timeout:
                trouble = targets.detector.trouble() if targets.detector else None
                because = f" ({trouble})" if trouble else ""
                raise ArmFault("unseen", f"{found} within {step.timeout:g} s{because}")
            yield from self._looked()
        return found

    def _hand(self, number: int, event: HandEvent) -> Routine[None]:
        """Have the hand do something, watching the arm. A stop, or a fault of the arm, ends the hand too."""
        if (hand := self.hand) is None:
            raise ArmFault("hand", f"step {number} needs a hand controller ({event.kind}); the world names none")
        try:
            yield from self._parallel(lambda: hand.emit(event, HAND_SECONDS))
        except HandError as e:
            self.tell("hand", number=number, asked=event.kind, acknowledged=False)
            raise ArmFault("hand", f"step {number}, {event.kind}: {e}", number) from e
        except BaseException:
            hand.close()
            raise
        self.tell("hand", number=number, asked=event.kind, acknowledged=True)

    def _abort(self, e: BaseException, done: tuple[StepDone, ...], number: int) -> ArmResult:
        self._prepared = False
        stopped = isinstance(e, KeyboardInterrupt | GeneratorExit)
        kind = e.kind if isinstance(e, ArmFault) else "stopped" if stopped else "internal"
        kind = "disk" if isinstance(e, OSError) else kind  # a check writes a file, too
        reason = str(e) or ("interrupted" if stopped else type(e).__name__)
        halted: bool | None = True
        try:
            self.backend.driver.halt()  # before anything else that might fail
        except ArmFault as fault:
            halted, reason = False, f"{reason}; {fault}"
        self.tell("abort", number=number, why=kind, reason=reason)
        self.tell("halted", acknowledged=halted)
        return ArmResult(False, done, number, kind, reason, halted)
