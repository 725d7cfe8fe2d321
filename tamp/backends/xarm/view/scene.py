"""What there is to draw of an arm and its world. Metres and radians, in the frame of the arm's base."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from motion.arms import Arm
from motion.poses import Array, to_quat
from tamp.backends.xarm.view.words import Seen
from tamp.backends.xarm.workcell import Workcell
from tamp.runs.pages.fields import Point
from tamp.runs.robot_shape import DrawnRobot, robots_of
from tamp.view.state import Placed, corner_box

SEEN_HALF = 0.015
"""Metres from the middle of what was seen to the sides of its box: a detector says no size."""


def robot_of(cell: Workcell) -> tuple[DrawnRobot, ...]:
    """The arm with its tool, as the collision checks have them."""
    T = cell.T_flange_tool
    tool = [float(v) for v in (*T[:3, 3], *to_quat(T[:3, :3]))]
    return robots_of([{"event": "world", "arm": cell.arm.name, "tool": tool}])


def things_of(cell: Workcell) -> dict[str, Placed]:
    """What stands still: the workspace, the boxes that are kept out of, named poses and cameras."""
    found: dict[str, Placed] = {}
    _add(found, "workspace", _box("workspace", cell.workspace.low, cell.workspace.high))
    for box in cell.keep_out:
        _add(found, box.name, _box("keep out", box.low, box.high))
    for pose in cell.poses.values():
        _add(found, pose.name, Placed("pose", None, pose.T_base_tool, pose.T_base_tool))
    for name, T_base_camera in cell.cameras.items():
        _add(found, name, Placed("camera", None, T_base_camera, T_base_camera))
    return found


def with_seen(things: Mapping[str, Placed], seen: Iterable[Seen]) -> dict[str, Placed]:
    """The same things, and what a detector sees."""
    found = dict(things)
    for thing in seen:
        placed = _box("seen, old" if thing.old else "seen", thing.p_base - SEEN_HALF, thing.p_base + SEEN_HALF)
        _add(found, thing.label, placed, thing.sure)
    return found


def extent_of(cell: Workcell) -> list[Point]:
    """Points between which everything is: the base, the corners of all boxes, the cameras."""
    boxes = (cell.workspace, *cell.keep_out)
    points = [np.zeros(3), *(p for b in boxes for p in (b.low, b.high)), *(T[:3, 3] for T in cell.cameras.values())]
    return [_point(p) for p in points]


def tool_pose(arm: Arm, T_flange_tool: Array, q: Array) -> Array:
    """`T_base_tool` (4, 4) at a configuration (n,)."""
    return np.asarray(arm.forward(q) @ T_flange_tool)


def _add(found: dict[str, Placed], name: str, placed: Placed, note: str = "") -> None:
    """By its name, or the next that is free: a world and its detector may use one for several things."""
    free, number = name, 1
    while free in found:
        number += 1
        free = f"{name} {number}"
    found[free] = Placed(placed.category, placed.corners, placed.T_first, placed.T_last, note=note)


def _box(category: str, low: Array, high: Array) -> Placed:
    T = np.eye(4)
    T[:3, 3] = (low + high) / 2
    return Placed(category, corner_box(_point(low), _point(high)), T, T)


def _point(p: Array) -> Point:
    return (float(p[0]), float(p[1]), float(p[2]))
