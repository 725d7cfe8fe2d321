"""A known object: its surface points with colours and a distance field around them; the same placed in the world.

Models are made once from meshes (`tamp objects build`) and know nothing of a scene. Metres; a part's skin is in that
part's own frame, as its collision shapes are.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from scipy.ndimage import distance_transform_edt
from scipy.spatial import cKDTree

from motion.poses import Array, Numbers, inverse, moved
from tamp.model.scene import Part, Region, SceneObject
from tamp.perception.kernels import stored

FAR = 255
"""Stored distance of places that are far from the skin."""
CELL, CELLS, UNIT, ROUND = 0.002, 600_000, 0.00025, 0.03
"""Of a field: smallest cell (m), about the most cells, metres of a step, and metres around the skin."""
EXACT = 4
"""Cells around the skin up to which the distances of a field are exact."""
WALL = 0.002
"""Metres inside a collision shape from which on it is solid: shapes are a little larger than what they stand for."""
SAMPLES = 250
"""Points of a skin that are compared with pictures."""


Kind = Literal["item", "container", "fixture", "appliance"]


def kind_of(thing: SceneObject) -> Kind:
    """`appliance` what can be turned on, `fixture` what else stays where it is, `container` what a thing can be put
    into and carried with."""
    if any(p.kind == "knob" for p in thing.parts):
        return "appliance"
    if not thing.movable:
        return "fixture"
    return "container" if any(r.kind == "interior" for r in thing.regions) else "item"


def facing(normals: Array) -> Numbers:
    """Which of six ways (n,) normals (n, 3) point: twice their longest axis, and one more where that is positive."""
    axis = np.abs(normals).argmax(axis=1)
    return np.asarray(2 * axis + (normals[np.arange(len(normals)), axis] > 0))


@dataclass(frozen=True, eq=False)
class Field:
    """Distances to a skin on a grid: `steps` (nx, ny, nz) bytes, in units of `unit` metres, `FAR` being that and more;
    cell (0, 0, 0) is centred at `origin` (3,) and cells are `cell` metres apart."""

    origin: Array
    cell: float
    unit: float
    steps: Numbers

    def distance(self, p_part: Array) -> Array:
        """Metres (...) from points (..., 3) to the skin, at most `FAR` units; that for points off the grid."""
        p = np.asarray(p_part)
        flat = stored(p.reshape(-1, 3), self.steps, self.origin, self.cell, FAR)
        return flat.reshape(p.shape[:-1]) * self.unit


def _grid_around(points: Array) -> tuple[Array, Array, float]:
    """The cells' centres (nx, ny, nz, 3) of a field around points, the first one (3,), and the size of a cell."""
    low, high = points.min(axis=0) - ROUND, points.max(axis=0) + ROUND
    cell = max(CELL, float((high - low).prod() / CELLS) ** (1 / 3))
    axes = [np.arange(a, b + cell, cell) for a, b in zip(low, high, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1), low, cell


def field_around(points: Array) -> Field:
    """The distances to points (n, 3) that are as near to each other as a field's cells."""
    grid, low, cell = _grid_around(points)
    empty = np.ones(grid.shape[:3], dtype=bool)
    empty[tuple(np.rint((points - low) / cell).astype(int).T)] = False
    distances = distance_transform_edt(empty) * cell
    near = distances < EXACT * cell
    distances[near], _ = cKDTree(points).query(grid[near])
    return Field(low, cell, UNIT, np.minimum(np.rint(distances / UNIT), FAR).astype(np.uint8))


@dataclass(frozen=True, eq=False)
class Skin:
    """What can be seen of a part from outside: points (n, 3), outward normals (n, 3), colours (n, 3) bytes without
    light, the area (m²) that a point stands for, and the distances to them."""

    points: Array
    normals: Array
    colours: Array
    area: float
    field: Field

    def sampled(self, n: int = SAMPLES) -> Numbers:
        """Every so many of its points (n, 3)."""
        return self.points[:: max(1, len(self.points) // n)].astype(np.float32)


@dataclass(frozen=True, eq=False)
class ObjectModel:
    """One entry of the library.

    `thing` is one of it, called as its category, upright with its origin at the world's and its joints as they were
    made; `skins` has a skin for each part that can be seen, by the part's name. `rests` (k, 3, 3) are the attitudes in
    which it can lie, upright first. `turns` is its symmetry about the vertical at `axis` (2,), metres from the origin
    of the thing as it stands upright: how many turns by 2π / `turns` feel alike, 0 for a solid of revolution.
    `names` are what people call it, the usual name first. `source` is the hash of what it was made from.
    """

    thing: SceneObject
    skins: dict[str, Skin]
    rests: Array
    turns: int
    axis: Array
    names: tuple[str, ...]
    source: str

    @property
    def category(self) -> str:
        """Its name in the library."""
        return self.thing.category

    @property
    def body(self) -> Part:
        """The part that all others hang on."""
        return self.thing.parts[0]

    @property
    def jointed(self) -> tuple[Part, ...]:
        """Its drawers, doors and knobs."""
        return tuple(p for p in self.thing.parts if p.joint is not None)


@dataclass(frozen=True, eq=False)
class RobotSkin:
    """What a robot looks like: `skins` has a skin for each of its bodies that can be seen, in the body's own frame.
    `source` is the hash of what it was made from."""

    skins: dict[str, Skin]
    source: str


def joined(skins: Sequence[tuple[Skin, Array]]) -> Skin:
    """One skin of several, each with its pose (4, 4) in the frame that the one is to be in."""
    points = np.concatenate([moved(s.points, T) for s, T in skins])
    normals = np.concatenate([s.normals @ T[:3, :3].T for s, T in skins])
    colours = np.concatenate([s.colours for s, _ in skins])
    return Skin(points, normals, colours, float(np.mean([s.area for s, _ in skins])), _joined_field(points, skins))


def _joined_field(points: Array, skins: Sequence[tuple[Skin, Array]]) -> Field:
    grid, low, cell = _grid_around(points)
    steps: Numbers = np.full(grid.shape[:3], FAR, dtype=np.uint8)
    for skin, T in skins:
        f = skin.field
        first, last = _cells(T, f, low, cell, steps.shape)
        block = tuple(slice(a, b) for a, b in zip(first, last, strict=True))
        near = f.distance((grid[block] - T[:3, 3]) @ T[:3, :3]) / UNIT
        steps[block] = np.minimum(steps[block], np.minimum(np.rint(near), FAR).astype(np.uint8))
    return Field(low, cell, UNIT, steps)


def _cells(T: Array, f: Field, low: Array, cell: float, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """First and last cells (3,), (3,) of a grid that a field at pose `T` reaches."""
    ends = np.array(f.steps.shape) * f.cell
    corners = f.origin + np.array(list(itertools.product((0, 1), repeat=3))) * ends
    world = corners @ T[:3, :3].T + T[:3, 3]
    first = np.floor((world.min(axis=0) - low) / cell).astype(int)
    last = np.ceil((world.max(axis=0) - low) / cell).astype(int) + 1
    return np.clip(first, 0, shape), np.clip(last, 0, shape)


@dataclass(frozen=True, eq=False)
class PlacedModel:
    """A model at `T_world_object` (4, 4) with its joints, by part, at other values than as made (m, rad)."""

    model: ObjectModel
    T_world_object: Array
    joints: Mapping[str, float] = field(default_factory=dict)

    def part_pose(self, part: Part) -> Array:
        """Pose (4, 4) of a part in the world."""
        T = self.T_world_object @ inverse(self.model.thing.T_world_object)
        if part.joint is not None and part.name in self.joints:
            T = T @ part.joint.displacement(self.joints[part.name])
        return np.asarray(T @ part.T_world_part)

    def skins(self) -> list[tuple[Skin, Array]]:
        """The skin of each part that has one, with the part's pose (4, 4)."""
        return [
            (self.model.skins[p.name], self.part_pose(p)) for p in self.model.thing.parts if p.name in self.model.skins
        ]

    def points(self) -> Array:
        """The points (n, 3) of its skin in the world."""
        return np.concatenate([moved(skin.points, T) for skin, T in self.skins()])

    def away(self, other: PlacedModel) -> float:
        """Metres between its origin and another one's."""
        return float(np.linalg.norm(self.T_world_object[:3, 3] - other.T_world_object[:3, 3]))

    @property
    def lowest(self) -> float:
        """Height (m) at which it stands on something: of the lowest point of what it touches things by."""
        return float(self.as_object(self.model.thing.name).bounds()[0][2])

    def distance(self, p_world: Array) -> Array:
        """Metres (n,) from points (n, 3) to the nearest skin."""
        found = [skin.field.distance((p_world - T[:3, 3]) @ T[:3, :3]) for skin, T in self.skins()]
        return np.asarray(np.min(found, axis=0))

    def explains(self, p_world: Array, within: float) -> Numbers:
        """Which points (n, 3) are its own (n,): up to so many metres from its skin, or in what is solid of it, where
        nothing else can be. One sees into some things, a book from above, without that being in their skin."""
        out: Numbers = self.distance(p_world) <= within
        rest = np.flatnonzero(~out)
        low, high = self.bounds
        rest = rest[np.all((p_world[rest] > low) & (p_world[rest] < high), axis=1)]
        for part in self.model.thing.parts if len(rest) else ():
            T_world_part = self.part_pose(part)
            for shape in part.shapes:
                p = moved(p_world[rest], inverse(T_world_part @ shape.T_body_shape))
                out[rest[np.all(np.abs(p) < shape.half_extent - WALL, axis=1)]] = shape.kind == "box"
        return out

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lowest and highest corner (3,), (3,) of the box around its skin, metres."""
        p = self.points()
        return p.min(axis=0), p.max(axis=0)

    def as_object(self, name: str) -> SceneObject:
        """The object of a scene, with the names of parts and regions beginning with its own."""
        thing = self.model.thing

        def called(old: str) -> str:
            return name + old.removeprefix(thing.name)

        poses = {p.name: self.part_pose(p) for p in thing.parts}
        parts = tuple(self._part(p, poses[p.name], called(p.name)) for p in thing.parts)
        regions = tuple(self._region(r, poses, called) for r in thing.regions)
        return replace(thing, name=name, parts=parts, regions=regions, turns=self.model.turns)

    def _part(self, part: Part, T_world_part: Array, name: str) -> Part:
        joint = part.joint
        if joint is not None:
            T = self.T_world_object @ inverse(self.model.thing.T_world_object)
            joint = replace(
                joint,
                axis_world=T[:3, :3] @ joint.axis_world,
                anchor_world=T[:3, :3] @ joint.anchor_world + T[:3, 3],
                value=self.joints.get(part.name, joint.value),
            )
        return replace(part, name=name, T_world_part=T_world_part, joint=joint)

    def _region(self, region: Region, poses: Mapping[str, Array], called) -> Region:  # type: ignore[no-untyped-def]
        part = self.model.thing.part(region.part)
        T = poses[region.part] @ inverse(part.T_world_part) @ region.T_world_region
        door = None if region.door is None else called(region.door)
        return replace(region, name=called(region.name), T_world_region=T, part=called(region.part), door=door)


def whole(model: ObjectModel, joints: Mapping[str, float] | None = None) -> Skin:
    """The skin of all parts together, with the joints as made or at some values, in the body's frame."""
    at = PlacedModel(model, np.eye(4), joints or {})
    return joined(at.skins()) if len(model.skins) > 1 else next(iter(model.skins.values()))
