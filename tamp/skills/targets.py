"""Where something can be put: a region, or the top of an item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motion.poses import Array, pose, rotation_about
from tamp.model.scene import Region, Scene, SceneObject, contains
from tamp.perception import predicates

DROP_FROM = 0.05
"""Metres above a region from which an item is lowered in the model."""
REACHES = 0.25
"""Share of the depth of a bin by which what lies on other things in there must at least reach down into it."""
LOW = 0.015
"""Metres above the floor of a drawer or cupboard within which the bottom of what lies in it must be."""


@dataclass(frozen=True, eq=False)
class PlaceTarget:
    """Where to put something: the centre (3,) and half-extents (2,) of a rectangle, the heights from which an
    item is lowered onto it in the model, and the floor of an interior.
    """

    name: str
    centre: Array
    axes: Array
    half: Array
    heights: tuple[float, ...]
    owner: SceneObject
    region: Region | None
    floor: float

    @property
    def shuts(self) -> bool:
        """Whether it has a drawer or a door that has to close on what is put there."""
        return self.region is not None and self.region.door is not None

    def not_open(self) -> str | None:
        """Closed, or not open: how its drawer or door stands, by its joint; None where it is open or has none."""
        if self.region is None or self.region.door is None:
            return None
        joint = self.owner.part(self.region.door).joint
        if joint is None or joint.is_active:
            return None
        return "closed" if joint.is_nearly_rest else "not open"

    def accepts(self, p_world: Array) -> bool:
        """Whether an item with its origin at `p_world` (3,) is where it should be."""
        if self.region is None:
            return bool(np.linalg.norm((p_world - self.centre)[:2]) < 0.6 * predicates.CENTRED)
        if self.region.kind == "interior":
            return contains(self.region, p_world, 0.8 * predicates.BELOW_INTERIOR)
        return predicates.above(p_world, self.region)

    def carries(self, under: frozenset[str], bottom: float) -> bool:
        """Whether what lies with its lowest point at height `bottom` (m) on the bodies `under` lies there well.

        What goes into a bin may lie on other things, but down in it, where the walls hold it; in a drawer it must reach
        the floor, not hang on the rim.
        """
        parts = {p.name for p in self.owner.parts}
        own = bool(under & parts)
        if self.region is None or self.region.kind == "surface":
            return own
        if self.region.door is None:
            depth = 2 * float(self.region.world_half_extent()[2])
            return under <= parts or bottom < self.floor + (1 - REACHES) * depth
        return own and bottom < self.floor + LOW


def target_of(name: str, scene: Scene) -> PlaceTarget:
    """The place that symbol `name` means: a region, or the top of an item."""
    try:
        owner, region = scene.region(name)
    except KeyError:
        owner = scene.object(name)
        _, high = owner.bounds()
        from_top = (float(high[2]) + DROP_FROM,)
        return PlaceTarget(name, owner.position.copy(), np.eye(3), np.zeros(2), from_top, owner, None, np.inf)
    T, half = region.T_world_region, region.world_half_extent()
    top, floor = float(T[2, 3] + half[2]), float(T[2, 3] - half[2])
    if region.kind == "surface":
        level = abs(T[2, 2]) > 0.9
        axes, half = (T[:3, :3], region.half_extent) if level else (np.eye(3), half)
        return PlaceTarget(name, T[:3, 3].copy(), axes, half[:2], (top + DROP_FROM,), owner, region, np.inf)
    heights = (top + DROP_FROM, floor + DROP_FROM, floor + 0.5 * DROP_FROM)
    return PlaceTarget(name, T[:3, 3].copy(), np.eye(3), half[:2], heights, owner, region, floor)


def upright(T_world_item: Array) -> Array:
    """The same pose with its tilt taken out, so that the steepest of its axes is vertical: what is carried is set
    down level."""
    R = T_world_item[:3, :3]
    axis = int(np.argmax(np.abs(R[2])))
    up = R[:, axis] * np.sign(R[2, axis])
    v = np.cross(up, [0.0, 0.0, 1.0])
    s, c = float(np.linalg.norm(v)), float(up[2])
    if s < 1e-6:
        return T_world_item
    return pose(T_world_item[:3, 3], rotation_about(v / s, float(np.arctan2(s, c))) @ R)
