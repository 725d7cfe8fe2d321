"""Perceive scenes with RGB-D cameras, joint encoders and the library of known objects.

The first look recognises everything; later ones track what is known, search for what was lost, and recognise only what
is new. What is hidden is remembered where it was; what the hand holds moves with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from motion.poses import Array, Numbers, inverse
from motion.robot import RobotDescription
from motion.world import World
from tamp.errors import Refusal
from tamp.model.backend import Observation
from tamp.model.scene import RobotState, Scene, contains
from tamp.perception.fitting import Candidate, candidates
from tamp.perception.library import Library
from tamp.perception.looks import Look, gone, sighting
from tamp.perception.object_model import RobotSkin
from tamp.perception.recognition import Recognition, recognised
from tamp.perception.rig import Rig, link_poses, reaches_forward
from tamp.perception.segmentation import (
    OBSTACLE,
    Ground,
    Obstacle,
    Points,
    above,
    clusters,
    floating,
    ground_object,
    ground_of,
    looked_from,
    reaches,
    set_on_ground,
    stood_on,
    together,
    unexplained,
)
from tamp.perception.tracking import (
    AROUND,
    ELSEWHERE,
    EXPLAINED,
    HandTracker,
    Track,
    at_pads,
    followed,
    held_as_seen,
    kept_apart,
    mistaken,
    sureness,
    track_of,
    with_joints_followed,
)
from tamp.perception.unknown_objects import NAME, SEEN, of_one_thing
from tamp.perception.unknown_tracking import UnknownTracker
from tamp.perception.visibility import Unseen, shown

ROBOT = "panda"
"""The entry in the library of the robot that is taken to be in the pictures, unless another skin is handed over."""
HALF_SEEN = 0.03
"""Metres from the skin up to which a point belongs to a thing of which only one side was seen."""
AT_HAND = 0.13
"""Metres around the tool in which nothing new is looked for while something is held."""
NEW = 150
"""Points of which something new has at least."""
MOST_LOTS = 50
"""Lots of points in which things are looked for at most: the smaller ones are unknown."""
PARTLY = 0.4
"""Share of new points that belong together which no known thing explains, from which on all of them are unknown."""
SURE = 0.75
"""Score from which something that was not there before is taken for a known thing."""
KNOWN_SPOT = 0.02
"""Metres within which an unknown lot of points is the one that was there before."""
BLUR = 0.004
"""Metres by which things may be off where they are seen."""


@dataclass(eq=False)
class CameraPerceiver:
    """Makes scenes from what `look` observes now, which must come with pictures. Refusal where nothing can be seen."""

    look: Callable[[], Observation]
    library: Library
    robot: RobotDescription
    seed: int = 0
    known: Sequence[Candidate] = ()
    """The library as candidates; made of it where they are not handed over, which takes a second."""
    skin: RobotSkin | None = None
    """What the robot looks like, where that is another one than the library's."""
    tracks: dict[str, Track] = field(default_factory=dict)
    hand: HandTracker = field(default_factory=HandTracker)
    unknown: list[Obstacle] = field(default_factory=list)
    ground: Ground | None = None
    _unseen: Unseen | None = None
    _unknown: UnknownTracker = field(default_factory=UnknownTracker)
    _looks: Sequence[Look] = ()
    """The last pictures."""
    _doubted: frozenset[str] = frozenset()
    """Things that are to be recognised anew at the next look."""

    def __post_init__(self) -> None:
        self._world = World(self.robot, [])
        self._known = list(self.known) or candidates(self.library.values())
        self._rng = np.random.default_rng(self.seed)
        self._skin = self.skin or self.library.robots[ROBOT]
        self._rig = Rig(self._skin.skins, self.robot.pinned_bodies)
        self._base = self._world.base_position()
        if self.skin is not None:
            self._base = looked_from(self._base, reaches_forward(self._world, self._skin.skins))

    def felt(self, observation: Observation) -> None:
        """Follow what the hand holds, in each control period."""
        robot = observation.robot
        things = [(t.name, t.placed) for t in self.tracks.values() if t.movable]
        self.hand.felt(robot, things, observation.asked)
        self._carry(robot)

    def perceive(self) -> Scene:
        """The scene now."""
        observation = self.look()
        robot = observation.robot
        bodies = link_poses(self._world, robot.q, robot.opening, self._skin.skins)
        self._looks = looks = self._rig.looks(observation.images, bodies)
        if self.ground is None:
            self._first(looks, observation.time)
        else:
            self._again(looks, observation)
        self._unseen = self._unseen or Unseen.of(self._level, self._base)
        self._unseen.saw(looks)
        return self._scene(observation)

    # For a search

    def hidden(self, scene: Scene) -> Array:
        """Places (n, 3) just above the ground that no picture has shown so far."""
        return self._unseen.hidden(scene) if self._unseen is not None else np.zeros((0, 3))

    def forget(self) -> None:
        """Take places for seen that the last pictures show, no longer those of earlier ones: something was moved."""
        if self._unseen is not None:
            self._unseen.forget()

    def shows(self, points: Array) -> Numbers:
        """Which of some points (n, 3) the last look shows, or sees through."""
        return shown(points, self._unseen.looks if self._unseen is not None else ())

    def reconsider(self, names: Iterable[str]) -> None:
        """Recognise some things anew at the next look, whatever they were taken for; only then."""
        self._doubted = frozenset(names)

    @property
    def _level(self) -> Ground:
        """The ground, after the first look."""
        assert self.ground is not None
        return self.ground

    # The first look

    def _first(self, looks: Sequence[Look], time: float) -> None:
        ground = ground_of(looks, self._base)
        if ground is None:
            raise Refusal("the cameras see no level surface within reach: no scene to work in", "nothing seen")
        self._rig.agree(looks, ground, self._base)
        self.ground = ground
        points = above(looks, ground, self._base)
        lots = clusters(points)
        tried = points if len(lots) <= MOST_LOTS else together(lots[:MOST_LOTS])
        found, left = recognised(tried, looks, ground, self._known, self._rng)
        left += lots[MOST_LOTS:]
        others = np.concatenate([np.zeros((0, 3)), *(c.p for c in left if len(c) >= NEW and reaches(c, ground))])
        up = floating([f.placed for f in found], ground.height, others)
        found = [f for f, floats in zip(found, up, strict=True) if not floats]
        self.ground = ground = stood_on(ground, [f.placed.lowest for f in found])
        for f in sorted(found, key=lambda f: tuple(f.placed.T_world_object[:2, 3].round(3))):
            self._begin(f, time)
        left = clusters(unexplained(points, (f.placed for f in found), EXPLAINED)) if any(up) else left
        for lot in of_one_thing(left):
            self._begin_unknown(lot, time)

    def _begin(self, found: Recognition, time: float) -> None:
        """Know of a thing from now on."""
        name = self._free_name(found.placed.model.thing.name)
        self.tracks[name] = self._supported(track_of(found, name, time))

    def _free_name(self, category: str, number: int = 1) -> str:
        """A name that no thing has, with this number or the next one that is free."""
        while f"{category}_{number}" in self.tracks:
            number += 1
        return f"{category}_{number}"

    def _begin_unknown(self, points: Points, time: float) -> None:
        """Know from now on of something that no model explains: a thing, or where it is large an obstacle."""
        if len(points) < NEW:
            return
        number = 1 + sum(t.placed.model.source == SEEN for t in self.tracks.values())
        name = self._free_name(NAME, number)
        track = self._unknown.begun(name, points, self._level, self._looks, time)
        if track is None:
            self.unknown.append(Obstacle.of(points, self._level))
        else:
            self.tracks[name] = track

    def _supported(self, track: Track) -> Track:
        others = [t.placed for n, t in self.tracks.items() if n != track.name and t.movable and not t.lost]
        return replace(track, placed=set_on_ground(track.placed, others, self._level)) if track.movable else track

    # Later looks

    def _again(self, looks: Sequence[Look], observation: Observation) -> None:
        self._rig.agree(looks, self._level, self._base)
        points = above(looks, self._level, self._base)
        self._carry(observation.robot)
        for name in sorted(self._doubted & self.tracks.keys()):
            self._reconsider(name, points, looks, observation.time)
        self._doubted = frozenset()
        self._hold_as_seen(points, looks, observation.robot)
        free = points.where(self._unexplained(points, moving=False))
        for name in [n for n, t in self.tracks.items() if t.placed.model.jointed]:
            self._follow_joints(name, points, looks, observation.time)
        before = {n: t for n, t in self.tracks.items() if t.movable and n != self.hand.held}
        for name in before:
            after = followed(self.tracks[name], free, looks, observation.time, self._rng)
            self.tracks[name] = self._supported(after) if after is not self.tracks[name] else after
        self.tracks |= kept_apart(before, {n: self.tracks[n] for n in before}, looks)
        others = {n: t for n, t in self.tracks.items() if n != self.hand.held}
        tool = observation.robot.T_world_tool[:3, 3]
        self._replaced(mistaken(others, free, tool, looks, observation.time), points, looks, observation.time)
        self.unknown = [u for u in self.unknown if not gone(u.points, looks)]
        rest = points.where(self._unexplained(points))
        if self.hand.held is not None:
            rest = rest.where(np.linalg.norm(rest.p - observation.robot.T_world_tool[:3, 3], axis=1) > AT_HAND)
        self._look_for_the_lost(rest, looks, observation.time)
        for lot in clusters(rest.where(self._unexplained(rest))):
            if len(lot) >= NEW:
                self._take_up(lot, looks, observation.time)

    def _reconsider(self, name: str, points: Points, looks: Sequence[Look], time: float) -> None:
        """Recognise a thing anew; where nothing is recognised there, what is unknown is modelled anew. One of another
        category has another name from now on."""
        best, model = self._anew(name, points, looks), self.tracks[name].placed.model
        if best is None:
            near = (self.tracks[name].placed.distance(points.p) < AROUND) & self._unexplained(points, but=name)
            self.tracks[name] = self._unknown.looked_at(self.tracks[name], points.where(near), self._level, looks, time)
        elif best.placed.model.thing.name == model.thing.name:
            self._found_again([name], best, time)
        else:
            del self.tracks[name]
            self._begin(best, time)

    def _anew(self, name: str, points: Points, looks: Sequence[Look]) -> Recognition | None:
        """What is recognised in all that is seen where a thing is; None where nothing is."""
        before = self.tracks[name]
        near = (before.placed.distance(points.p) < AROUND) & self._unexplained(points, but=name)
        found, _ = recognised(points.where(near), looks, self._level, self._known, self._rng)
        there = [f for f in found if before.placed.away(f.placed) < ELSEWHERE]
        return max(there, key=lambda f: f.score, default=None)

    def _replaced(self, names: Sequence[str], points: Points, looks: Sequence[Look], time: float) -> None:
        """Know of what is now where other things were: one of these others, it may be, or something new. What was there
        is lost."""
        anew = {name: self._anew(name, points, looks) for name in names}
        found = {name: f for name, f in anew.items() if f is not None}
        for name in found:
            self.tracks[name] = replace(self.tracks[name], lost=True)
        for name, f in found.items():
            mine = [n for n, t in self.tracks.items() if t.lost and t.placed.model is f.placed.model]
            if mine:
                self._found_again([name] if name in mine else mine, f, time)
            else:
                self._begin(f, time)

    def _carry(self, robot: RobotState) -> None:
        """What is held goes with the hand."""
        held = self.hand.held
        if held is not None and self.hand.T_tool_held is not None:
            T = robot.T_world_tool @ self.hand.T_tool_held
            self.tracks[held] = replace(self.tracks[held], placed=replace(self.tracks[held].placed, T_world_object=T))

    def _hold_as_seen(self, points: Points, looks: Sequence[Look], robot: RobotState) -> None:
        """Where in the hand what is held is, as far as it is seen: it may have turned or slipped."""
        held = self.hand.held
        if held is None:
            return
        free = points.where(self._unexplained(points, but=held))
        T = held_as_seen(self.tracks[held], free, looks, self._rng)
        self.hand.T_tool_held = inverse(robot.T_world_tool) @ T
        self._carry(robot)
        lost = sighting(self.tracks[held].placed, looks).past_it
        if lost or not at_pads(self.tracks[held].placed, robot):
            self.hand.was_wrong()
            self.tracks[held] = replace(self.tracks[held], lost=lost)

    def _follow_joints(self, name: str, points: Points, looks: Sequence[Look], time: float) -> None:
        """Where a thing's drawers, doors and knobs are now; what lies in a drawer has gone with it."""
        before = self.tracks[name]
        after = with_joints_followed(before, points, looks, time)
        self.tracks[name] = after
        thing = before.placed.as_object(name)
        for part in thing.parts:
            value = after.placed.joints.get(before.placed.model.thing.name + part.name.removeprefix(name))
            if part.joint is None or value is None or abs(value - part.joint.value) < 1e-6:
                continue
            D = part.joint.displacement(value)
            for region in (r for r in thing.regions if r.part == part.name):
                for other, t in self.tracks.items():
                    T = t.placed.T_world_object
                    if t.movable and other != self.hand.held and contains(region, T[:3, 3]):
                        self.tracks[other] = replace(t, placed=replace(t.placed, T_world_object=D @ T))

    def _unexplained(self, points: Points, moving: bool = True, but: str | None = None) -> Numbers:
        """Which points (n,) belong to nothing that is known; without `moving`, to nothing that stays where it is, and
        not counting the thing `but`."""
        out = np.ones(len(points), dtype=bool)
        for name, t in self.tracks.items():
            fixed = not t.movable or name == self.hand.held
            if (fixed or moving) and not t.lost and name != but:
                own = HALF_SEEN if t.placed.model.source == SEEN else EXPLAINED
                out[out] &= ~t.placed.explains(points.p[out], own)
        for u in self.unknown:
            out &= ~u.holds(points.p, KNOWN_SPOT)
        return out

    def _look_for_the_lost(self, points: Points, looks: Sequence[Look], time: float) -> None:
        lost = {n: t for n, t in self.tracks.items() if t.lost}
        if not lost:
            return
        models = {id(t.placed.model): t.placed.model for t in lost.values()}
        wanted = candidates(models.values(), lying=True)
        found, _ = recognised(points, looks, self._level, wanted, self._rng, there=True)
        for f in sorted(found, key=lambda f: -f.score):
            mine = [n for n, t in lost.items() if t.placed.model is f.placed.model]
            if mine:
                del lost[self._found_again(mine, f, time)]

    def _take_up(self, lot: Points, looks: Sequence[Look], time: float) -> None:
        """Take up new points that belong together: known things, or something unknown, of which they would be pieces
        if they explained little of it or were in the air."""
        again = self._unknown.turned_up(list(self.tracks.values()), lot, self._level, looks, time)
        if again is not None:
            self.tracks[again.name] = again
            return
        found, _ = recognised(lot, looks, self._level, self._known, self._rng)
        sure = [f for f in found if f.score > SURE and f.placed.model.thing.movable]
        there = [t.placed for n, t in self.tracks.items() if not t.lost and n != self.hand.held]
        nothing = np.zeros((0, 3))
        up = floating([*(f.placed for f in sure), *there], self._level.stands, nothing)
        sure = [f for f, floats in zip(sure, up, strict=False) if not floats]
        left = unexplained(lot, (f.placed for f in sure), EXPLAINED)
        if len(left) > PARTLY * len(lot):
            sure, left = [], lot
        for f in sorted(sure, key=lambda f: -f.score):
            of_it = (n for n, t in self.tracks.items() if t.movable and t.placed.model.category == f.category)
            unseen = [n for n in of_it if n != self.hand.held and self.tracks[n].time < time]
            if unseen:  # one that is not seen where it was, and turns up elsewhere, has moved there
                self._found_again(unseen, f, time)
            else:
                self._begin(f, time)
        for c in of_one_thing(clusters(left)):
            self._begin_unknown(c, time)

    def _found_again(self, names: Sequence[str], found: Recognition, time: float) -> str:
        """Say of the nearest of some things that it is where something was found; its name."""
        name = min(names, key=lambda n: self.tracks[n].placed.away(found.placed))
        self.tracks[name] = self._supported(track_of(found, name, time))
        self._unknown.observed.pop(name, None)
        return name

    # The scene

    def _scene(self, observation: Observation) -> Scene:
        things = [t.placed.as_object(t.name) for t in self.tracks.values() if not t.lost]
        boxes = [u.as_object(f"{OBSTACLE}{i}") for i, u in enumerate(self.unknown, 1)]
        confidence = sureness(list(self.tracks.values()), self._known)
        held = (self.hand.held,) if self.hand.held is not None else ()
        everything = (*things, *boxes, ground_object(self._level))
        unknown = tuple(t.name for t in self.tracks.values() if t.placed.model.source == SEEN and not t.lost)
        return Scene(everything, observation.robot, observation.time, confidence, held, BLUR, unknown)
