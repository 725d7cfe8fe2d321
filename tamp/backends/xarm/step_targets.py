"""Where a step of an action plan wants the tool: poses of the world, of what was seen, or from where the tool is.

A thing has a position only, so that the tool keeps the orientation that it has when it goes to one. Steps in a row that
ask for the same thing in the same words mean the one that the first of them meant: nearest to where the tool was then.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from motion.paths import lifted
from motion.poses import Array, pose
from tamp.backends.xarm.arm_steps import (
    ApproachNamed,
    ApproachObject,
    MoveToNamed,
    MoveToObject,
    MoveToPose,
    OfObject,
    RetreatZ,
    Step,
)
from tamp.backends.xarm.arm_stop import ArmFault
from tamp.backends.xarm.detections import Detection, Detector
from tamp.backends.xarm.workcell import SLACK, Workcell, extent, room_of_things, shown

SAME = 0.03
"""Metres: detections nearer to each other are one thing, seen twice."""

How = Literal["line", "any"]


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

    def find(self, step: Step, T_base_tool: Array) -> StepTarget | str:
        """The target from where the tool is, or why the thing that the step is about is not there now."""
        if not isinstance(step, OfObject):
            return self._by_itself(step, T_base_tool)
        if self.detector is None:
            return "the world has no detector"
        found = choose(self.detector.seen(), step, self._measured_from(step, T_base_tool), self.clock(), self.cell)
        return found if isinstance(found, str) else at_thing(step, found, T_base_tool)

    def fresh(self, target: StepTarget) -> None:
        """ArmFault `unseen` when what was seen is too old to go there."""
        if target.seen is None:
            return
        age, most = self.clock() - target.seen.time, self.cell.detector.max_age
        if age > most:
            raise ArmFault("unseen", f"{target.seen.label} was seen {age:.1f} s ago, too long (at most {most:g} s)")

    def _measured_from(self, step: OfObject, T_base_tool: Array) -> Array:
        """The point (3,) from which nearest is measured: the named pose, else the tool as of the first step that asks
        in these words."""
        if self._words != step.words:
            self._words = step.words
            T = T_base_tool if step.ref is None else self.cell.poses[step.ref].T_base_tool
            self._reference = np.asarray(T[:3, 3])
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
        raise TypeError(f"{type(step).__name__} has no target: it moves nothing")


def at_thing(step: MoveToObject | ApproachObject, seen: Detection, T_base_tool: Array) -> StepTarget:
    """Where a step goes to a thing, with the tool turned as it is."""
    offset = np.array([0.0, 0.0, step.hover]) if isinstance(step, ApproachObject) else np.array(step.offset)
    return StepTarget(pose(seen.p_base + offset, T_base_tool[:3, :3]), seen=seen)


def choose(
    detections: Iterable[Detection], step: OfObject, reference: Array, now: float, cell: Workcell
) -> Detection | str:
    """The thing with the step's `index`, from 0, or why there is none: of `nearest`, in the order of distance from the
    point `reference` (3,); of `highest_conf`, of falling confidence. Equals are in the order of labels, then x, y, z.

    Only what has one of the step's labels counts, was seen at most `max_age` seconds before (or, by another clock,
    after) `now`, has at least its confidence `min_conf`, and is in the workspace and not in the table. Of detections
    within `SAME` of each other, of whichever of these labels and from whichever camera, the most confident counts.
    """
    all_seen, labels = tuple(detections), " or ".join(step.labels)
    named = [d for d in all_seen if d.label in step.labels]
    if not named:
        there = sorted(Counter(d.label for d in all_seen).items())
        others = ", ".join(f"{count} {label}" for label, count in there[:10])
        return f"no {labels} seen; seen: {others or 'nothing'}"
    unfit = [_unfit(d, step, now, cell) for d in named]
    left = [d for d, why in zip(named, unfit, strict=True) if why is None]
    if not left:  # of several reasons that of the one that came nearest, so that the same input has the same answer
        return min(why for why in unfit if why is not None)[1]
    things = distinct(left)
    if step.index >= len(things):
        return f"only {len(things)} {labels} seen, and index {step.index} is number {step.index + 1}"
    if step.selector == "nearest":
        things.sort(key=lambda d: (float(np.linalg.norm(d.p_base - reference)), *_by_confidence(d)[1:]))
    return things[step.index]


def distinct(detections: Iterable[Detection]) -> list[Detection]:
    """One detection for each thing: the most confident of those within `SAME` of it, the most confident first."""
    found: list[Detection] = []
    positions = np.empty((0, 3))
    for d in sorted(detections, key=_by_confidence):
        if not (np.linalg.norm(positions - d.p_base, axis=1) < SAME).any():
            found.append(d)
            positions = np.vstack([positions, d.p_base])
    return found


_Order = tuple[float | str, ...]


def _unfit(d: Detection, step: OfObject, now: float, cell: Workcell) -> tuple[_Order, str] | None:
    """Why a detection does not count, after its order among others that do not: what passes more tests is first."""
    age, max_age, where = now - d.time, cell.detector.max_age, f"{d.label} at {shown(d.p_base)}"
    if abs(age) > max_age:
        how = f"{age:.1f} s old" if age > 0 else f"{-age:.1f} s in the future, so a clock is wrong"
        return (2.0, abs(age), *_by_confidence(d)), f"{where} is {how}, allowed are {max_age:g} s"
    if d.confidence < step.min_conf:
        message = f"the surest {d.label} has confidence {d.confidence:g}, needed {step.min_conf:g}"
        return (1.0, *_by_confidence(d)), message
    if cell.table is not None and d.p_base[2] < cell.table - SLACK:
        message = f"{where} is in the table, whose top is at {1000 * cell.table:g} mm"
    elif not room_of_things(cell).holds(d.p_base, SLACK):
        behind = "behind the arm, " if d.p_base[0] < 0 else ""
        message = f"{where} is {behind}outside the workspace, {extent(cell.workspace)}"
    else:
        return None
    return (0.0, *_by_confidence(d)), message


def _by_confidence(d: Detection) -> _Order:
    return (-d.confidence, d.label, *map(float, d.p_base), -d.time)
