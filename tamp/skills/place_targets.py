"""Where something can be put, a region or the top of an item; and the ways out of there for a hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motion.poses import Array, pose, rotation_about
from tamp.model.scene import Region, Scene, SceneObject, contains
from tamp.model.situation import Situation
from tamp.perception import predicates

LEVEL = 0.9
"""Least cosine between the axis of a level surface and the vertical."""
DROP_FROM = 0.05
"""Metres above a region from which an item is lowered in the model."""
RELEASE_OPENINGS = (0.035, 0.022, 0.012)
"""Metres by which the fingers open to let go, the widest for which there is room."""
REACHES = 0.25
"""Share of the depth of a bin by which what lies on other things in there must at least reach down into it."""
LOW = 0.015
"""Metres above the floor of a drawer or cupboard within which the bottom of what lies in it must be."""
UPWARDS = (0.06, 0.10, 0.03, 0.015)
"""Metres straight up, the preferred first."""
OUTWARDS = ((0.05, 0.02), (0.04, 0.04), (0.06, 0.06), (0.02, 0.06))
"""Metres up and metres towards the way out, together."""
DEEPEST = 0.25
"""Most metres level out of a place."""
_AXES = tuple(np.array([x, y, 0.0]) for x, y in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)))


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

    @property
    def is_bin(self) -> bool:
        """Whether it is an interior that is always open."""
        return self.region is not None and self.region.kind == "interior" and self.region.door is None

    @property
    def is_uneven(self) -> bool:
        """Whether it is a surface that slopes, so that only physics says what stays on it, and where."""
        region = self.region
        return region is not None and region.kind == "surface" and abs(float(region.T_world_region[2, 2])) < LEVEL

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

    def holds_below(self, p_world: Array, bottom: float) -> bool:
        """Whether what has its origin at `p_world` (3,), and its lowest point at height `bottom` (m), reaches down into
        an interior."""
        over = np.abs(p_world - self.centre)[:2] < self.half
        return bool(over.all()) and bottom < 2 * float(self.centre[2]) - self.floor

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
        level = abs(T[2, 2]) >= LEVEL
        axes, half = (T[:3, :3], region.half_extent) if level else (np.eye(3), half)
        return PlaceTarget(name, T[:3, 3].copy(), axes, half[:2], (top + DROP_FROM,), owner, region, np.inf)
    heights = (top + DROP_FROM, floor + DROP_FROM, floor + 0.5 * DROP_FROM)
    return PlaceTarget(name, T[:3, 3].copy(), np.eye(3), half[:2], heights, owner, region, floor)


def upright(T_world_item: Array) -> Array:
    """The same pose with its tilt taken out, so that the steepest of its axes is vertical: what is carried is set
    down level."""
    R = T_world_item[:3, :3]
    axis = int(np.argmax(np.abs(R[2])))
    return pose(T_world_item[:3, 3], levelled(R, axis, float(np.sign(R[2, axis]))))


def levelled(R: Array, axis: int, sign: float) -> Array:
    """A rotation (3, 3) turned the shortest way so that one of its axes points up, or with -1 down."""
    up = sign * R[:, axis]
    v = np.cross(up, [0.0, 0.0, 1.0])
    s, c = float(np.linalg.norm(v)), float(up[2])
    return R if s < 1e-6 else rotation_about(v / s, float(np.arctan2(s, c))) @ R


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


def where_stood(item: str, situation: Situation) -> bytes:
    """A key for what depends on how an item is turned, to a few degrees, and on where everything else is: the same
    before it is lifted and after."""
    parts = [p for o in situation.scene if o.name != item for p in o.parts]
    R_item = upright(situation.scene.object(item).T_world_object)[:3, :3]
    where = np.concatenate([p.T_world_part.ravel() for p in parts]).round(3)
    return (np.concatenate([R_item.ravel().round(1), where]) + 0.0).tobytes()  # there is a negative zero
