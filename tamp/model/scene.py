"""What perception saw: typed objects with pose, shape, moving parts and regions.

`Perceiver.perceive() -> Scene`. Nothing downstream can tell which perceiver made a scene.
Poses are in the world frame, metres and radians.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from motion.poses import Array, inverse, joint_transform, to_quat
from motion.shapes import Shape, bounds

if TYPE_CHECKING:
    from tamp.model.backend import Observation

PartKind = Literal["body", "drawer", "door", "knob"]
RegionKind = Literal["surface", "interior"]
GROUND = ("table", "floor")
"""Categories of what everything stands on, wherever its origin is."""
UNKNOWN = "unknown"
"""Category of what was seen and is none of the known things."""
LEVER = 0.2
"""Metres from its hinge at which a part is looked at."""


@dataclass(frozen=True, eq=False)
class Joint:
    """How a part moves against its object, and what its values mean.

    `axis` and `anchor` (3,) are in the world frame, at the present pose; `limits` and `value` in metres
    (slide) or radians (hinge). `active` is the joint value from which the part counts as open or on,
    `rest` the one from which it counts as closed or off; which side is meant follows from their order.
    """

    kind: Literal["slide", "hinge"]
    axis_world: Array
    anchor_world: Array
    limits: tuple[float, float]
    value: float
    active: float
    rest: float

    @property
    def sign(self) -> int:
        """+1 when the joint opens towards larger values, else -1."""
        return 1 if self.active > self.rest else -1

    @property
    def is_active(self) -> bool:
        """Open, or on."""
        return (self.value - self.active) * self.sign >= 0

    @property
    def is_rest(self) -> bool:
        """Closed, or off. Strict, as LIBERO's own checks are."""
        return (self.value - self.rest) * self.sign < 0

    @property
    def beyond_rest(self) -> float:
        """How far it is beyond `rest`, away from being active: metres or radians, negative where it is not."""
        return (self.rest - self.value) * self.sign

    @property
    def is_nearly_rest(self) -> bool:
        """Within a tenth of the way from rest to active: what planning calls closed or off."""
        return (self.value - self.rest) * self.sign < 0.1 * abs(self.active - self.rest)

    def at_rest(self, slack: float) -> bool:
        """Closed or off where the value is known to within `slack`: strict where it is exact."""
        return self.is_rest if slack == 0.0 else self.beyond_rest >= -slack

    def slack(self, blur: float) -> float:
        """How far the value may be off where the part may be by `blur` metres: metres, or radians."""
        return blur if self.kind == "slide" else blur / LEVER

    def displacement(self, value: float) -> Array:
        """World transform (4, 4) that carries the part from its present pose to joint `value`."""
        return joint_transform(self.kind, self.axis_world, self.anchor_world, value - self.value)


@dataclass(frozen=True, eq=False)
class Part:
    """A rigid piece of an object. The first part of an object is its body; others move on a joint."""

    name: str
    kind: PartKind
    T_world_part: Array
    shapes: tuple[Shape, ...]
    joint: Joint | None = None


@dataclass(frozen=True, eq=False)
class Region:
    """A place on or in an object: a box with its centre pose and half-extents (3,).

    `part` is the part that carries it; `door` the part that must be open to reach it, if any.
    """

    name: str
    kind: RegionKind
    T_world_region: Array
    half_extent: Array
    part: str
    door: str | None = None

    def world_half_extent(self) -> Array:
        """Half-extents (3,) of the region's world-aligned box, as LIBERO's containment test computes them."""
        return np.asarray(np.abs(self.T_world_region[:3, :3] @ self.half_extent))


@dataclass(frozen=True, eq=False)
class SceneObject:
    """A thing in the scene: `name` is unique, `category` is its class (`akita_black_bowl`). Turned by 2π / `turns`
    about the vertical it is the same, as far as can be seen: by any angle for 0."""

    name: str
    category: str
    movable: bool
    parts: tuple[Part, ...]
    regions: tuple[Region, ...] = ()
    turns: int = 1

    @property
    def T_world_object(self) -> Array:
        """Pose (4, 4) of the object's body."""
        return self.parts[0].T_world_part

    @property
    def position(self) -> Array:
        """Origin (3,) of the object's body in the world, metres."""
        return self.T_world_object[:3, 3]

    @property
    def extent(self) -> Array:
        """Size (3,) of the world-aligned box around the object, metres."""
        low, high = self.bounds()
        return high - low

    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper corner (3,), (3,) of the world-aligned box around the object."""
        corners = [bounds(p.shapes, p.T_world_part) for p in self.parts if p.shapes]
        if not corners:
            return self.position.copy(), self.position.copy()
        return np.min([c[0] for c in corners], axis=0), np.max([c[1] for c in corners], axis=0)

    def part(self, name: str) -> Part:
        """The part called `name`."""
        return next(p for p in self.parts if p.name == name)


@dataclass(frozen=True, eq=False)
class RobotState:
    """Arm configuration q (7,) rad, finger opening in metres (both fingers), tool pose `T_world_tool`."""

    q: Array
    opening: float
    T_world_tool: Array


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything seen at one moment. `time` in seconds; `confidence` per object name, 1 when exact.

    `in_hand` names what the perceiver knows to be held, if anything; None where geometry decides. `blur` is by how many
    metres things may be off where they are said to be, 0 when exact. `unknown` names the things that are none of the
    known ones: their categories are what they look like.
    """

    objects: tuple[SceneObject, ...]
    robot: RobotState
    time: float = 0.0
    confidence: dict[str, float] = field(default_factory=dict)
    in_hand: tuple[str, ...] | None = None
    blur: float = 0.0
    unknown: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[SceneObject]:
        return iter(self.objects)

    def object(self, name: str) -> SceneObject:
        """The object called `name`; KeyError when the scene has none."""
        for o in self.objects:
            if o.name == name:
                return o
        raise KeyError(name)

    def unseen(self, symbols: Iterable[str]) -> list[str]:
        """Those of some symbols that stand for nothing in the scene, neither an object nor a region."""
        seen = {o.name for o in self.objects} | {r.name for _, r in self.regions()}
        return [s for s in symbols if s not in seen]

    def regions(self) -> Iterator[tuple[SceneObject, Region]]:
        """Every region with the object that has it."""
        for o in self.objects:
            for r in o.regions:
                yield o, r

    def region(self, name: str) -> tuple[SceneObject, Region]:
        """The region called `name` with its object; KeyError when there is none."""
        for o, r in self.regions():
            if r.name == name:
                return o, r
        raise KeyError(name)


class Perceiver(Protocol):
    """Source of scenes: the simulator's state (oracle) or images (camera)."""

    def perceive(self) -> Scene:
        """The scene now."""
        ...

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period, looked at or not: what the hand holds goes with it."""
        ...


def with_robot(scene: Scene, q: Array, opening: float, T_world_tool: Array) -> Scene:
    """The scene with the arm elsewhere."""
    return replace(scene, robot=RobotState(np.asarray(q), opening, T_world_tool))


def with_object_at(scene: Scene, name: str, T_world_object: Array) -> Scene:
    """The scene with a whole object moved rigidly to a new pose; its regions go with it."""
    o = scene.object(name)
    moved = _displaced(o, T_world_object @ inverse(o.T_world_object), {p.name for p in o.parts})
    body = replace(moved.parts[0], T_world_part=T_world_object)  # as it is given: rounding would double with each move
    return _replaced(scene, replace(moved, parts=(body, *moved.parts[1:])))


def with_joint_at(scene: Scene, name: str, part: str, value: float) -> Scene:
    """The scene with one joint of object `name` at `value`; regions on the part and their contents go with it."""
    o = scene.object(name)
    joint = o.part(part).joint
    if joint is None:
        raise ValueError(f"{part} has no joint")
    D = joint.displacement(value)
    moved = _displaced(o, D, {part})
    parts = tuple(replace(p, joint=replace(joint, value=value)) if p.name == part else p for p in moved.parts)
    carried = [r for r in o.regions if r.part == part]
    out = _replaced(scene, replace(moved, parts=parts))
    for item in scene:
        if item.movable and any(contains(r, item.position) for r in carried):
            out = with_object_at(out, item.name, D @ item.T_world_object)
    return out


def moving_parts(scene: Scene, symbols: tuple[str, ...]) -> frozenset[str]:
    """Names of the parts that can move, of the objects that symbols are about: themselves, or with these regions."""
    names = {o.name for o in scene}
    objects = [scene.object(s) if s in names else scene.region(s)[0] for s in symbols]
    return frozenset(p.name for o in objects for p in o.parts if o.movable or p.joint is not None)


def walls(scene: Scene, symbols: tuple[str, ...]) -> frozenset[str]:
    """Names of the parts of objects with an interior without a door that one of the symbols means: what is put in
    may press against them."""
    about = [(o, r) for o, r in scene.regions() if r.name in symbols and r.kind == "interior" and r.door is None]
    return frozenset(p.name for o, _ in about for p in o.parts)


def objects_of(scene: Scene, operands: Iterable[str]) -> set[str]:
    """Objects that arguments of an action are about: themselves, or the owners of regions."""
    names = {o.name for o in scene}
    regions = {r.name: o.name for o, r in scene.regions()}
    return {a if a in names else regions[a] for a in operands if a in names or a in regions}


def jointed_parts(scene: Scene) -> dict[str, Array]:
    """Names and poses (4, 4) of all drawers, doors and knobs."""
    return {p.name: p.T_world_part for o in scene for p in o.parts if p.joint is not None}


def contains(region: Region, p_world: Array, slack_below: float = 0.01) -> bool:
    """Whether a point (3,) lies in a region's world-aligned box, or at most `slack_below` metres under it."""
    half = region.world_half_extent()
    d = p_world - region.T_world_region[:3, 3]
    return bool(np.all(np.abs(d[:2]) < half[:2]) and -half[2] - slack_below < d[2] < half[2])


def poses_of(scene: Scene) -> dict[str, list[float]]:
    """Position (m) and quaternion w x y z of every object."""
    return {o.name: [*o.position.round(5), *to_quat(o.T_world_object[:3, :3]).round(5)] for o in scene}


def joints_of(scene: Scene) -> dict[str, dict[str, float]]:
    """Values (m, rad) of the joints of every object that has any, by the end of their part's name."""
    values = {o.name: {part_end(o, p): p.joint.value for p in o.parts if p.joint is not None} for o in scene}
    return {name: some for name, some in values.items() if some}


def part_end(o: SceneObject, part: Part) -> str:
    """The name of an object's part without that of the object."""
    return part.name.removeprefix(o.name)


def record_of(scene: Scene) -> dict[str, Any]:
    """What there is in a scene, as plain data: categories, positions (m) with quaternions w x y z, regions, joint
    values (m, rad) by the end of their part's name, which things are unknown, and the corners of the boxes around
    these and things without regions."""

    def boxed(o: SceneObject) -> bool:
        return not o.regions or o.name in scene.unknown

    return {
        "objects": {o.name: o.category for o in scene},
        "poses": poses_of(scene),
        "regions": {o.name: [r.name for r in o.regions] for o in scene if o.regions},
        "confidence": {name: round(float(c), 3) for name, c in scene.confidence.items()},
        "joints": joints_of(scene),
        "boxes": {o.name: [corner.tolist() for corner in o.bounds()] for o in scene if boxed(o)},
        "unknown": list(scene.unknown),
    }


def _displaced(o: SceneObject, D: Array, parts: set[str]) -> SceneObject:
    return replace(
        o,
        parts=tuple(replace(p, T_world_part=D @ p.T_world_part) if p.name in parts else p for p in o.parts),
        regions=tuple(replace(r, T_world_region=D @ r.T_world_region) if r.part in parts else r for r in o.regions),
    )


def _replaced(scene: Scene, changed: SceneObject) -> Scene:
    return replace(scene, objects=tuple(changed if o.name == changed.name else o for o in scene.objects))
