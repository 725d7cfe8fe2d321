"""Simple solids as things of the object library: points on them, skins, shapes, meshes."""

from __future__ import annotations

import numpy as np

from motion.poses import Array, pose, rotation_about
from motion.shapes import Shape
from tamp.model.scene import Part, SceneObject
from tamp.perception.modelling import skin_of
from tamp.perception.object_model import Skin

UP = np.array([0.0, 0.0, 1.0])


def prism(outline: Array, height: float, spacing: float = 0.0015) -> tuple[Array, Array]:
    """Points (n, 3) on a prism that stands on z = 0, and normals (n, 3). `outline` (k, 2) is convex."""
    points, normals = [], []
    up = np.arange(0.0, height, spacing)
    for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        along = np.linspace(0.0, 1.0, max(2, int(np.linalg.norm(b - a) / spacing)), endpoint=False)
        edge = a + along[:, None] * (b - a)
        points.append(np.column_stack([np.repeat(edge, len(up), axis=0), np.tile(up, len(edge))]))
        n = np.array([b[1] - a[1], a[0] - b[0], 0.0])
        normals.append(np.tile(n / np.linalg.norm(n), (len(points[-1]), 1)))
    low, high = outline.min(axis=0), outline.max(axis=0)
    grid = np.stack(np.meshgrid(*[np.arange(p, q, spacing) for p, q in zip(low, high, strict=True)]), -1).reshape(-1, 2)
    flat = _within(grid, outline)
    for z, direction in ((0.0, -1.0), (height, 1.0)):
        points.append(np.column_stack([flat, np.full(len(flat), z)]))
        normals.append(np.tile([0.0, 0.0, direction], (len(flat), 1)))
    return np.concatenate(points), np.concatenate(normals)


def _within(grid: Array, outline: Array) -> Array:
    ok = np.ones(len(grid), dtype=bool)
    for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        ok &= (b[0] - a[0]) * (grid[:, 1] - a[1]) - (b[1] - a[1]) * (grid[:, 0] - a[0]) >= 0
    return grid[ok]


def polygon(sides: int, radius: float) -> Array:
    """A regular outline (k, 2), against the clock."""
    angles = 2 * np.pi * np.arange(sides) / sides
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def rectangle(width: float, depth: float) -> Array:
    """An outline (4, 2), against the clock."""
    return 0.5 * np.array([[width, depth], [-width, depth], [-width, -depth], [width, -depth]])


def skin(points: Array, normals: Array, colour: tuple[int, int, int] = (128, 128, 128)) -> Skin:
    """The skin of points (n, 3) with normals (n, 3)."""
    return skin_of(np.hstack([points, normals, np.tile(np.array(colour, float), (len(points), 1))]))


def thing(name: str, points: Array, normals: Array, T: Array | None = None) -> tuple[SceneObject, Skin]:
    """A thing and its skin. Upright it has the given points; its own frame is at `T` (4, 4) in that."""
    T = np.eye(4) if T is None else T
    own = (points - T[:3, 3]) @ T[:3, :3]
    low, high = points.min(axis=0), points.max(axis=0)
    R, middle = T[:3, :3].T, (0.5 * (low + high) - T[:3, 3]) @ T[:3, :3]
    shape = Shape("box", 0.5 * (high - low), pose(middle, R))
    part = Part(name, "body", pose(np.zeros(3), T[:3, :3]), (shape,))
    return SceneObject(name, name, True, (part,)), skin(own, normals @ T[:3, :3])


def turned(points: Array, normals: Array, yaw: float, shift: Array) -> tuple[Array, Array]:
    """Points and normals turned about the vertical and moved aside by `shift` (2,)."""
    R = rotation_about(UP, yaw)
    return points @ R.T + [*shift, 0.0], normals @ R.T


def revolved(profile: Array, sections: int = 48) -> Array:
    """Faces' corners (n, 3, 3) of a profile (k, 2), distances from the axis and heights, turned about the vertical."""
    angles = 2 * np.pi * np.arange(sections + 1) / sections
    rings = np.stack([np.outer(np.cos(angles), profile[:, 0]), np.outer(np.sin(angles), profile[:, 0])], axis=-1)
    p = np.concatenate([rings, np.broadcast_to(profile[:, 1], rings.shape[:2])[..., None]], axis=-1)
    a, b, c, d = p[:-1, :-1], p[:-1, 1:], p[1:, 1:], p[1:, :-1]
    faces = np.concatenate([np.stack([a, c, b], axis=2), np.stack([a, d, c], axis=2)]).reshape(-1, 3, 3)
    areas = np.linalg.norm(np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0]), axis=1)
    return faces[areas > 1e-12]


BOWL = np.array([[0.0, 0.0], [0.03, 0.0], [0.06, 0.04], [0.057, 0.04], [0.028, 0.003], [0.0, 0.003]])
"""Profile of a bowl with walls of 3 mm, metres."""
CAN = np.array([[0.0, 0.0], [0.03, 0.0], [0.03, 0.1], [0.0, 0.1]])
"""Profile of a can, metres."""


def obj(corners: Array) -> str:
    """Faces as an OBJ file, each with vertices of its own."""
    vertices = "".join(f"v {x} {y} {z}\n" for x, y, z in corners.reshape(-1, 3))
    return vertices + "".join(f"f {i} {i + 1} {i + 2}\n" for i in range(1, 3 * len(corners), 3))
