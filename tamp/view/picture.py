"""What the 3-D view of a page is drawn from, as its script reads it (templates/space.js)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from motion.poses import pose
from motion.robot_shape import Solid
from tamp.model.scene import Part
from tamp.view.drawn_robot import links_of, rows_of, solids_data
from tamp.view.scene_tracks import TrackedThing, Tracks

T = TypeVar("T")

MOST_POINTS, MOST_PLACES = 4000, 2000
"""Points of a path and places of a thing: more cannot be seen on a page."""


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
