"""Which of the things that were seen a step means, or why none of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.arm_steps import OfObject
from tamp.backends.xarm.detections import Detection, Detector
from tamp.backends.xarm.workcell import SLACK, Workcell, extent, room_of_things, shown

SAME = 0.03
"""Metres: detections nearer to each other are one thing, seen twice."""

Reason = Literal["not seen", "too few", "too old", "low confidence", "outside", "behind the arm", "in the table"]


@dataclass(frozen=True)
class NotChosen:
    """Why no thing was chosen: `reason` for programs, `message` for people."""

    reason: Reason
    message: str


def choose(
    detections: Iterable[Detection], step: OfObject, reference: Array, now: float, workcell: Workcell
) -> Detection | NotChosen:
    """The thing with the step's `index`, from 0: of `nearest`, in the order of distance from the point `reference`
    (3,); of `highest_conf`, of falling confidence. Equals are in the order of their labels, then of x, y and z.

    Only what has one of the step's labels counts, was seen at most `max_age` seconds before (or, by another clock,
    after) `now`, has at least its confidence `min_conf`, and is in the workspace and not in the table. Of detections
    within `SAME` of each other, of whichever of these labels and from whichever camera, the most confident counts.
    """
    all_seen, labels, index = tuple(detections), step.labels, step.index
    named = [d for d in all_seen if d.label in labels]
    if not named:
        return _not_seen(all_seen, labels)
    unfit = [_unfit(d, step, now, workcell) for d in named]
    left = [d for d, why in zip(named, unfit, strict=True) if why is None]
    if not left:  # of several reasons that of the one that came nearest, so that the same input has the same answer
        return min((why for why in unfit if why is not None), key=lambda why: why.order).reason
    things = distinct(left)
    if index >= len(things):
        words = f"{len(things)} {_named(labels)} seen, and index {index} is number {index + 1}"
        return NotChosen("too few", f"only {words}")
    return sorted(things, key=_by_confidence if step.selector == "highest_conf" else _by_distance(reference))[index]


def distinct(detections: Iterable[Detection]) -> list[Detection]:
    """One detection for each thing: the most confident of those within `SAME` of it, the most confident first."""
    found: list[Detection] = []
    positions = np.empty((0, 3))
    for d in sorted(detections, key=_by_confidence):
        if not (np.linalg.norm(positions - d.p_base, axis=1) < SAME).any():
            found.append(d)
            positions = np.vstack([positions, d.p_base])
    return found


def reference_of(step: OfObject, workcell: Workcell, p_base_tool: Array) -> Array:
    """The point (3,) that nearest is measured from: of the named pose, else the tool point as it is now."""
    return p_base_tool if step.ref is None else np.asarray(workcell.poses[step.ref].T_base_tool[:3, 3])


def explain_absence(why: NotChosen, detector: Detector, seconds: float) -> str:
    """Why there was nothing to choose within so many seconds, in words."""
    trouble = detector.trouble()
    return f"{why.message} within {seconds:g} s{f' ({trouble})' if trouble else ''}"


@dataclass(frozen=True)
class _Unfit:
    """Why a detection does not count, and its order among others that do not: what passes more tests comes first."""

    order: tuple[object, ...]
    reason: NotChosen


def _unfit(d: Detection, step: OfObject, now: float, workcell: Workcell) -> _Unfit | None:
    age, max_age = now - d.time, workcell.detector.max_age
    if abs(age) > max_age:
        how = f"{age:.1f} s old" if age > 0 else f"{-age:.1f} s in the future, so a clock is wrong"
        message = f"{d.label} at {shown(d.p_base)} is {how}, allowed are {max_age:g} s"
        return _Unfit((2, abs(age), *_by_confidence(d)), NotChosen("too old", message))
    if d.confidence < step.min_conf:
        message = f"the surest {d.label} has confidence {d.confidence:g}, needed {step.min_conf:g}"
        return _Unfit((1, *_by_confidence(d)), NotChosen("low confidence", message))
    reason = _misplaced(d, workcell)
    return _Unfit((0, *_by_confidence(d)), reason) if reason else None


def _misplaced(d: Detection, workcell: Workcell) -> NotChosen | None:
    where = f"{d.label} at {shown(d.p_base)}"
    if workcell.table is not None and d.p_base[2] < workcell.table - SLACK:
        return NotChosen("in the table", f"{where} is in the table, whose top is at {1000 * workcell.table:g} mm")
    if room_of_things(workcell).holds(d.p_base, SLACK):
        return None
    behind = d.p_base[0] < 0
    message = f"{where} is {'behind the arm, ' if behind else ''}outside the workspace, {extent(workcell.workspace)}"
    return NotChosen("behind the arm" if behind else "outside", message)


def _not_seen(detections: Iterable[Detection], labels: Sequence[str]) -> NotChosen:
    there = Counter(d.label for d in detections)
    others = ", ".join(f"{count} {label}" for label, count in sorted(there.items())[:10])
    return NotChosen("not seen", f"no {_named(labels)} seen; seen: {others or 'nothing'}")


def _named(labels: Sequence[str]) -> str:
    return " or ".join(labels)


def _by_confidence(d: Detection) -> tuple[object, ...]:
    return (-d.confidence, d.label, *map(float, d.p_base), -d.time)


def _by_distance(reference: Array) -> Callable[[Detection], tuple[object, ...]]:
    def key(d: Detection) -> tuple[object, ...]:
        return (float(np.linalg.norm(d.p_base - reference)), d.label, *map(float, d.p_base), -d.time)

    return key
