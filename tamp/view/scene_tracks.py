"""Where the robot and the things of a log were, control period by control period, and what the 3-D view of a page is
drawn from, as its script reads it (templates/space.js)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from motion.poses import Array, inverse, moved, pose
from motion.robot_shape import Solid, solids_of
from tamp.model.scene import Part
from tamp.runs.moving_parts import parts_of, values_of
from tamp.view.drawn_robot import DrawnRobot, links_of, robot_of, rows_of, solids_data
from tamp.view.log_fields import Event, Point, names, point, pose_in, table, words

T = TypeVar("T")

LOOKS = ("scene", "look", "state", "final")
"""Events with the places of things."""
PERIODS = ("command", "at")
"""Events of a control period: what was commanded, or where an arm was that runs a plan."""
WIDE = 1.5
"""Metres: wider things are tables or floors."""
MOVED = 0.001
"""Metres that make another place, and radians another angle."""
MOST_POINTS, MOST_PLACES = 4000, 2000
"""Points of a path and places of a thing: more cannot be seen on a page."""
NEAR = 0.06
"""Metres from the box around a thing within which fingers that move close on it."""

Box = tuple[Point, Point]
"""Two opposite corners of a box along the world's axes, the lower one first."""


@dataclass(eq=False)
class TrackedThing:
    """Something in the scene. `poses` are `T_world_thing` (4, 4), each with the control period from which on, `values`
    those of its joints by the end of their part's name, metres or radians. `corners` (8, 3) are those of the box around
    it, in its own frame, None where the log does not say how large it is. `parts` are its pieces where any of them
    moves. `note` is shown with it."""

    name: str
    category: str
    poses: list[tuple[int, Array]]
    corners: Array | None = None
    parts: tuple[Part, ...] = ()
    values: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    note: str = ""
    _solids: dict[str, tuple[Solid, ...]] = field(default_factory=dict)

    def pose(self, period: int | None = None) -> Array:
        """Where it is, or was in a control period; as at first, before it was seen."""
        return _at(self.poses, period)

    def value(self, part: Part, period: int | None = None) -> float:
        """What the joint of a part is at, metres or radians; 0 without a joint."""
        described = 0.0 if part.joint is None else part.joint.value
        return _at(self.values.get(part.name) or [(0, described)], period)

    def solids(self, part: Part) -> tuple[Solid, ...]:
        """The solids of a part, in the frame of the thing, where its joint is as it was described."""
        if part.name not in self._solids:
            self._solids[part.name] = solids_of(part.shapes)
        return self._solids[part.name]

    def place(self, period: int | None = None) -> Point:
        """Its position, metres in the world frame."""
        x, y, z = (round(float(v), 4) for v in self.pose(period)[:3, 3])
        return x, y, z

    def bounds(self, period: int | None = None) -> Box | None:
        """The box around it, with its parts as they are then."""
        T_world_thing = self.pose(period)
        clouds = []
        for p in self.parts:
            T_thing_part = np.eye(4) if p.joint is None else p.joint.displacement(self.value(p, period))
            clouds += [moved(solid.points, T_world_thing @ T_thing_part) for solid in self.solids(p)]
        if not clouds and self.corners is not None:
            clouds = [moved(self.corners, T_world_thing)]
        if not clouds:
            return None
        low, high = (of(np.concatenate(clouds), axis=0).round(4).tolist() for of in (np.min, np.max))
        return (low[0], low[1], low[2]), (high[0], high[1], high[2])

    @property
    def ground(self) -> bool:
        """Whether it is a floor or a table."""
        if any(word in self.category for word in ("table", "floor")):
            return True
        size = None if self.corners is None else np.ptp(self.corners, axis=0)
        return size is not None and min(size[:2]) > WIDE


@dataclass(eq=False)
class Tracks:
    """The robot and the things of a log so far. `felt` are its joint values and finger width, by control period, `path`
    where its tool was, metres in the world frame.

    What fingers close on is carried by the tool until they move again, or until it is not seen to be held: `_carried`
    are the thing, and where the tool and the thing were then.
    """

    robot: DrawnRobot | None = None
    things: dict[str, TrackedThing] = field(default_factory=dict)
    felt: list[tuple[int, tuple[float, ...]]] = field(default_factory=list)
    path: list[tuple[int, Point]] = field(default_factory=list)
    _stage: str = ""
    _action: str = ""
    _carried: tuple[TrackedThing, Point, Array] | None = None
    _seen_as: dict[str, str] = field(default_factory=dict)

    def add(self, e: Event, period: int) -> None:
        """Take one more event, of a control period."""
        kind = e["event"]
        if kind in ("robot", "start", "world"):
            self.robot = robot_of(e) or self.robot
        elif kind == "action":
            self._action = words(e, "action")
        elif kind in (*PERIODS, "begin"):
            self._move(e, period)
        elif kind == "matched":  # by cameras things have names of their own, and the log ends with the simulator's
            self._seen_as = {real: seen for seen, real in table(e, "names").items() if isinstance(real, str)}
        if kind in LOOKS:
            self._look(e, period)

    def tool(self, period: int | None = None) -> Point | None:
        """Where the tool is, or was in a control period."""
        return _at(self.path, period) if self.path and (period is None or self.path[0][0] <= period) else None

    def _move(self, e: Event, period: int) -> None:
        if self.robot is not None and (felt := self.robot.configuration(e)) is not None:
            q, opening = felt
            _record(self.felt, period, (*(round(float(v), 4) for v in q), round(opening, 4)))
        tool = point(e.get("tool"))
        if tool is None and self.robot is not None and (found := self.robot.tool(e)) is not None:
            tool = point(found.tolist())
        if tool is None:
            return
        _record(self.path, period, tool)
        if (carried := self._carried) is not None:
            thing, p_world_tool, T_world_thing = carried
            T_world_thing = T_world_thing.copy()
            T_world_thing[:3, 3] += np.subtract(tool, p_world_tool)
            _record(thing.poses, period, T_world_thing)
        before, self._stage = self._stage, words(e, "stage")
        if self._stage == "grip" != before:
            self._carried = self._grasp(tool) if self._carried is None else None

    def _grasp(self, tool: Point) -> tuple[TrackedThing, Point, Array] | None:
        """What the action is about, if the tool is there when the fingers begin to move."""
        for name in self._action.strip("()").split()[1:]:
            thing = self.things.get(name)
            if thing is not None and not thing.ground and _near(thing, tool):
                return thing, tool, thing.pose()
        return None

    def _look(self, e: Event, period: int) -> None:
        called = self._seen_as if e["event"] == "final" else {}
        if isinstance(e.get("atoms"), list):
            self._hold({a[9:-1].strip() for a in names(e, "atoms") if a.startswith("(holding ")})
        if e.get("whole") is True:
            self.things = {}
        parts, boxes, kinds, notes = parts_of(e), table(e, "boxes"), table(e, "objects"), table(e, "notes")
        for label, at in table(e, "poses").items():
            name, T_world_thing = called.get(label, label), pose_in(at)
            if T_world_thing is None:
                continue
            thing = self.things.setdefault(name, TrackedThing(name, "", [(period, T_world_thing)]))
            thing.category = words(kinds, label) or thing.category
            thing.note = words(notes, label)
            thing.parts = thing.parts or parts.get(label, ())
            if thing.corners is None and (box := _corners(boxes.get(label))) is not None:
                thing.corners = moved(box, inverse(T_world_thing))
            if self._carried is None or self._carried[0] is not thing:
                _record(thing.poses, period, T_world_thing)
        for label, values in values_of(e).items():
            if (known := self.things.get(called.get(label, label))) is not None:
                for end, value in values.items():
                    _record(known.values.setdefault(end, []), period, value)

    def _hold(self, held: set[str]) -> None:
        """These things are seen to be held."""
        if self._carried is not None and self._carried[0].name not in held:
            self._carried = None
        tool = self.tool()
        for name in sorted(held & self.things.keys()):
            if self._carried is None and tool is not None:
                self._carried = self.things[name], tool, self.things[name].pose()


def _near(thing: TrackedThing, tool: Point) -> bool:
    place = thing.place()
    low, high = thing.bounds() or (place, place)
    return float(np.linalg.norm(np.maximum(0.0, np.maximum(np.subtract(low, tool), np.subtract(tool, high))))) < NEAR


def _at(track: Sequence[tuple[int, T]], period: int | None) -> T:
    if period is None:
        return track[-1][1]
    return next((value for since, value in reversed(track) if since <= period), track[0][1])


def _record(track: list[Any], period: int, value: Any) -> None:
    """Note a place or a joint value where it is another one than before."""
    if track and float(np.max(np.abs(np.subtract(track[-1][1], value)))) <= MOVED:
        return
    if track and track[-1][0] == period:
        track[-1] = (period, value)
    else:
        track.append((period, value))


def _corners(box: Any) -> Array | None:
    """The corners (8, 3) of a box in a log: bit k of a corner's number says whether it is at the upper end of axis
    k."""
    if not isinstance(box, list) or len(box) != 2:
        return None
    low, high = map(point, box)
    if low is None or high is None:
        return None
    return np.array([[(high if n >> k & 1 else low)[k] for k in range(3)] for n in range(8)])


def drawn(tracks: Tracks) -> list[TrackedThing]:
    """The things that are drawn: tables and floors are not."""
    return [t for t in tracks.things.values() if not t.ground]


def scene_of(tracks: Tracks) -> dict[str, Any]:
    """The robot, or None, and the things: `rest` are values that it is drawn with before any are known, or None;
    `corners` are those of a thing's box in its own frame; `floor` is the height of the grid, metres."""
    robot = tracks.robot
    grounds = [box[1][2] for t in tracks.things.values() if t.ground and (box := t.bounds(0))]
    lows = [box[0][2] for t in drawn(tracks) if (box := t.bounds(0))]
    return {
        "links": [] if robot is None else links_of(robot.shape),
        "rest": None if robot is None or robot.posture is None else [*robot.posture.round(4).tolist(), 0.0],
        "things": [
            {
                "name": t.name,
                "kind": t.category,
                "corners": None if t.corners is None else t.corners.round(4).tolist(),
                "parts": [_part(t, p) for p in t.parts],
            }
            for t in drawn(tracks)
        ],
        "floor": grounds[0] if grounds else min(lows, default=None),
    }


def _part(thing: TrackedThing, part: Part) -> dict[str, Any]:
    """`at` leads from where its joint turns to the frame of the thing, and `solids` are in the frame of that."""
    joint = part.joint
    anchor = np.zeros(3) if joint is None else joint.anchor_world
    return {
        "at": rows_of(pose(anchor)),
        "joint": None if joint is None else {"kind": joint.kind, "axis": joint.axis_world.round(5).tolist()},
        "solids": solids_data([Solid(s.points - anchor, s.faces) for s in thing.solids(part)]),
    }


def state_of(tracks: Tracks) -> dict[str, Any]:
    """How it is now: the robot's values, of each thing its place and how far its joints are from where they were
    described, and where the tool is."""
    return {
        "values": tracks.felt[-1][1] if tracks.felt else None,
        "things": [{"at": rows_of(t.pose()), "by": [_by(p, t.value(p)) for p in t.parts]} for t in drawn(tracks)],
        "tool": tracks.tool(),
    }


def history_of(tracks: Tracks) -> dict[str, Any]:
    """The same in each control period since which it was so, and the path of the tool."""
    return {
        "values": _thinned(tracks.felt, MOST_POINTS),
        "things": [
            {
                "at": [(since, rows_of(T)) for since, T in _thinned(t.poses, MOST_PLACES)],
                "by": [_moves(t, p) for p in t.parts],
            }
            for t in drawn(tracks)
        ],
        "path": _thinned(tracks.path, MOST_POINTS),
    }


def _moves(thing: TrackedThing, part: Part) -> list[tuple[int, float]]:
    known = _thinned(thing.values.get(part.name, []), MOST_PLACES)
    return [(since, _by(part, value)) for since, value in known] or [(0, 0.0)]


def _by(part: Part, value: float) -> float:
    return 0.0 if part.joint is None else round(value - part.joint.value, 4)


def _thinned(track: Sequence[T], most: int) -> list[T]:
    """At most about so many entries, the last one among them."""
    every = max(1, -(-len(track) // most))
    return [entry for n, entry in enumerate(track) if n % every == 0 or n == len(track) - 1]
