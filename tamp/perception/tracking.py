"""Track things from look to look: pose, confidence, and whether each is still the thing it was taken for.

A thing of another shape does not fit what is seen there any more. Of products of one shape only colours tell: the ones
nearest to the hand are checked each time, all of them once one of these is another thing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from motion.poses import Array, Numbers, joint_transform, moved, pose, rotation_vector_to_matrix
from tamp.perception.colours import is_other
from tamp.perception.fitting import Candidate, FitStep, FitTarget, climbed, joint_near, judged
from tamp.perception.looks import SAME, VISIBLE, Look, sighting
from tamp.perception.object_model import PlacedModel, whole
from tamp.perception.recognition import HALF_SURE, Recognition
from tamp.perception.segmentation import Points
from tamp.perception.unknown_objects import SEEN

AROUND = 0.03
"""Metres around a thing in which points may be its own although it has moved."""
EXPLAINED = 0.012
"""Metres from a thing's skin up to which a point is its own."""
POINTS = 400
"""Points that a thing is held against."""
NUDGED = (
    FitStep(0.006, 0.06, 0.003, 0.016),
    FitStep(0.003, 0.03, 0.0015),
    FitStep(0.0015, 0.015, 0.001),
    FitStep(0.0007, 0.007, 0.0005),
)
"""Steps in which a thing is followed."""
TILTED = (
    FitStep(0.004, 0.04, 0.002, 0.012, 0.05),
    FitStep(0.002, 0.02, 0.001, 0.008, 0.025),
    FitStep(0.001, 0.01, 0.0007, 0.008, 0.012),
)
"""The same for what leans."""
LEANS = np.radians(2.0)
"""Angle from the nearest attitude in which a thing can rest, from which on it leans."""
UPRIGHTER = 0.02
"""Score by which leaning has to explain better what is seen than resting does."""
SLIPPED = 0.05
"""The same for what is held, against being where the hand has it."""
SLIPS = 0.01 * np.array([(x, y, z) for z in (-2, -1, 0, 1) for x in (-1, 0, 1) for y in (-1, 0, 1)])
"""Metres (n, 3) by which what is held may have slipped since the last look: mostly down."""
TIPS = 0.2 * np.array([(0, 0, 0), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)])
"""Rotation vectors (n, 3) by which it may have tipped meanwhile."""
TRIED = 12
"""So many of these are tried in full."""
MOVED, MORE_SEEN = 0.1, 0.1
"""Score, or share of what is in view, by which a place has to explain better what is seen than where a thing was."""
BELIEVED = 0.5
"""Score of a place from which on it is believed for its score: what is well in view scores about 0.9 where it is."""
IN_ONE_PLACE = 0.008
"""Metres between two that are alike up to which they are taken to be in one place."""
HALF_KNOWN = 0.5
"""Confidence in a thing that no model explains."""
UP = np.array([0.0, 0.0, 1.0])
UNMOVED = (0.001, 0.01)
"""Metres and radians below which a thing has not moved: it is left where it was, so that it does not jitter."""
NEAREST = 2
"""So many of the nearest things are looked at each time."""
SPINS = 12
"""Turns in which what looks the same after any of them is held against what is seen."""
FEWEST = 60
"""Points near a thing that are no other's, from which on its shape is judged."""
OTHER_SHAPE = 0.004
"""Metres by which the sizes of two things differ that are not of one shape."""
ELSEWHERE = 0.06
"""Metres by which a thing may be elsewhere once it is recognised anew."""


@dataclass(frozen=True, eq=False)
class Track:
    """One thing. `time` (s) is when it was seen last, `confidence` how sure its category and place are, from 0 to 1;
    `like` are the categories that would do nearly as well, `rivals` those that are as likely. `movable`: it can be
    carried. `lost`: one sees past where it was, and it was not found elsewhere."""

    name: str
    placed: PlacedModel
    movable: bool
    time: float
    confidence: float
    like: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    lost: bool = False


def track_of(found: Recognition, name: str, time: float) -> Track:
    """The track of a thing where it was recognised."""
    model = found.placed.model
    confidence = found.confidence if model.source != SEEN else HALF_KNOWN
    like = tuple(c for c, _ in found.like)
    return Track(name, found.placed, model.thing.movable, time, confidence, like, found.rivals)


def followed(track: Track, points: Points, looks: Sequence[Look], time: float, rng: np.random.Generator) -> Track:
    """A track after another look: moved a little where it is seen to have moved, left where it is hidden, lost where
    one sees past it."""
    near = points.where(track.placed.distance(points.p) < AROUND)
    if len(near) >= VISIBLE:
        there = _moved(track.placed, FitTarget(near.some(POINTS, rng).p, looks), looks)
        if sighting(there, looks).share >= SAME:
            return replace(track, placed=there, time=time, lost=False)
    return replace(track, lost=True) if sighting(track.placed, looks).past_it else track


def kept_apart(before: Mapping[str, Track], after: Mapping[str, Track], looks: Sequence[Look]) -> dict[str, Track]:
    """Tracks after a look, of which no two that are alike are in one place: a bowl in a bowl is not seen any more, and
    follows what is seen of the other one. The one stays where it was that is not seen to be gone from there."""
    out = dict(after)
    for one, other in itertools.combinations(sorted(before.keys() & after.keys()), 2):
        a, b = out[one], out[other]
        if a.placed.model is not b.placed.model or a.lost or b.lost or a.placed.away(b.placed) > IN_ONE_PLACE:
            continue
        hidden = [n for n in (one, other) if not sighting(before[n].placed, looks).past_it]
        stays = max(hidden, key=lambda n: before[n].placed.away(out[n].placed), default=None)
        if stays is not None and before[one].placed.away(before[other].placed) > IN_ONE_PLACE:
            out[stays] = before[stays]
    return out


def _moved(placed: PlacedModel, target: FitTarget, looks: Sequence[Look]) -> PlacedModel:
    """A thing where it is seen to have moved, close to where it was: left there as long as that explains what is seen
    nearly as well. Of what is half hidden by the hand many places do."""
    before, T = placed.T_world_object, _nudged(placed, target)
    if _unmoved(before, T):
        return placed
    there, skin = replace(placed, T_world_object=T), whole(placed.model, placed.joints)
    shares = [sighting(p, looks).share for p in (placed, there)]
    scores = judged(np.array([before, T], dtype=np.float32), skin, target, skin.sampled()).score
    fits_better = scores[1] > max(scores[0] + MOVED, BELIEVED)
    return there if fits_better or shares[1] > shares[0] + MORE_SEEN else placed


def _nudged(placed: PlacedModel, target: FitTarget) -> Array:
    """Where a thing has moved to (4, 4), close to where it was. What leans, as things do in the hand, is also tried as
    it would rest: that is what becomes of most of what was put down."""
    skin, before = whole(placed.model, placed.joints), placed.T_world_object
    resting = at_rest(placed)
    if resting is None:
        return np.asarray(climbed(before, skin, target, skin.sampled(), NUDGED).T_world_object[0], dtype=float)
    rests = climbed(resting, skin, target, skin.sampled(), NUDGED)
    leans = climbed(before, skin, target, skin.sampled(), TILTED)
    best = leans if leans.score[0] > rests.score[0] + UPRIGHTER else rests
    return np.asarray(best.T_world_object[0], dtype=float)


def at_rest(placed: PlacedModel) -> Array | None:
    """The pose (4, 4) of a thing that leans, turned about its lowest point into the nearest attitude in which it can
    rest; None for what does not lean."""
    R = placed.T_world_object[:3, :3]
    ups = R @ np.swapaxes(placed.model.rests, 1, 2) @ UP  # of the world, if it lay so
    up = ups[int(ups[:, 2].argmax())]
    axis, angle = np.cross(up, UP), float(np.arccos(np.clip(up[2], -1.0, 1.0)))
    if angle < LEANS:
        return None
    p = placed.points()
    lowest = p[int(p[:, 2].argmin())]
    D = joint_transform("hinge", axis / np.linalg.norm(axis), lowest, angle)
    T = D @ placed.T_world_object
    T[2, 3] += lowest[2] - float(moved(p, D)[:, 2].min())
    return np.asarray(T)


def held_as_seen(track: Track, points: Points, looks: Sequence[Look], rng: np.random.Generator) -> Array:
    """Where a thing in the hand is (4, 4): it may have turned there, or slipped. Where the hand has it, unless it is
    clearly seen otherwise."""
    before, skin = track.placed.T_world_object, whole(track.placed.model, track.placed.joints)
    near = points.where(track.placed.distance(points.p) < AROUND)
    if len(near) < VISIBLE:
        return before
    target, samples = FitTarget(near.some(POINTS, rng).p, looks), skin.sampled()
    score = float(judged(before[None].astype(np.float32), skin, target, samples).score[0])
    elsewhere = judged(_slipped(before), skin, target, samples).best(TRIED) if score < BELIEVED else None
    starts = [before] if elsewhere is None else elsewhere.T_world_object
    there = max((climbed(T, skin, target, samples, TILTED) for T in starts), key=lambda f: float(f.score[0]))
    if there.score[0] < score + SLIPPED:
        return before
    T = np.asarray(there.T_world_object[0], dtype=float)
    return T if sighting(replace(track.placed, T_world_object=T), looks).share >= SAME else before


def _slipped(T_world_object: Array) -> Numbers:
    """Poses (n, 4, 4) of a thing that may have slipped and tipped in the hand."""
    tipped = [rotation_vector_to_matrix(v) @ T_world_object[:3, :3] for v in TIPS]
    places = T_world_object[:3, 3] + SLIPS
    return np.array([pose(p, R) for R in tipped for p in places], dtype=np.float32)


def with_joints_followed(track: Track, points: Points, looks: Sequence[Look], time: float) -> Track:
    """A track after another look at its drawers, doors and knobs."""
    placed, model = track.placed, track.placed.model
    joints = dict(placed.joints)
    for part in model.jointed:
        if part.name in model.skins and part.joint is not None:
            present = joints.get(part.name, part.joint.value)
            target = FitTarget(points.p, looks)
            joints[part.name] = joint_near(model, part.name, placed.T_world_object, target, present)
    return replace(track, placed=replace(placed, joints=joints), time=time)


def _unmoved(before: Array, after: Array) -> bool:
    turned = np.arccos(np.clip(0.5 * (np.trace(before[:3, :3].T @ after[:3, :3]) - 1.0), -1.0, 1.0))
    return float(np.linalg.norm(before[:3, 3] - after[:3, 3])) < UNMOVED[0] and float(turned) < UNMOVED[1]


def mistaken(
    tracks: Mapping[str, Track], points: Points, p_world_tool: Array, looks: Sequence[Look], time: float
) -> list[str]:
    """The names of things that pictures of that `time` show to be something else than they were taken for. `points` may
    be any of these things'."""
    known = [t for t in tracks.values() if t.movable and not t.lost and t.placed.model.source != SEEN]
    misfits = [t.name for t in known if _fits_badly(t, known, points, looks)]
    seen = [t for t in known if t.time == time]
    seen.sort(key=lambda t: float(np.linalg.norm(t.placed.T_world_object[:3, 3] - p_world_tool)))
    first = [t.name for t in seen[:NEAREST] if _is_other(t.placed, looks)]
    others = [t.name for t in seen[NEAREST:] if _is_other(t.placed, looks)] if first else []
    return list(dict.fromkeys(misfits + first + others))


def _fits_badly(track: Track, known: Sequence[Track], points: Points, looks: Sequence[Look]) -> bool:
    """Whether a thing does not fit what is seen where it should be. Measured at every look of 16 episodes by camera:
    none of 672 things that were where they were thought to be scored below 0.6, none of 14 others above 0.48."""
    own = points.p[track.placed.distance(points.p) < AROUND]
    for other in known:
        if other is not track and len(own):
            own = own[other.placed.distance(own) > EXPLAINED]
    if len(own) < FEWEST:
        return False
    skin = whole(track.placed.model, track.placed.joints)
    T = track.placed.T_world_object[None].astype(np.float32)
    return bool(judged(T, skin, FitTarget(own, looks), skin.sampled()).score[0] < BELIEVED)


def _is_other(placed: PlacedModel, looks: Sequence[Look]) -> bool:
    skin = whole(placed.model, placed.joints)
    return bool(is_other(skin, [D @ placed.T_world_object for D in _turns(placed)], looks))


def _turns(placed: PlacedModel) -> list[Array]:
    """The turns (4, 4) about the vertical, none first, after which the shape is the same."""
    turns, points = placed.model.turns or SPINS, placed.points()
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return [joint_transform("hinge", UP, middle, 2.0 * np.pi * n / turns) for n in range(turns)]


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
