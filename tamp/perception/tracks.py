"""What is known of each thing over time: where it was seen last, how surely, and what hides it now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from motion.poses import Array
from tamp.perception.candidates import Candidate
from tamp.perception.clusters import Points
from tamp.perception.fitting import Step, Target, climbed, sampled
from tamp.perception.joints import joint_near
from tamp.perception.looks import Look
from tamp.perception.placing import Placed, whole
from tamp.perception.recognising import HALF_SURE
from tamp.perception.sightings import SAME, VISIBLE, sighting

AROUND = 0.03
"""Metres around a thing in which points may be its own although it has moved."""
POINTS = 400
"""Points that a thing is held against."""
NUDGED = (
    Step(0.006, 0.06, 0.003, 0.016),
    Step(0.003, 0.03, 0.0015),
    Step(0.0015, 0.015, 0.001),
    Step(0.0007, 0.007, 0.0005),
)
"""Steps in which a thing is followed."""
OTHER_SHAPE = 0.004
"""Metres by which the sizes of two things differ that are not of one shape."""
UNMOVED = (0.001, 0.01)
"""Metres and radians below which a thing has not moved: it is left where it was, so that it does not jitter."""


@dataclass(frozen=True, eq=False)
class Track:
    """One thing. `time` (s) is when it was seen last, `confidence` how sure its category and place are, from 0 to 1;
    `like` are the categories that would do nearly as well, `rivals` those that are as likely. `movable`: it can be
    carried. `lost`: one sees past where it was, and it was not found elsewhere."""

    name: str
    placed: Placed
    movable: bool
    time: float
    confidence: float
    like: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    lost: bool = False


def followed(track: Track, points: Points, looks: Sequence[Look], time: float, rng: np.random.Generator) -> Track:
    """A track after another look: moved a little where it is seen to have moved, left where it is hidden, lost where
    one sees past it."""
    near = points.where(track.placed.distance(points.p) < AROUND)
    if len(near) >= VISIBLE:
        some = near if len(near) <= POINTS else near.where(rng.choice(len(near), POINTS, replace=False))
        skin = whole(track.placed.model, track.placed.joints)
        before = track.placed.T_world_object
        T = climbed(before, skin, Target(some.p, looks), sampled(skin), NUDGED).T_world_object[0].astype(float)
        there = replace(track.placed, T_world_object=before if _unmoved(before, T) else T)
        if sighting(there, looks).share >= SAME:
            return replace(track, placed=there, time=time, lost=False)
    seen = sighting(track.placed, looks)
    if seen.tells and seen.share < 1.0 - SAME:
        return replace(track, lost=True)
    return track


def with_joints_followed(track: Track, points: Points, looks: Sequence[Look], time: float) -> Track:
    """A track after another look at its drawers, doors and knobs."""
    placed, model = track.placed, track.placed.model
    joints = dict(placed.joints)
    for part in model.jointed:
        if part.name in model.skins and part.joint is not None:
            present = joints.get(part.name, part.joint.value)
            target = Target(points.p, looks)
            joints[part.name] = joint_near(model, part.name, placed.T_world_object, target, present)
    return replace(track, placed=replace(placed, joints=joints), time=time)


def sureness(tracks: Sequence[Track], known: Iterable[Candidate]) -> dict[str, float]:
    """How sure one can be of each thing, from 0 to 1, by its name: only by half where it may as well be something of
    another shape, or of a category that something else here has."""
    sizes = {c.model.thing.name: c.high - c.low for c in known}
    category = {t.name: t.placed.model.thing.name for t in tracks if not t.lost}
    out = {}
    for t in tracks:
        there = {c for name, c in category.items() if name != t.name}
        own = t.placed.model.thing.name
        matters = any(r in there or np.abs(sizes[r] - sizes[own]).max() > OTHER_SHAPE for r in t.rivals)
        out[t.name] = min(t.confidence, HALF_SURE) if matters else t.confidence
    return out


def _unmoved(before: Array, after: Array) -> bool:
    turned = np.arccos(np.clip(0.5 * (np.trace(before[:3, :3].T @ after[:3, :3]) - 1.0), -1.0, 1.0))
    return float(np.linalg.norm(before[:3, 3] - after[:3, 3])) < UNMOVED[0] and float(turned) < UNMOVED[1]
