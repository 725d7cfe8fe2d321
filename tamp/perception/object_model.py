"""A known object: its surface points with colours, and a distance field around them.

Models are made once from meshes (`tamp objects build`) and know nothing of a scene. Metres; a part's skin is in that
part's own frame, as its collision shapes are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from motion.poses import Array, Numbers
from tamp.model.scene import Part, SceneObject
from tamp.perception.kernels import stored

FAR = 255
"""Stored distance of places that are far from the skin."""
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
