"""What there is to draw of an arm and its world, without saying how: solids of the links, boxes, frames, and where to
look from. Metres and radians, in the frame of the arm's base."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from motion.arm_shape import capsules
from motion.arms import Arm
from motion.poses import Array, joint_transform
from tamp.backends.xarm.ways import tool_of
from tamp.backends.xarm.workcell import Box, Workcell

TABLE_THICK, TABLE_MARGIN, BASE_REACH = 0.03, 0.1, 0.2
"""Metres of the table's top, of it beyond the workspace, and of what is drawn around the base."""
FIELD = math.radians(40)
"""Of view, top to bottom."""
ROOM = 1.1
"""How much farther away the eye is than it must be."""
_FROM = np.array([0.95, -0.9, 0.8])

Kind = Literal["table", "workspace", "keep_out"]


@dataclass(frozen=True, eq=False)
class Rod:
    """A capsule: a segment (two points (3,), in the frame of a part of the arm) and its radius. `part` 0 is the base,
    1 what the first joint turns, …; the tool is the flange's."""

    part: int
    p: Array
    q: Array
    radius: float
    tool: bool = False


@dataclass(frozen=True, eq=False)
class Block:
    """A box along the axes of the base frame."""

    name: str
    kind: Kind
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class Mark:
    """A frame with a name."""

    name: str
    T_base_mark: Array


@dataclass(frozen=True, eq=False)
class Scene:
    """A world to draw. `eye` (3,) is where to look from at first, `middle` (3,) where to."""

    arm: Arm
    T_flange_tool: Array
    rods: tuple[Rod, ...]
    blocks: tuple[Block, ...]
    poses: tuple[Mark, ...]
    cameras: tuple[Mark, ...]
    eye: Array
    middle: Array


def scene_of(cell: Workcell) -> Scene:
    """What there is to draw of a world."""
    blocks = [Block("workspace", "workspace", cell.workspace.low, cell.workspace.high)]
    blocks += [Block(b.name, "keep_out", b.low, b.high) for b in cell.keep_out]
    if cell.table is not None:
        blocks.append(_table(cell.workspace, cell.table))
    cameras = tuple(Mark(name, T) for name, T in cell.cameras.items())
    eye, middle = _view(blocks, cameras)
    return Scene(
        arm=cell.arm,
        T_flange_tool=cell.T_flange_tool,
        rods=rods(cell.arm, cell.T_flange_tool),
        blocks=tuple(blocks),
        poses=tuple(Mark(pose.name, pose.T_base_tool) for pose in cell.poses.values()),
        cameras=cameras,
        eye=eye,
        middle=middle,
    )


def rods(arm: Arm, T_flange_tool: Array) -> tuple[Rod, ...]:
    """The capsules that the collision checks use, of the arm and of its tool."""
    found = [Rod(c.link, c.p, c.q, c.radius) for c in capsules(arm)]
    if np.linalg.norm(T_flange_tool[:3, 3]) > 0:
        shape = tool_of(T_flange_tool).shape
        T_part_shape = arm.step(arm.joints - 1, 0.0) @ shape.T_body_shape
        half = T_part_shape[:3, 2] * shape.size[1]
        middle = T_part_shape[:3, 3]
        found.append(Rod(arm.joints, middle - half, middle + half, float(shape.size[0]), tool=True))
    return tuple(found)


def parts(arm: Arm, q: Array) -> Array:
    """`T_base_part` (n + 1, 4, 4) at a configuration (n,): the base, and what each joint turns."""
    T = arm.frames(q)
    z, origin = np.array([0.0, 0.0, 1.0]), np.zeros(3)
    turned = [T[i] @ joint_transform("hinge", z, origin, float(angle)) for i, angle in enumerate(q)]
    return np.array([T[0], *turned])


def tool_pose(arm: Arm, T_flange_tool: Array, q: Array) -> Array:
    """`T_base_tool` (4, 4) at a configuration (n,)."""
    return np.asarray(arm.forward(q) @ T_flange_tool)


def _table(workspace: Box, height: float) -> Block:
    """The table's top. A world says only how high it is: it is drawn under the workspace and, where the arm does not
    stand lower, under its base."""
    low, high = workspace.low[:2] - TABLE_MARGIN, workspace.high[:2] + TABLE_MARGIN
    if height <= 0:
        low, high = np.minimum(low, -BASE_REACH), np.maximum(high, BASE_REACH)
    return Block("table", "table", np.array([*low, height - TABLE_THICK]), np.array([*high, height]))


def _view(blocks: list[Block], cameras: tuple[Mark, ...]) -> tuple[Array, Array]:
    """An eye that has everything in its field, in front and to the right of the arm, and what it looks at."""
    corners = [p for b in blocks for p in itertools.product(*np.stack([b.low, b.high], axis=1))]
    points = np.array([np.zeros(3), *corners, *(camera.T_base_mark[:3, 3] for camera in cameras)])
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    back = _FROM / np.linalg.norm(_FROM)
    right = np.array([-back[1], back[0], 0.0]) / np.hypot(back[0], back[1])
    beside, above, nearer = ((points - middle) @ axis for axis in (right, np.cross(back, right), back))
    distance = np.max(np.maximum(np.abs(beside), np.abs(above)) / math.tan(FIELD / 2) + nearer)
    return middle + back * distance * ROOM, middle
