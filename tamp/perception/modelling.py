"""Make a thing's model from its skins: its symmetry and the attitudes in which it rests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.spatial import ConvexHull

from motion.poses import Array, rotation_about
from motion.shapes import Shape
from tamp.model.scene import SceneObject
from tamp.perception.object_model import ObjectModel, Skin

UP = np.array([0.0, 0.0, 1.0])
ALIKE, OF_WIDTH = 0.002, 0.02
"""Metres, and share of a thing's width, to which nearly all of a skin lies on itself when it is turned by its symmetry:
the larger counts."""
NEARLY_ALL = 90.0
"""Per cent: a can with the tongue of its lid is round."""
STICKS_OUT, ALL = 0.008, 99.0
"""Metres to which all of it does, in per cent, but for what may be of the skin itself: a mug with its handle is not."""
BASIN = 4.0
"""Times `ALIKE` that a skin may be off about the middle of its box for its axis to be looked for."""
ORDERS = (8, 6, 5, 4, 3, 2)
TRIED = 1500
"""About how many points of a skin are turned."""
FLAT = np.radians(5.0)
"""Angle between two faces of the hull up to which they are one side to lie on."""
APART = np.radians(12.0)
"""Angle up to which two attitudes are the same one."""
TOUCHING = 0.0015
"""Metres above the lowest point up to which a point carries."""
TIPS = np.radians(5.0)
"""Angle by which a thing that stays in an attitude can at least be tipped."""
LARGEST = 6
"""Attitudes that are kept."""


@dataclass(frozen=True, eq=False)
class Symmetry:
    """How many turns by 2π / `turns` about the vertical at `axis` (2,), metres from the origin of a thing that stands
    upright, leave its shape as it is; 0: any turn does."""

    turns: int
    axis: Array


def symmetry_of(thing: SceneObject, skin: Skin, known: int | None = None) -> Symmetry:
    """The symmetry of a thing about the vertical, or where the axis is of one that is `known`. Without any the axis
    goes through the middle of the box around it."""
    R = thing.T_world_object[:3, :3]
    upright = skin.points @ R.T
    low, high = upright.min(axis=0), upright.max(axis=0)
    middle = 0.5 * (low + high)[:2]
    alike = max(ALIKE, OF_WIDTH * float((high - low)[:2].max()))
    tried = upright[:: max(1, len(upright) // TRIED)]

    def off(axis: Array, angle: float) -> Array:
        turned = (tried[:, :2] - axis) @ rotation_about(UP, angle)[:2, :2].T + axis
        return skin.field.distance(np.column_stack([turned, tried[:, 2]]) @ R)

    def fitted(angles: Array) -> Array:
        def cost(axis: Array) -> float:
            return float(np.mean([np.minimum(off(axis, a), BASIN * alike).mean() for a in angles]))

        start = middle + np.array([[0.0, 0.0], [ALIKE, 0.0], [0.0, ALIKE]])
        options: Any = {"xatol": 1e-4, "maxfev": 60, "initial_simplex": start}
        return np.asarray(minimize(cost, middle, method="Nelder-Mead", options=options).x)

    if known is not None:
        return Symmetry(known, middle if known == 1 else fitted(_angles(known)))
    for turns in (0, *ORDERS):
        angles = _angles(turns)
        if all(np.median(off(middle, a)) < BASIN * alike for a in angles):
            axis = fitted(angles)
            if all((np.percentile(off(axis, a), (NEARLY_ALL, ALL)) < (alike, STICKS_OUT)).all() for a in angles):
                return Symmetry(turns, axis)
    return Symmetry(1, middle)


def _angles(turns: int) -> Array:
    """Turns (k,), radians, after which what has a symmetry looks the same."""
    return np.radians([20, 45, 77, 110, 180]) if turns == 0 else 2 * np.pi * np.arange(1, turns) / turns


def resting_attitudes(thing: SceneObject, skin: Skin, turns: int) -> Array:
    """Rotations (k, 3, 3) in which a thing stays on a level surface: the given one first, then on other sides of its
    hull, the hardest to tip first; none that is another one after a turn by its symmetry."""
    R = thing.T_world_object[:3, :3]
    hull = skin.points[ConvexHull(skin.points, qhull_options="QJ").vertices]
    weight = centre_of_mass(thing.parts[0].shapes)
    sides = sorted(((tipping(hull, weight, n), n) for n in _sides(skin.points)), key=lambda s: -s[0])
    up = R.T @ UP
    downs = [-up]
    for angle, n in sides:
        if angle > TIPS and len(downs) < LARGEST and not any(_same(n, other, up, turns) for other in downs):
            downs.append(n)
    return np.array([R, *(_onto(n) for n in downs[1:])])


def centre_of_mass(shapes: tuple[Shape, ...]) -> Array:
    """Where (3,) the weight of some shapes of one density is, in their part's frame."""
    volumes = np.array([8 * float(np.prod(s.half_extent)) for s in shapes])
    return np.asarray(volumes @ np.array([s.T_body_shape[:3, 3] for s in shapes]) / volumes.sum())


def tipping(points: Array, weight: Array, down: Array) -> float:
    """Radians by which a convex body can be tipped until it falls over, on a level surface with its direction `down`
    (3,) pointing down; not positive when it falls by itself. `weight` (3,) is its centre of mass."""
    R = _onto(down)
    p, w = points @ R.T, R @ weight
    floor = p[:, 2].min()
    carrying = p[p[:, 2] < floor + TOUCHING, :2]
    if len(carrying) < 3 or np.linalg.matrix_rank(carrying - carrying[0], tol=1e-4) < 2:
        return 0.0
    reach = -(ConvexHull(carrying, qhull_options="QJ").equations @ [*w[:2], 1.0]).max()
    return float(np.arctan2(reach, w[2] - floor))


def _sides(points: Array) -> list[Array]:
    """Outward directions (3,) of the flat sides of the hull of points; curved ones have many."""
    hull = ConvexHull(points, qhull_options="QJ")
    a, b, c = (hull.points[hull.simplices[:, i]] for i in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    normals, out = hull.equations[np.argsort(-areas), :3], list[Array]()
    while len(normals):
        out.append(normals[0])
        normals = normals[normals @ out[-1] < np.cos(FLAT)]
    return out


def _same(a: Array, b: Array, up: Array, turns: int) -> bool:
    """Whether two directions of a body are the same, or are after one of its turns about `up`."""
    if abs(np.arccos(np.clip(a @ up, -1, 1)) - np.arccos(np.clip(b @ up, -1, 1))) > APART:
        return False
    if turns == 0:
        return True
    angles = 2 * np.pi * np.arange(turns) / turns
    return any(float(rotation_about(up, t) @ a @ b) > np.cos(APART) for t in angles)


def _onto(n: Array) -> Array:
    """A rotation (3, 3) that turns direction `n` downwards."""
    axis, cosine = np.cross(n, -UP), float(n @ -UP)
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        return np.eye(3) if cosine > 0 else np.asarray(np.diag([1.0, -1.0, -1.0]))
    return rotation_about(axis / length, float(np.arctan2(length, cosine)))


def modelled(
    thing: SceneObject, skins: Mapping[str, Skin], names: tuple[str, ...], source: str, turns: int | None = None
) -> ObjectModel:
    """The model of a thing that stands upright, with its skins. `turns` is its symmetry where that is told; what stays
    where it stands has none, and one attitude."""
    skin = skins[thing.parts[0].name]
    if not thing.movable:
        upright = thing.T_world_object[None, :3, :3]
        return ObjectModel(thing, dict(skins), upright, 1, symmetry_of(thing, skin, 1).axis, names, source)
    found: Symmetry = symmetry_of(thing, skin, turns)
    rests = resting_attitudes(thing, skin, found.turns)
    return ObjectModel(thing, dict(skins), rests, found.turns, found.axis, names, source)
