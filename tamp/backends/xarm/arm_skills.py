"""An arm's skills: what each comes to, and how a step is refined to motions that were checked twice.

A rehearsal refines the steps of a plan without sending anything; a run refines each anew from where the arm is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from motion.poses import Array
from tamp.backends.xarm.arm_faults import ArmFault
from tamp.backends.xarm.arm_result import ArmResult
from tamp.backends.xarm.arm_steps import (
    LIFT,
    ApproachNamed,
    ApproachObject,
    MoveToNamed,
    MoveToObject,
    OfObject,
    RetreatZ,
    Sleep,
    Step,
)
from tamp.backends.xarm.arm_stop import ArmStop
from tamp.backends.xarm.following import Leg
from tamp.backends.xarm.hand import HandEvent
from tamp.backends.xarm.motion_planner import MotionPlanner, NoPath
from tamp.backends.xarm.step_targets import StepTarget, StepTargets
from tamp.model.atoms import GroundAction
from tamp.pddl.planner import Tell


@dataclass(frozen=True)
class SkillCall:
    """A ground action, number `number` of its plan from 1, with what its arguments are called in the arm's world.

    Where the skill takes an item, it is the one with this `index`, from 0, of those with its `label`, in the order of
    distance from the named pose `place`, else from the tool.
    """

    number: int
    action: GroundAction
    place: str | None = None
    label: str = ""
    index: int = 0


def arm_skills() -> dict[str, Callable[[SkillCall], Step | HandEvent]]:
    """Every skill of an arm (`tamp.skills.builtin_specs`), and what it comes to: a step or an event, so that it
    has the number of its action in the plan."""
    return {
        "approach-object": lambda c: ApproachObject((c.label,), ref=c.place, index=c.index),
        "move-to-object": lambda c: MoveToObject((c.label,), ref=c.place, index=c.index),
        "approach-named": lambda c: ApproachNamed(str(c.place)),
        "move-to-named": lambda c: MoveToNamed(str(c.place)),
        "retreat": lambda c: RetreatZ(LIFT),
        "open-hand": lambda c: _event("open", c),
        "close-hand": lambda c: _event("close", c),
    }


def _event(kind: str, call: SkillCall) -> HandEvent:
    return HandEvent(kind, call.number, {"action": call.action.name, "args": list(call.action.args)})


def word(step: Step | HandEvent) -> str:
    """What a step is called in messages."""
    return step.kind if isinstance(step, HandEvent) else type(step).__name__


@dataclass(frozen=True, eq=False)
class StepRefiner:
    """Refines steps to legs; `check_twice`: PyBullet looks at them again. `tell` gets what was tried and found."""

    planner: MotionPlanner
    targets: StepTargets
    tell: Tell
    check_twice: bool = True

    def refine(self, number: int, step: Step, target: StepTarget, q: Array) -> tuple[tuple[Leg, ...], float | None]:
        """The legs of a step from a configuration (n,), and the nearest that they come to anything by the second check,
        metres. ArmFault `infeasible` when there are none."""
        legs = self.planner.legs(q, target.T_base_tool, target.how, target.q)
        if isinstance(legs, NoPath):
            self.tell("infeasible", number=number, why=str(legs))
            raise ArmFault("infeasible", f"step {number}, {word(step)}: {legs}", number)
        if not self.check_twice:
            return legs, None
        report = self.planner.second_look(legs)
        self.tell("second_look", number=number, **asdict(report))
        if near := report.touches():
            what = f"{near.link} {abs(near.distance) * 1000:.0f} mm into {near.other} after {near.time:.1f} s"
            raise ArmFault("infeasible", f"step {number}, {word(step)}: the second check sees {what}", number)
        return legs, report.bodies.distance if report.bodies else None

    def rehearse(self, steps: Sequence[Step | HandEvent], q: Array, stop: ArmStop) -> int:
        """How many steps could be refined from a configuration (n,): up to the first to a thing that is not seen yet,
        or that may be elsewhere by then because the hand took something before.

        ArmFault `infeasible` with the number of the step that cannot be done, `stopped` when there is a reason to stop.
        """
        self.targets.begin()
        taken = False
        for number, step in enumerate(steps, 1):
            stop.check()
            if isinstance(step, HandEvent | Sleep):
                taken = taken or word(step) == "close"
                continue
            if taken and isinstance(step, OfObject):
                return number - 1
            target = self.targets.known(step, self.planner.tool(q))
            if target is None:
                return number - 1
            q = self.refine(number, step, target, q)[0][-1].q[-1]
        return len(steps)

    def rehearsed(self, steps: Sequence[Step | HandEvent], q: Array) -> ArmResult:
        """What comes of a plan that is only rehearsed."""
        try:
            known = self.rehearse(steps, q, ArmStop())
        except ArmFault as e:
            return ArmResult(False, failed=e.step, kind=e.kind, reason=str(e))
        seen = "" if known == len(steps) else f"step {known + 1} and what follows depend on what will be seen"
        return ArmResult(True, reason=seen)
