"""Where a body comes to rest: lowering it until it touches, and whether it then stands."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from motion.poses import Array, pose
from motion.world import DETECTION_MARGIN, World

STEP = 0.004
"""Metres of a step down, at least, while it is free; halved at the contact."""
STANDS = 0.003
"""Metres within the hull of its supports at which a centre of mass must be."""
TOUCHES = 0.0015
"""Metres within which a body supports another."""
TOUCH = 2e-4
"""Metres above a contact that count as touching."""


def drop(
    world: World, name: str, T_world_start: Array, depth: float, ignore: frozenset[str] = frozenset()
) -> tuple[Array, frozenset[str]] | None:
    """Lower body `name` from `T_world_start` until it touches something; bodies in `ignore` are not there.

    Returns its pose, at most a quarter of a millimetre above the contact, and the names of the bodies under it; None
    when the start already touches or nothing is met within `depth` metres.
    """

    def at(z: float) -> Array:
        return pose(T_world_start[:3, 3] - [0.0, 0.0, z], T_world_start[:3, :3])

    def gap(z: float) -> float:
        """Distance to the nearest body, at most the detection margin."""
        return world.gap(name, at(z), DETECTION_MARGIN, ignore)

    free, near, step = 0.0, gap(0.0), STEP
    if near < 0:
        return None
    while True:
        ahead = gap(free + max(near, step))
        if ahead > 0:
            free, near = free + max(near, step), ahead
            if free > depth:
                return None
        elif step > max(near, TOUCH):
            step /= 2
        elif near > TOUCH:  # nothing that near can be met on a shorter way
            free += near
            near = gap(free)
        else:
            break
    touched = world.body_contacts(name, at(free + STEP / 2))
    return at(free), frozenset(c.other for c in touched) - ignore


def stands(world: World, name: str, T_world_body: Array, centre: Array) -> bool:
    """Whether body `name` at rest at `T_world_body` stands, its centre of mass being at `centre` (3,), world frame:
    that is over the convex hull of what it touches, by `STANDS`, and not only from two sides of an edge."""
    points = world.contact_points(name, T_world_body, TOUCHES)[:, :2]
    if len(points) < 3 or np.linalg.matrix_rank(points - points[0], tol=STANDS) < 2:
        return False
    hull = ConvexHull(points)
    return bool((hull.equations[:, :2] @ centre[:2] + hull.equations[:, 2] < -STANDS).all())


def yaws(count: int) -> Array:
    """Yaw angles (count,) in radians, nearest to zero first."""
    turns = 2 * np.pi * np.arange(count) / count
    wrapped = np.mod(turns + np.pi, 2 * np.pi) - np.pi
    return np.asarray(wrapped[np.argsort(np.abs(wrapped), kind="stable")])


def turned(T: Array, yaw: float) -> Array:
    """The pose turned by `yaw` radians about the vertical through its own origin."""
    c, s = np.cos(yaw), np.sin(yaw)
    return pose(T[:3, 3], np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ T[:3, :3])
