"""Convex collision shapes, the only geometry that grasps, placements and paths look at."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from motion.poses import Array, pose

Kind = Literal["box", "cylinder", "sphere", "capsule", "plane"]

SAME = 1e-4
"""Metres, or component of a direction, up to which two shapes are the same."""
_SIGNS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


@dataclass(frozen=True, eq=False)
class Shape:
    """A convex shape fixed to a body.

    `size` (3,) is in MuJoCo's meaning: box half-extents; cylinder and capsule [radius, half-length, 0];
    sphere [radius, 0, 0]; plane half-sizes. `T_body_shape` (4, 4) places it on its body.
    """

    kind: Kind
    size: Array
    T_body_shape: Array

    @property
    def half_extent(self) -> Array:
        """Half-extents (3,) of the box around the shape, in the shape's own axes, metres."""
        r = float(self.size[0])
        match self.kind:
            case "box":
                return np.asarray(self.size, dtype=float)
            case "sphere":
                return np.full(3, r)
            case "cylinder":
                return np.array([r, r, self.size[1]])
            case "capsule":
                return np.array([r, r, self.size[1] + r])
            case _:
                return np.array([self.size[0], self.size[1], 0.0])

    def corners(self) -> Array:
        """Corners (8, 3), in the body's frame, of the box around the shape."""
        local = _SIGNS * self.half_extent
        return np.asarray(local @ self.T_body_shape[:3, :3].T + self.T_body_shape[:3, 3])


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body of the world: a name, shapes, and where it is (`T_world_body`, 4x4)."""

    name: str
    shapes: tuple[Shape, ...]
    T_world_body: Array

    @property
    def is_ground(self) -> bool:
        """Whether the body holds a plane and therefore never moves."""
        return any(s.kind == "plane" for s in self.shapes)

    def same_shapes(self, other: Body) -> bool:
        """Whether the shapes are the same, wherever the bodies are."""
        if self.shapes is other.shapes:
            return True
        if [s.kind for s in self.shapes] != [s.kind for s in other.shapes]:
            return False
        pairs = [(a, b) for a, b in zip(self.shapes, other.shapes, strict=True) if a is not b]
        off = [np.abs(np.subtract(a.size, b.size)).max() for a, b in pairs]
        off += [np.abs(a.T_body_shape - b.T_body_shape).max() for a, b in pairs]
        return max(off, default=0.0) < SAME


def bounds(shapes: tuple[Shape, ...], T_frame_body: Array) -> tuple[Array, Array]:
    """Lower and upper corner (3,), (3,) of the axis-aligned box of `shapes` seen in a frame."""
    points = _corners(shapes) @ T_frame_body[:3, :3].T + T_frame_body[:3, 3]
    return points.min(axis=0), points.max(axis=0)


@lru_cache(maxsize=1024)
def _corners(shapes: tuple[Shape, ...]) -> Array:
    return np.concatenate([s.corners() for s in shapes])


def fitted(points: Array, axes: Iterable[Array]) -> Shape:
    """The smallest box or cylinder around points (n, 3) along the axes of one of some frames, each a rotation
    (3, 3)."""

    def volume(shape: Shape) -> float:
        a, b, c = shape.size
        return float(8.0 * a * b * c if shape.kind == "box" else 2.0 * np.pi * a**2 * b)

    return min((s for R in axes for s in _around(points, R)), key=volume)


def _around(points: Array, R: Array) -> Iterator[Shape]:
    local = points @ R
    low, high = local.min(axis=0), local.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    yield Shape("box", np.maximum(half, 1e-4), pose(R @ middle, R))
    for axis in range(3):
        across = [i for i in range(3) if i != axis]
        radius = float(np.linalg.norm(local[:, across] - middle[across], axis=1).max())
        turn = np.roll(np.eye(3), -axis - 1, axis=1)  # z goes along that axis
        yield Shape("cylinder", np.array([radius, half[axis], 0.0]), pose(R @ middle, R @ turn))
