"""Ways out of a place for a hand, with or without something in it."""

from __future__ import annotations

import numpy as np

from motion.poses import Array
from tamp.model.scene import Region, Scene, SceneObject

UPWARDS = (0.06, 0.10, 0.03, 0.015)
"""Metres straight up, the preferred first."""
OUTWARDS = ((0.05, 0.02), (0.04, 0.04), (0.06, 0.06), (0.02, 0.06))
"""Metres up and metres towards the way out, together."""
DEEPEST = 0.25
"""Most metres level out of a place."""
_AXES = tuple(np.array([x, y, 0.0]) for x, y in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)))


def ways_out(name: str, scene: Scene) -> tuple[Array, ...]:
    """Displacements (3,) in metres by which a hand at the place `name` may leave it, the preferred first.

    Up; up and outwards; straight out. Out is where a drawer goes or a closed door would be; without either,
    any side.
    """
    up = tuple(np.array([0.0, 0.0, h]) for h in UPWARDS)
    try:
        owner, region = scene.region(name)
    except KeyError:
        return up
    out = list(up)
    for side in outside(owner, region):
        level = np.array([side[0], side[1], 0.0])
        depth = min(DEEPEST, 2.2 * float(np.abs(region.world_half_extent() @ np.abs(level))))
        out += [np.array([0.0, 0.0, rise]) + away * level for rise, away in OUTWARDS]
        out += [np.array([0.0, 0.0, 0.01]) + depth * level]
    return tuple(out)


def outside(owner: SceneObject, region: Region) -> list[Array]:
    """Level unit directions (3,) out of a region."""
    door = None if region.door is None else owner.part(region.door)
    if door is not None and door.joint is not None:
        closed = door.joint.displacement(door.joint.rest) @ door.T_world_part
        centre = np.mean([(closed @ s.T_body_shape)[:3, 3] for s in door.shapes], axis=0)
        slides = door.joint.kind == "slide"
        facing = door.joint.axis_world * door.joint.sign if slides else centre - region.T_world_region[:3, 3]
        return [max(_AXES, key=lambda a: float(a @ facing))]
    x, y = region.T_world_region[:3, 0], region.T_world_region[:3, 1]
    return [side for side in (-x, x, -y, y) if np.linalg.norm(side[:2]) > 0.5]
