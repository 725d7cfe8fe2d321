"""Where a step of an action plan wants the tool: poses of the world, of what was seen, or from where the tool is.

A thing has a position only, so that the tool keeps the orientation that it has when it goes to one. Steps in a row that
ask for the same thing in the same words mean the one that the first of them meant: nearest to where the tool was then.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from motion.paths import lifted
from motion.poses import Array, pose
from tamp.backends.xarm.arm_faults import ArmFault
from tamp.backends.xarm.arm_steps import (
    ApproachNamed,
    ApproachObject,
    MoveToNamed,
    MoveToObject,
    MoveToPose,
    OfObject,
    RetreatZ,
    Sleep,
    Step,
)
from tamp.backends.xarm.choice import NotChosen, choose, explain_absence, reference_of
from tamp.backends.xarm.detections import Detection, Detector
from tamp.backends.xarm.motion_planner import How
from tamp.backends.xarm.workcell import Workcell


@dataclass(frozen=True, eq=False)
class StepTarget:
    """A pose of the tool, how to go there, the joints when the world has them, and what was seen there."""

    T_base_tool: Array
    how: How = "any"
    q: Array | None = None
    seen: Detection | None = None


@dataclass(eq=False)
class StepTargets:
    """Finds targets in a world. `clock` gives seconds since the epoch, as detections have them."""

    cell: Workcell
    detector: Detector | None = None
    clock: Callable[[], float] = time.time
    _words: tuple[object, ...] | None = field(default=None, init=False)
    _reference: Array = field(default_factory=lambda: np.zeros(3), init=False)

    def begin(self) -> None:
        """A plan begins: nothing was meant yet."""
        self._words = None

    def known(self, step: Step, T_base_tool: Array) -> StepTarget | None:
        """The target from where the tool is, without waiting; None for a thing that is not seen now."""
        if isinstance(step, OfObject):
            seen = self.detector.seen() if self.detector else ()
            found = choose(seen, step, self._measured_from(step, T_base_tool), self.clock(), self.cell)
            return None if isinstance(found, NotChosen) else _at_thing(step, found, T_base_tool)
        return self._by_itself(step, T_base_tool)

    def finding(self, step: Step, T_base_tool: Array) -> Callable[[], StepTarget | None]:
        """Looks for the target each time that it is called: None as long as it is not seen, ArmFault `unseen` once the
        step has waited for it long enough."""
        if not isinstance(step, OfObject):
            target = self._by_itself(step, T_base_tool)
            return lambda: target
        if self.detector is None:
            raise ArmFault("unseen", "the world has no detector")
        detector, reference = self.detector, self._measured_from(step, T_base_tool)
        deadline = time.monotonic() + step.timeout

        def look() -> StepTarget | None:
            found = choose(detector.seen(), step, reference, self.clock(), self.cell)
            if isinstance(found, NotChosen):
                if time.monotonic() >= deadline:
                    raise ArmFault("unseen", explain_absence(found, detector, step.timeout))
                return None
            return _at_thing(step, found, T_base_tool)

        return look

    def above(self, approach: ApproachObject, target: StepTarget) -> StepTarget:
        """Where to approach what another step goes to."""
        assert target.seen is not None
        return _at_thing(approach, target.seen, target.T_base_tool)

    def fresh(self, target: StepTarget) -> None:
        """ArmFault `unseen` when what was seen is too old to go there."""
        if target.seen is None:
            return
        age, most = self.clock() - target.seen.time, self.cell.detector.max_age
        if age > most:
            raise ArmFault("unseen", f"{target.seen.label} was seen {age:.1f} s ago, too long (at most {most:g} s)")

    def _measured_from(self, step: OfObject, T_base_tool: Array) -> Array:
        """The point (3,) from which nearest is measured: as of the first step that asks in these words."""
        words = _words(step)
        if self._words != words:
            self._words, self._reference = words, reference_of(step, self.cell, T_base_tool[:3, 3])
        return self._reference

    def _by_itself(self, step: Step, T_base_tool: Array) -> StepTarget:
        self._words = None
        match step:
            case MoveToNamed(name):
                named = self.cell.poses[name]
                return StepTarget(named.T_base_tool, q=named.q)
            case ApproachNamed(name, hover):
                return StepTarget(lifted(self.cell.poses[name].T_base_tool, hover))
            case RetreatZ(distance):
                return StepTarget(lifted(T_base_tool, distance), "line")
            case MoveToPose():
                return StepTarget(step.T_base_tool)
        raise TypeError(f"{type(step).__name__} has no target: {Sleep.__name__} moves nothing")


def same_words(a: OfObject, b: OfObject) -> bool:
    """Whether two steps ask for a thing in the same words."""
    return _words(a) == _words(b)


def _words(step: OfObject) -> tuple[object, ...]:
    return (step.labels, step.selector, step.ref, step.index, step.min_conf)


def _at_thing(step: MoveToObject | ApproachObject, seen: Detection, T_base_tool: Array) -> StepTarget:
    offset = np.array([0.0, 0.0, step.hover]) if isinstance(step, ApproachObject) else np.array(step.offset)
    return StepTarget(pose(seen.p_base + offset, T_base_tool[:3, :3]), seen=seen)
