"""What a robot looks like, coarsely: convex solids on its links, where these are at a configuration, and its hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from motion.poses import Array, inverse, joint_transform, moved
from motion.robot import RobotDescription
from motion.robot_parts import Hull, RigidPart, joints_above, parts_of
from motion.shapes import Shape
from motion.world import World

TOLERANCE = 0.003
"""Metres that a link may stick out of its solid."""
AROUND = 12
"""Corners that stand for a circle."""
_DIAGONALS = np.array([[1, 1, 1], [-1, -1, 1], [-1, 1, -1], [1, -1, -1]])

Faces = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Solid:
    """A convex solid: `points` (n, 3) in metres, and `faces` (m, 3) of three of them each, counter-clockwise as seen
    from outside. All zero-sized arrays for what is flat."""

    points: Array
    faces: Faces


@dataclass(frozen=True, eq=False)
class RobotShape:
    """A robot as rigid links. `parts` are parents first, `arm_joints` and `finger_joints` names of their joints, and
    `T_world_root` (4, 4) leads what the description has at the world's origin."""

    parts: tuple[RigidPart, ...]
    arm_joints: tuple[str, ...]
    finger_joints: tuple[str, ...]
    T_world_root: Array

    @classmethod
    def of(cls, robot: RobotDescription) -> RobotShape:
        """The shape of a robot where its description has it. Takes as long as compiling its model, 50 ms for one with
        meshes."""
        return cls(parts_of(robot), robot.arm_joints, robot.finger_joints, np.eye(4))

    @cached_property
    def links(self) -> tuple[str, ...]:
        """The links that take up room, parents first: those that `solids` are of."""
        return tuple(p.name for p in self.parts if p.solids)

    @cached_property
    def solids(self) -> tuple[tuple[Solid, ...], ...]:
        """The solids of each link, in the link's frame."""
        return tuple(solids_of(p.solids.values()) for p in self.parts if p.solids)

    def shoulder(self) -> Array:
        """`T_world_shoulder` (4, 4): the frame of the arm's first joint, as it is at zero."""
        part = next(p for p in self.parts if p.joint is not None and p.joint.name == self.arm_joints[0])
        return self.part_frames(np.zeros(len(self.arm_joints)), 0.0)[part.name]

    def frame(self, part: str, q: Sequence[float] | Array) -> Array:
        """`T_world_part` (4, 4) of a part, whether it takes up room or not, at a configuration (rad). KeyError for one
        that there is not."""
        return self.part_frames(q, 0.0)[part]

    def with_shoulder_at(self, T_world_shoulder: Array) -> RobotShape:
        """The same robot, standing so that its first joint is there."""
        moves = T_world_shoulder @ np.linalg.inv(self.shoulder())
        return replace(self, T_world_root=moves @ self.T_world_root)

    def part_frames(self, q: Sequence[float] | Array, opening: float) -> dict[str, Array]:
        """`T_world_part` (4, 4) of every part, by its name, at a configuration (rad), the fingers `opening` metres
        apart."""
        values = dict(zip(self.arm_joints, map(float, q), strict=True))
        found: dict[str, Array] = {}
        for part in self.parts:
            T = (found[part.parent] if part.parent else self.T_world_root) @ part.T_parent_part
            if part.joint is not None:
                low, high = part.joint.limits or (0.0, 0.0)
                apart = np.copysign(opening / 2, low + high) if part.joint.name in self.finger_joints else 0.0
                value = values.get(part.joint.name, float(apart))
                T = T @ joint_transform(part.joint.kind, part.joint.axis, np.zeros(3), value)
            found[part.name] = T
        return found


def solids_of(shapes: Iterable[Shape | Hull]) -> tuple[Solid, ...]:
    """Solids that stand for shapes, in the frame of their body; none for what is flat."""
    return tuple(made for of in shapes if len((made := solid(_fewer(_corners(of)))).faces))


def solid(points: Array) -> Solid:
    """The convex solid around points (n, 3)."""
    try:
        hull = ConvexHull(points)
    except QhullError:
        return Solid(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.intp))
    number = np.zeros(len(points), dtype=np.intp)
    number[hull.vertices] = np.arange(len(hull.vertices))
    a, b, c = (points[hull.simplices[:, k]] for k in range(3))
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    faces = np.where(inwards[:, None], hull.simplices[:, ::-1], hull.simplices)
    return Solid(points[hull.vertices], number[faces])


def _fewer(points: Array) -> Array:
    """Those of some points whose hull is within `TOLERANCE` of all of them: the farthest along each axis, then again
    and again the farthest before each face."""
    chosen = np.unique([np.argmax(points, axis=0), np.argmin(points, axis=0)])
    chosen = np.union1d(chosen, [np.argmax(points @ v) for v in _DIAGONALS])
    while True:
        try:
            faces = ConvexHull(points[chosen]).equations
        except QhullError:
            return points
        before = points @ faces[:, :3].T + faces[:, 3]
        farthest = np.argmax(before, axis=0)[before.max(axis=0) > TOLERANCE]
        if not len(farthest):
            return np.asarray(points[chosen])
        chosen = np.union1d(chosen, farthest)


def _corners(of: Shape | Hull) -> Array:
    """Points (n, 3) whose hull stands for a solid."""
    if isinstance(of, Hull):
        return of.points
    if of.kind == "box":
        return of.corners()
    radius, half = float(of.size[0]), 0.0 if of.kind == "sphere" else float(of.size[1])
    angles = np.deg2rad([45.0, 90.0] if of.kind != "cylinder" else [])
    rings = [(radius, half), *((radius * np.cos(a), half + radius * np.sin(a)) for a in angles)]  # of a round end
    turn = np.linspace(0.0, 2 * np.pi, AROUND, endpoint=False)
    local = [[r * np.cos(a), r * np.sin(a), side * z] for r, z in rings for side in (-1.0, 1.0) for a in turn]
    return moved(np.array(local), of.T_body_shape)


def survey(robot: RobotDescription) -> dict[str, Any]:
    """A robot with two fingers at its posture, the hand open, its base where the description has it: `T_base_tool`
    (4, 4); boxes (2, 3), lower and upper corner, in the tool's frame, around the `pads`, the `fingers` and the `palm`,
    which is all that the last joint of the arm carries without them; `limits` (n, 2) of the arm's joints; how many
    pairs of shapes must not touch, `watched`; `kilograms` of all that moves."""
    world, shape = World(robot, []), RobotShape.of(robot)
    T_base_tool = world.forward(robot.posture)
    frames = shape.part_frames(robot.posture, robot.gripper.opening)
    parts = {p.name: p for p in shape.parts}
    above = {name: joints_above(parts, name) for name in parts}

    def box(names: Iterable[str], solids: tuple[str, ...] = ()) -> Array:
        clouds = [moved(parts[n].corners(*solids), inverse(T_base_tool) @ frames[n]) for n in names]
        points = np.concatenate([np.zeros((0, 3)), *clouds])
        return np.array([points.min(axis=0), points.max(axis=0)]) if len(points) else np.full((2, 3), np.nan)

    fingers = [name for name, joints in above.items() if any(j in robot.finger_joints for j in joints)]
    hand = [name for name, joints in above.items() if robot.arm_joints[-1] in joints]
    return {
        "T_base_tool": T_base_tool,
        "pads": box(fingers, robot.pad_geoms),
        "fingers": box(fingers),
        "palm": box(name for name in hand if name not in fingers),
        "limits": world.limits,
        "watched": int(world.model.npair),
        "kilograms": sum(p.mass for p in shape.parts if above[p.name]),
    }
