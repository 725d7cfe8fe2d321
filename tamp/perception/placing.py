"""A model of the library at a pose, with its joints at some values."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from motion.poses import Array, Numbers, inverse, moved
from tamp.model.scene import Part, Region, SceneObject
from tamp.perception.object_model import FAR, Field, ObjectModel, Skin
from tamp.perception.skinning import UNIT, grid_around

CELLS = 88
"""Most cells along an axis of its field: it is made while an episode runs."""
WALL = 0.002
"""Metres inside a collision shape from which on it is solid: shapes are a little larger than what they stand for."""


def joined(skins: Sequence[tuple[Skin, Array]]) -> Skin:
    """One skin of several, each with its pose (4, 4) in the frame that the one is to be in."""
    points = np.concatenate([moved(s.points, T) for s, T in skins])
    normals = np.concatenate([s.normals @ T[:3, :3].T for s, T in skins])
    colours = np.concatenate([s.colours for s, _ in skins])
    return Skin(points, normals, colours, float(np.mean([s.area for s, _ in skins])), _joined_field(points, skins))


def _joined_field(points: Array, skins: Sequence[tuple[Skin, Array]]) -> Field:
    grid, low, cell = grid_around(points, CELLS)
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
