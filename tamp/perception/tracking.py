"""Track things from look to look: pose, confidence, and whether each is still the thing it was taken for.

A thing of another shape does not fit what is seen there any more. Of products of one shape only colours tell: the ones
nearest to the hand are checked each time, all of them once one of these is another thing. What the hand holds follows
from the fingers alone: they stopped before they met, and a thing was between them.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from motion.poses import Array, Numbers, inverse, joint_transform, moved, pose, rotation_vector_to_matrix
from tamp.model.scene import RobotState
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
FOLLOW_STEPS = (
    FitStep(0.006, 0.06, 0.003, 0.016),
    FitStep(0.003, 0.03, 0.0015),
    FitStep(0.0015, 0.015, 0.001),
    FitStep(0.0007, 0.007, 0.0005),
)
TILT_STEPS = (
    FitStep(0.004, 0.04, 0.002, 0.012, 0.05),
    FitStep(0.002, 0.02, 0.001, 0.008, 0.025),
    FitStep(0.001, 0.01, 0.0007, 0.008, 0.012),
)
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
STILL = 0.0015
"""Metres that fingers which have stopped move in the moments that are looked back on: what is soft gives way
slowly."""
MOMENTS = 4
"""Control periods that are looked back on."""
PRESSED = 6
"""Control periods of being asked to close after which fingers that stand still are kept from it by something."""
EMPTY = 0.0012
"""Metres between the pads up to which nothing can be between them."""
LETS_GO = 0.004
"""Metres that the fingers open by when they let go of a thing, and that they close by within the moments that are
looked back on when it is not between them any more."""
AT_PADS = 0.01
"""Metres from each pad within which the skin of what is held must be."""
SLAB = (0.011, 0.02)
"""Around the tool point, metres along the pads' width and along the approach: skin there is what the pads press on."""


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
    turned = float(np.arccos(np.clip(0.5 * (np.trace(before[:3, :3].T @ T[:3, :3]) - 1.0), -1.0, 1.0)))
    if float(np.linalg.norm(before[:3, 3] - T[:3, 3])) < UNMOVED[0] and turned < UNMOVED[1]:
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
        return np.asarray(climbed(before, skin, target, skin.sampled(), FOLLOW_STEPS).T_world_object[0], dtype=float)
    rests = climbed(resting, skin, target, skin.sampled(), FOLLOW_STEPS)
    leans = climbed(before, skin, target, skin.sampled(), TILT_STEPS)
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
    starts: Sequence[Numbers] | Numbers = [before]
    if score < BELIEVED:  # it may have slipped and tipped
        tipped = [rotation_vector_to_matrix(v) @ before[:3, :3] for v in TIPS]
        slipped = [pose(p, R) for R in tipped for p in before[:3, 3] + SLIPS]
        starts = judged(np.array(slipped, dtype=np.float32), skin, target, samples).best(TRIED).T_world_object
    there = max((climbed(T, skin, target, samples, TILT_STEPS) for T in starts), key=lambda f: float(f.score[0]))
    if there.score[0] < score + SLIPPED:
        return before
    T = np.asarray(there.T_world_object[0], dtype=float)
    return T if sighting(replace(track.placed, T_world_object=T), looks).share >= SAME else before


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
    """Whether its colours are another thing's, in any turn about the vertical after which its shape is the same."""
    turns, (low, high) = placed.model.turns or SPINS, placed.bounds
    angles = [2.0 * np.pi * n / turns for n in range(turns)]
    turned = [joint_transform("hinge", UP, 0.5 * (low + high), a) @ placed.T_world_object for a in angles]
    return bool(is_other(whole(placed.model, placed.joints), turned, looks))


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


@dataclass(eq=False)
class HandTracker:
    """Follows the fingers. `held` is the name of what they hold, `T_tool_held` (4, 4) where it is in the hand."""

    held: str | None = None
    T_tool_held: Array | None = None
    width: float = 0.0
    """Metres between the pads when they took hold."""
    _moments: deque[RobotState] = field(default_factory=lambda: deque(maxlen=MOMENTS))
    _widest: float = 0.0
    """The widest opening since something was let go of."""
    _pressed: int = 0
    """Control periods for which the fingers have been asked to close further than they do."""
    _tried: bool = False
    """Whether nothing was found between the fingers as they are."""
    _slips: tuple[str, Array] | None = None
    """What gave way between the fingers, and where it was in the hand: where they stop once more it was not lost."""

    def felt(
        self, robot: RobotState, things: Iterable[tuple[str, PlacedModel]], asked: float | None = None
    ) -> str | None:
        """Take what was felt; the name of what has just been let go of, if anything was. `things` could be held;
        `asked` is how far apart (m) the fingers were last asked to be, where that is known."""
        opening = robot.opening
        self._moments.append(robot)
        self._pressed = self._pressed + 1 if asked is not None and opening > asked + LETS_GO else 0
        if self.held is not None:
            before = max(m.opening for m in self._moments)  # what is soft gives way more slowly than that
            if opening > self.width + LETS_GO or opening < EMPTY or opening < before - LETS_GO:
                T, gave_way = self.T_tool_held, opening < before - LETS_GO
                self._slips = (self.held, T) if gave_way and T is not None else None
                return self.let_go()
            self.width = min(self.width, opening)
            return None
        openings = [m.opening for m in self._moments]
        self._widest = max(self._widest, opening)
        still = len(openings) == MOMENTS and float(np.ptp(openings)) < STILL
        self._tried = self._tried and still
        if opening < EMPTY or opening > self.width + LETS_GO:
            self._slips = None
        closing = opening < self._widest - LETS_GO or self._pressed >= PRESSED
        if closing and still and opening > EMPTY and not self._tried:
            self._take_hold(self._moments[0], things)
        return None

    def let_go(self) -> str | None:
        """Forget what is held; its name."""
        name, self.held, self.T_tool_held = self.held, None, None
        self._widest, self._tried = 0.0, False
        return name

    def was_wrong(self) -> None:
        """Forget what is held: it is seen not to be. While the fingers stay as they are they hold nothing known."""
        self.let_go()
        self._tried, self._slips = True, None

    def _take_hold(self, robot: RobotState, things: Iterable[tuple[str, PlacedModel]]) -> None:
        """Take hold of what is between the fingers, at the moment when they stopped."""
        self._tried = True
        T = robot.T_world_tool
        found = [(_from_pads(thing, robot), name, thing) for name, thing in things]
        off, name, thing = min(found, key=lambda f: f[0], default=(np.inf, "", None))
        if thing is None or off > AT_PADS:
            if self._slips is not None:  # nothing else can have come between them
                (self.held, self.T_tool_held), self.width = self._slips, robot.opening
            return
        T_tool = inverse(T) @ thing.T_world_object
        self.held, self.width = name, robot.opening
        self.T_tool_held = pose([-_middle(thing, T_tool, self._widest), 0.0, 0.0]) @ T_tool


def at_pads(thing: PlacedModel, robot: RobotState) -> bool:
    """Whether a thing is where both pads touch it."""
    return _from_pads(thing, robot) <= AT_PADS


def _from_pads(thing: PlacedModel, robot: RobotState) -> float:
    """How far (m) the skin of a thing is from the pad that it is further from."""
    T, half = robot.T_world_tool, 0.5 * robot.opening
    pads = np.array([T[:3, 3] + s * half * T[:3, 0] for s in (-1.0, 1.0)])
    return float(thing.distance(pads).max())


def _middle(thing: PlacedModel, T_tool_object: Array, opening: float) -> float:
    """How far (m) along the closing fingers the middle of what is between them is from the tool point."""
    p = moved(thing.points(), T_tool_object @ inverse(thing.T_world_object))
    between = (np.abs(p[:, 0]) < 0.5 * opening + 0.005) & (np.abs(p[:, 1]) < SLAB[0]) & (np.abs(p[:, 2]) < SLAB[1])
    return 0.5 * float(p[between, 0].min() + p[between, 0].max()) if between.any() else 0.0
