"""A scene as those who write observers and skills ask about it: by symbols, in metres and radians."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motion.poses import Array
from motion.shapes import bounds
from tamp.model.scene import Joint, Part, Region, Scene, SceneObject


@dataclass(eq=False)
class Things:
    """The things of `scene`. A symbol is the name of an object or of one of its regions; one that stands for nothing
    raises KeyError with the names that do."""

    scene: Scene

    def thing(self, symbol: str) -> SceneObject:
        """The object with this name, or the one that has this region."""
        if self.region(symbol) is not None:
            return self.scene.region(symbol)[0]
        names = [o.name for o in self.scene]
        if symbol not in names:
            regions = [r.name for _, r in self.scene.regions()]
            raise KeyError(f"there is no {symbol!r}; valid: {', '.join([*names, *regions])}")
        return self.scene.object(symbol)

    def region(self, symbol: str) -> Region | None:
        """The region with this name; None for an object."""
        return next((r for _, r in self.scene.regions() if r.name == symbol), None)

    def pose(self, symbol: str) -> Array:
        """Pose (4, 4) of an object, or of a region's centre, in the world."""
        region = self.region(symbol)
        return (self.thing(symbol).T_world_object if region is None else region.T_world_region).copy()

    def position(self, symbol: str) -> Array:
        """Origin (3,) of an object, or centre of a region, in the world: metres."""
        return self.pose(symbol)[:3, 3]

    def box(self, symbol: str) -> tuple[Array, Array]:
        """Lower and upper corner (3,), (3,) of the world-aligned box around an object or a region: metres."""
        region = self.region(symbol)
        if region is None:
            return self.thing(symbol).bounds()
        middle, half = region.T_world_region[:3, 3], region.world_half_extent()
        return middle - half, middle + half

    def middle(self, symbol: str) -> Array:
        """Middle (3,) of the box around an object or a region."""
        low, high = self.box(symbol)
        return 0.5 * (low + high)

    def size(self, symbol: str) -> Array:
        """Size (3,) of the box around an object or a region: metres."""
        low, high = self.box(symbol)
        return high - low

    def top(self, symbol: str) -> float:
        """Height of the highest point of an object or a region in the world: metres."""
        return float(self.box(symbol)[1][2])

    def moving_part(self, symbol: str) -> Part | None:
        """The door or drawer behind which a region lies or which it is in; of an object its knob, or the first of its
        parts that moves on a joint; None without one."""
        region, thing = self.region(symbol), self.thing(symbol)
        if region is not None:
            named = region.door or region.part
            return next((p for p in thing.parts if p.name == named and p.joint is not None), None)
        jointed = [p for p in thing.parts if p.joint is not None]
        return next((p for p in jointed if p.kind == "knob"), jointed[0] if jointed else None)

    def joint(self, symbol: str) -> Joint | None:
        """The joint of `moving_part`, with `value`, `limits`, `active` (open or on from there) and `rest` (closed or
        off from there): metres or radians."""
        part = self.moving_part(symbol)
        return None if part is None else part.joint

    def part_box(self, part: Part) -> tuple[Array, Array]:
        """Lower and upper corner (3,), (3,) of the world-aligned box around a part: metres."""
        return bounds(part.shapes, part.T_world_part)

    def apart(self, a: str, b: str) -> float:
        """Metres between the positions of two symbols, seen from above."""
        return float(np.linalg.norm((self.position(a) - self.position(b))[:2]))
