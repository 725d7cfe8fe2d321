"""Where a body comes to rest: lowering it until it touches, and whether it then stands."""

from __future__ import annotations

import numpy as np

from motion.poses import Array, pose
from motion.world import World

STEP = 0.004
"""Metres of each step down; halved to 0.25 mm at the contact."""


def drop(world: World, name: str, T_world_start: Array, depth: float) -> tuple[Array, frozenset[str]] | None:
    """Lower body `name` from `T_world_start` until it touches something.

    Returns its pose, at most a quarter of a millimetre above the contact, and the names of the bodies under it; None
    when the start already touches or nothing is met within `depth` metres.
    """

    def at(z: float) -> Array:
        return pose(T_world_start[:3, 3] - [0.0, 0.0, z], T_world_start[:3, :3])

    if world.body_contacts(name, T_world_start):
        return None
    free, step = 0.0, STEP
    while step > 2e-4:
        if world.body_contacts(name, at(free + step)):
            step /= 2
            continue
        free += step
        if free > depth:
            return None
    touched = world.body_contacts(name, at(free + 2 * STEP / 4))
    return at(free), frozenset(c.other for c in touched)


def yaws(count: int) -> Array:
    """Yaw angles (count,) in radians, nearest to zero first."""
    turns = 2 * np.pi * np.arange(count) / count
    wrapped = np.mod(turns + np.pi, 2 * np.pi) - np.pi
    return np.asarray(wrapped[np.argsort(np.abs(wrapped), kind="stable")])


def turned(T: Array, yaw: float) -> Array:
    """The pose turned by `yaw` radians about the vertical through its own origin."""
    c, s = np.cos(yaw), np.sin(yaw)
    return pose(T[:3, 3], np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ T[:3, :3])
