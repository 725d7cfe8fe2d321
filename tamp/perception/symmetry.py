"""What a shape is like from other sides: by which turns it looks the same, and in which attitudes it can lie."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from motion.poses import Array, rotation_about
from tamp.model.scene import SceneObject
from tamp.perception.object_model import Skin

UP = np.array([0.0, 0.0, 1.0])
ALIKE = 0.002
"""Metres to which nearly all of a skin lies on itself when it is turned by its symmetry."""
NEARLY_ALL = 95.0
"""Per cent."""
ORDERS = (8, 6, 5, 4, 3, 2)
FLAT = np.radians(5.0)
"""Angle between two faces of the hull up to which they are one side to lie on."""
LARGEST = 6
"""Attitudes that are kept."""


def axis_of(thing: SceneObject, skin: Skin) -> Array:
    """Where the vertical through the middle of the box around a thing that stands upright is: (2,), metres from its
    origin."""
    upright = skin.points @ thing.T_world_object[:3, :3].T
    return np.asarray(0.5 * (upright.min(axis=0) + upright.max(axis=0))[:2])


def turns_of(thing: SceneObject, skin: Skin) -> int:
    """By which 2π / n a thing that stands upright can be turned about the vertical through the middle of its skin so
    that its shape is the same: n, 0 for any turn."""
    R = thing.T_world_object[:3, :3]
    upright = skin.points @ R.T
    middle = 0.5 * (upright.min(axis=0) + upright.max(axis=0))

    def off(angle: float) -> float:
        turned = (upright - middle) @ rotation_about(UP, angle).T + middle
        return float(np.percentile(skin.field.distance(turned @ R), NEARLY_ALL))

    if all(off(a) < ALIKE for a in np.radians([20, 45, 77, 110, 180])):
        return 0
    return next((n for n in ORDERS if all(off(2 * np.pi * k / n) < ALIKE for k in range(1, n))), 1)


def resting_attitudes(thing: SceneObject, skin: Skin) -> Array:
    """Rotations (k, 3, 3) in which a thing lies on a level surface: the given one first, then on the other sides of its
    hull on which the middle of its skin is supported, the largest first."""
    R = thing.T_world_object[:3, :3]
    hull = ConvexHull(skin.points)
    normals, areas, spots = hull.equations[:, :3], _areas(hull), skin.points.mean(axis=0)
    sides: list[tuple[Array, float]] = []
    for n, a in sorted(zip(normals, areas, strict=True), key=lambda s: -s[1]):
        near = next((i for i, (m, _) in enumerate(sides) if m @ n > np.cos(FLAT)), None)
        if near is None:
            sides.append((n, a))
        else:
            sides[near] = (sides[near][0], sides[near][1] + a)
    out = [R]
    for n, _ in sorted(sides, key=lambda s: -s[1]):
        if len(out) == LARGEST:
            break
        turned = _onto(n) @ np.eye(3)
        if all((R0.T @ [0, 0, -1]) @ n < np.cos(3 * FLAT) for R0 in out) and _supported(skin.points, turned, spots):
            out.append(turned)
    return np.array(out)


def _areas(hull: ConvexHull) -> Array:
    a, b, c = (hull.points[hull.simplices[:, i]] for i in range(3))
    return np.asarray(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1))


def _onto(n: Array) -> Array:
    """A rotation (3, 3) that turns direction `n` downwards."""
    axis, cosine = np.cross(n, -UP), float(n @ -UP)
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        return np.eye(3) if cosine > 0 else np.asarray(np.diag([1.0, -1.0, -1.0]))
    return rotation_about(axis / length, float(np.arctan2(length, cosine)))


def _supported(points: Array, R: Array, middle: Array) -> bool:
    """Whether the middle is over what touches the ground."""
    p = points @ R.T
    touching = p[p[:, 2] < p[:, 2].min() + 0.003][:, :2]
    m = (R @ middle)[:2]
    return bool(np.all(m > touching.min(axis=0)) and np.all(m < touching.max(axis=0)))
