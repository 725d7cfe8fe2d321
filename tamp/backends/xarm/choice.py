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
    left = [d for d in all_seen if d.label in labels]
    if not left:
        return _not_seen(all_seen, labels)
    sifts = ((_fresh(now, workcell.detector.max_age), _by_age(now)), (_confident(step.min_conf), _by_confidence))
    for sift, order in (*sifts, (_placed(workcell), _by_confidence)):
        kept = [d for d in left if sift(d) is None]
        if not kept:  # of several reasons that of the first in order, so that the same input has the same answer
            return next(why for d in sorted(left, key=order) if (why := sift(d)) is not None)
        left = kept
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


def told_in_vain(why: NotChosen, detector: Detector, seconds: float) -> str:
    """Why there was nothing to choose within so many seconds, in words."""
    trouble = detector.trouble()
    return f"{why.message} within {seconds:g} s{f' ({trouble})' if trouble else ''}"


_Sift = Callable[[Detection], NotChosen | None]


def _fresh(now: float, max_age: float) -> _Sift:
    def sift(d: Detection) -> NotChosen | None:
        age = now - d.time
        if abs(age) <= max_age:
            return None
        how = f"{age:.1f} s old" if age > 0 else f"{-age:.1f} s in the future, so a clock is wrong"
        return NotChosen("too old", f"{d.label} at {shown(d.p_base)} is {how}, allowed are {max_age:g} s")

    return sift


def _confident(min_conf: float) -> _Sift:
    def sift(d: Detection) -> NotChosen | None:
        if d.confidence >= min_conf:
            return None
        return NotChosen("low confidence", f"the surest {d.label} has confidence {d.confidence:g}, needed {min_conf:g}")

    return sift


def _placed(workcell: Workcell) -> _Sift:
    def sift(d: Detection) -> NotChosen | None:
        where = f"{d.label} at {shown(d.p_base)}"
        if workcell.table is not None and d.p_base[2] < workcell.table - SLACK:
            return NotChosen("in the table", f"{where} is in the table, whose top is at {1000 * workcell.table:g} mm")
        if room_of_things(workcell).holds(d.p_base, SLACK):
            return None
        behind = d.p_base[0] < 0
        message = (
            f"{where} is {'behind the arm, ' if behind else ''}outside the workspace, {extent(workcell.workspace)}"
        )
        return NotChosen("behind the arm" if behind else "outside", message)

    return sift


def _not_seen(detections: Iterable[Detection], labels: Sequence[str]) -> NotChosen:
    there = Counter(d.label for d in detections)
    others = ", ".join(f"{count} {label}" for label, count in sorted(there.items())[:10])
    return NotChosen("not seen", f"no {_named(labels)} seen; seen: {others or 'nothing'}")


def _named(labels: Sequence[str]) -> str:
    return " or ".join(labels)


def _by_confidence(d: Detection) -> tuple[object, ...]:
    return (-d.confidence, d.label, *map(float, d.p_base), -d.time)


def _by_age(now: float) -> Callable[[Detection], tuple[object, ...]]:
    def key(d: Detection) -> tuple[object, ...]:
        return (abs(now - d.time), *_by_confidence(d))

    return key


def _by_distance(reference: Array) -> Callable[[Detection], tuple[object, ...]]:
    def key(d: Detection) -> tuple[object, ...]:
        return (float(np.linalg.norm(d.p_base - reference)), d.label, *map(float, d.p_base), -d.time)

    return key
