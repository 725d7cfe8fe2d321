"""A plan gone through without moving, as far as its targets are known beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from motion.poses import Array
from tamp.backends.xarm.arm_faults import ArmFault
from tamp.backends.xarm.arm_result import ArmResult
from tamp.backends.xarm.arm_steps import OfObject, Sleep, Step
from tamp.backends.xarm.arm_stop import ArmStop
from tamp.backends.xarm.following import Leg
from tamp.backends.xarm.hand import HandEvent
from tamp.backends.xarm.motion_planner import MotionPlanner, NoPath
from tamp.backends.xarm.step_targets import StepTarget, StepTargets
from tamp.pddl.planner import Tell


def rehearse(
    steps: Sequence[Step | HandEvent],
    q: Array,
    ways: MotionPlanner,
    targets: StepTargets,
    stop: ArmStop,
    tell: Tell,
    twice: bool = True,
) -> int:
    """How many steps could be gone through from a configuration (n,): up to the first to a thing that is not seen yet,
    or that may be elsewhere by then because the hand took something before. `twice`: with the second look.

    ArmFault `infeasible` with the number of the step that cannot be done, `stopped` when there is a reason to stop.
    """
    targets.begin()
    taken = False
    for number, step in enumerate(steps, 1):
        stop.check()
        if isinstance(step, HandEvent | Sleep):
            taken = taken or word(step) == "close"
            continue
        if taken and isinstance(step, OfObject):
            return number - 1
        target = targets.known(step, ways.tool(q))
        if target is None:
            return number - 1
        legs = planned(number, step, target, q, ways, tell)
        if twice:
            cross_check(number, step, legs, ways, tell)
        q = legs[-1].q[-1]
    return len(steps)


def planned(number: int, step: Step, target: StepTarget, q: Array, ways: MotionPlanner, tell: Tell) -> tuple[Leg, ...]:
    """The legs of a step. ArmFault `infeasible` when there are none."""
    legs = ways.legs(q, target.T_base_tool, target.how, target.q)
    if isinstance(legs, NoPath):
        tell("infeasible", number=number, why=str(legs))
        raise ArmFault("infeasible", f"step {number}, {word(step)}: {legs}", number)
    return legs


def cross_check(number: int, step: Step, legs: tuple[Leg, ...], ways: MotionPlanner, tell: Tell) -> float | None:
    """The nearest that the legs come to anything, by the second look. ArmFault `infeasible` when they touch it."""
    report = ways.second_look(legs)
    tell("second_look", number=number, **asdict(report))
    if near := report.touches():
        what = f"{near.link} {abs(near.distance) * 1000:.0f} mm into {near.other} after {near.time:.1f} s"
        raise ArmFault("infeasible", f"step {number}, {word(step)}: the second check sees {what}", number)
    return report.bodies.distance if report.bodies else None


def rehearsed(
    steps: Sequence[Step | HandEvent],
    q: Array,
    ways: MotionPlanner,
    targets: StepTargets,
    tell: Tell,
    twice: bool = True,
) -> ArmResult:
    """What comes of a plan that is only gone through."""
    try:
        known = rehearse(steps, q, ways, targets, ArmStop(), tell, twice)
    except ArmFault as e:
        return ArmResult(False, failed=e.step, kind=e.kind, reason=str(e))
    seen = "" if known == len(steps) else f"step {known + 1} and what follows depend on what will be seen"
    return ArmResult(True, reason=seen)


def word(step: Step | HandEvent) -> str:
    """What a step is called in messages."""
    return step.kind if isinstance(step, HandEvent) else type(step).__name__
