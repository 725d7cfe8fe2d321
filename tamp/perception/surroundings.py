"""What is around the things: the ground that they stand on, and what is in the way without being one of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motion.poses import Array, Numbers, pose
from motion.shapes import Shape
from tamp.model.scene import UNKNOWN, Part, Region, SceneObject
from tamp.perception.clusters import Ground, Points

TABLE_HEIGHT = 0.25
"""Metres above the floor from which the ground is a table."""
OBSTACLE = "obstacle_"
"""How the names of obstacles begin; a number follows."""
DEEP = 0.3
"""Metres that the ground reaches down."""


@dataclass(frozen=True, eq=False)
class Obstacle:
    """Something in the way that nothing else is known of: the box (3,), (3,) around it, and the points (n, 3) that
    were seen of it."""

    low: Array
    high: Array
    points: Array


def obstacle(points: Points, ground: Ground) -> Obstacle:
    """What some points are of, down to the ground."""
    low, high = points.p.min(axis=0).astype(float), points.p.max(axis=0).astype(float)
    low[2] = ground.stands
    return Obstacle(low, high, points.p)


def within(points: Array, u: Obstacle, around: float) -> Numbers:
    """Which points (n, 3) are in the box around an obstacle, or so many metres `around` it."""
    return np.asarray(np.all((points > u.low - around) & (points < u.high + around), axis=1))


def obstacle_object(name: str, u: Obstacle) -> SceneObject:
    """An obstacle as a thing of a scene, to be kept clear of."""
    half = np.maximum(0.5 * (u.high - u.low), 0.002)
    part = Part(name, "body", pose(0.5 * (u.low + u.high)), (Shape("box", half, np.eye(4)),))
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
