"""What carries things: the ground and each other; and obstacles, which no model explains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from motion.poses import Array, Numbers, pose
from motion.shapes import Shape
from tamp.model.scene import UNKNOWN, Part, Region, SceneObject
from tamp.perception.object_model import PlacedModel
from tamp.perception.segmentation import Ground, Points

BOTTOM = 0.004
"""Metres above its lowest point up to which a thing's skin is its bottom."""
CARRIED = 0.02
"""Metres from its bottom within which there is something that carries it."""

SUPPORTED = 0.01
"""Metres from the ground within which the bottom of a thing is on it."""
TABLE_HEIGHT = 0.25
"""Metres above the floor from which the ground is a table."""
OBSTACLE = "obstacle_"
"""How the names of obstacles begin; a number follows."""
DEEP = 0.3
"""Metres that the ground reaches down."""


def set_on_ground(placed: PlacedModel, others: Iterable[PlacedModel], ground: Ground) -> PlacedModel:
    """A thing that stands on the ground, to the tenth of a millimetre, if its bottom is seen near there: not one whose
    middle is over one of `others` that can be carried, which may be what it stands on."""
    off, middle = ground.stands - placed.lowest, placed.T_world_object[:2, 3]
    bounds = (other.as_object(other.model.thing.name).bounds() for other in others)
    if abs(off) > SUPPORTED or any(np.all((middle > b[0][:2]) & (middle < b[1][:2])) for b in bounds):
        return placed
    T = placed.T_world_object.copy()
    T[2, 3] += off
    return replace(placed, T_world_object=T)


def reaches(points: Points, ground: Ground) -> bool:
    """Whether some points reach down to the ground."""
    return float(points.p[:, 2].min()) < ground.height + CARRIED


def unexplained(points: Points, things: Iterable[PlacedModel], within: float) -> Points:
    """The points that belong to none of some things: up to so many metres from their skins they do."""
    out = np.ones(len(points), dtype=bool)
    for thing in things:
        out[out] &= ~thing.explains(points.p[out], within)
    return points.where(out)


def floating(things: Sequence[PlacedModel], ground: float, others: Array) -> list[bool]:
    """Which things nothing carries: not the ground (its height in m), nor what was not recognised and is no piece of
    them (points (n, 3)), nor a thing that is carried itself. What does not move is."""
    bottoms = [_bottom(t) for t in things]
    carried = [
        not t.model.thing.movable or float(b[:, 2].min()) < ground + CARRIED or _near(b, others)
        for t, b in zip(things, bottoms, strict=True)
    ]
    while True:
        again = [c or _on_another(i, bottoms[i], things, carried) for i, c in enumerate(carried)]
        if again == carried:
            return [not c for c in carried]
        carried = again


def _on_another(i: int, bottom: Array, things: Sequence[PlacedModel], carried: Sequence[bool]) -> bool:
    pairs = zip(things, carried, strict=True)
    return any(c and k != i and float(t.distance(bottom).min()) < CARRIED for k, (t, c) in enumerate(pairs))


def _bottom(placed: PlacedModel) -> Array:
    """The lowest points (n, 3) of a thing's skin."""
    world = placed.points()
    return np.asarray(world[world[:, 2] < world[:, 2].min() + BOTTOM])


def _near(bottom: Array, others: Array) -> bool:
    return bool(len(others)) and float(np.min(cKDTree(others).query(bottom)[0])) < CARRIED


@dataclass(frozen=True, eq=False)
class Obstacle:
    """Something in the way that nothing else is known of: the box (3,), (3,) around it, and the points (n, 3) that
    were seen of it."""

    low: Array
    high: Array
    points: Array

    @staticmethod
    def of(points: Points, ground: Ground) -> Obstacle:
        """What some points are of, down to the ground."""
        low, high = points.p.min(axis=0).astype(float), points.p.max(axis=0).astype(float)
        low[2] = ground.stands
        return Obstacle(low, high, points.p)

    def holds(self, points: Array, around: float) -> Numbers:
        """Which points (n, 3) are in the box, or so many metres `around` it."""
        return np.asarray(np.all((points > self.low - around) & (points < self.high + around), axis=1))

    def as_object(self, name: str) -> SceneObject:
        """A thing of a scene, to be kept clear of."""
        half = np.maximum(0.5 * (self.high - self.low), 0.002)
        part = Part(name, "body", pose(0.5 * (self.low + self.high)), (Shape("box", half, np.eye(4)),))
        return SceneObject(name, UNKNOWN, False, (part,))


def ground_object(ground: Ground) -> SceneObject:
    """What everything stands on."""
    name = "table" if ground.height > TABLE_HEIGHT else "floor"
    middle, half = 0.5 * (ground.low + ground.high), 0.5 * (ground.high - ground.low)
    body = f"{name}_body"
    T = pose([*middle, ground.stands - 0.5 * DEEP])
    part = Part(body, "body", T, (Shape("box", np.array([*half, 0.5 * DEEP]), np.eye(4)),))
    region = Region(name, "surface", pose([*middle, ground.stands]), np.array([*half, 0.0]), body)
    return SceneObject(body, name, False, (part,), (region,))
