"""Objects of a MuJoCo model as SceneObjects: moving parts, collision shapes and regions; and what they stand on.

Poses, shapes and joint values come from the simulation, what they mean from each object's kind. The regions of
an object are the box sites of its own model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from motion.poses import Array, from_quat, inverse, moved, pose
from motion.robot_parts import SOLIDS
from motion.shapes import Kind, Shape, bounds, fitted
from tamp.model.scene import Joint, Part, PartKind, Region, RegionKind, SceneObject

FLAT = 0.006
"""A region thinner than this half-extent (metres) is a surface, a thicker one an interior."""

UNBOUNDED = 5.0
"""Half-size (metres) of a plane that has none."""
LEVEL = 0.02
"""Metres between the lowest thing's bottom and the top of what it may stand on."""
NARROW = 0.1
"""Metres: narrower shapes are no ground to stand on."""

_KINDS: dict[int, Kind] = SOLIDS | {int(mujoco.mjtGeom.mjGEOM_PLANE): "plane"}

Ends = tuple[float, float]
"""Joint values from which a part counts as open or on, and as closed or off."""


@dataclass(frozen=True, eq=False)
class ThingKind:
    """What a model does not say of a thing. `ends` gives those of a joint, by the model and the joint's number; None
    for one that opens nothing. `turns_on`: what moves are knobs."""

    category: str
    ends: Callable[[Any, int], Ends | None]
    turns_on: bool = False
    shapes: tuple[Shape, ...] | None = None


class ObjectReader:
    """Reads the objects of a MuJoCo model. `kinds` are those of the objects by name, `roots` the ids of the bodies that
    carry them, `movable` the names of those that can be carried."""

    def __init__(
        self, model: Any, kinds: Mapping[str, ThingKind], roots: Mapping[str, int], movable: Collection[str]
    ) -> None:
        self._m, self._kinds, self._roots, self._movable = model, kinds, roots, movable

    def read(self, name: str, d: Any) -> SceneObject:
        """The object called `name` in the simulation's data `d`."""
        model, kind, root = self._m, self._kinds[name], self._roots[name]
        movable = name in self._movable
        carried = carriers(model, root, movable)
        names = {b: name if b == root else model.body(b).name for b in dict.fromkeys(carried.values())}
        parts = [self._part(called, b, carried, kind, d) for b, called in names.items()]
        regions = self._regions(carried, names, parts, d)
        return SceneObject(name, kind.category, movable, tuple(parts), tuple(regions))

    def _part(self, name: str, body: int, carried: dict[int, int], kind: ThingKind, d: Any) -> Part:
        T_world_part = body_pose(d, body)
        own = [b for b, carrier in carried.items() if carrier == body]
        shapes = kind.shapes or shapes_of(self._m, d, own, inverse(T_world_part))
        joint = None if name in self._movable else _joint(self._m, d, body, kind)
        return Part(name, _part_kind(joint, kind), T_world_part, shapes, joint)

    def _regions(self, carried: dict[int, int], names: dict[int, str], parts: list[Part], d: Any) -> list[Region]:
        doors = [p.name for p in parts if p.kind == "door"]
        out = []
        for s in range(self._m.nsite):
            body = int(self._m.site_bodyid[s])
            if body not in carried or self._m.site_type[s] != mujoco.mjtGeom.mjGEOM_BOX:
                continue
            size = self._m.site_size[s].copy()
            part = names[carried[body]]
            surface = size.min() < FLAT
            moving = next(p for p in parts if p.name == part).joint is not None
            door = None if surface else part if moving else (doors[0] if doors else None)
            kind: RegionKind = "surface" if surface else "interior"
            out.append(Region(self._m.site(s).name, kind, site_pose(d, s), size, part, door))
        return out


def subtree(model: Any, root: int) -> list[int]:
    """The ids of a body and of all that hangs on it."""
    members = [root]
    for b in range(root + 1, model.nbody):
        if int(model.body_parentid[b]) in members:
            members.append(b)
    return members


def carriers(model: Any, root: int, movable: bool) -> dict[int, int]:
    """For each body of a thing the one that it moves with: the nearest at or above it that is on a joint, or the
    `root`; of a `movable` thing always the root."""
    found = {root: root}
    for b in subtree(model, root)[1:]:
        found[b] = b if model.body_jntnum[b] and not movable else found[int(model.body_parentid[b])]
    return found


def body_pose(d: Any, body: int) -> Array:
    """Where a body is (4, 4)."""
    return pose(d.xpos[body].copy(), d.xmat[body].reshape(3, 3).copy())


def site_pose(d: Any, site: int) -> Array:
    """Where a site is (4, 4)."""
    return pose(d.site_xpos[site].copy(), d.site_xmat[site].reshape(3, 3).copy())


def shapes_of(model: Any, d: Any, bodies: list[int], T_part_world: Array) -> tuple[Shape, ...]:
    """The collision shapes of some bodies, in the frame that `T_part_world` (4, 4) leads to."""
    out = []
    for g in np.flatnonzero(np.isin(model.geom_bodyid, bodies)):
        shape = _shape(model, int(g)) if model.geom_contype[g] or model.geom_conaffinity[g] else None
        if shape is not None:
            T_world_geom = pose(d.geom_xpos[g], d.geom_xmat[g].reshape(3, 3))
            out.append(Shape(shape.kind, shape.size, T_part_world @ T_world_geom @ shape.T_body_shape))
    return tuple(out)


def _shape(model: Any, geom: int) -> Shape | None:
    """The shape of a geom in its own frame, of a mesh one around its hull; None for what is neither."""
    kind = int(model.geom_type[geom])
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        mesh, T_body_geom = int(model.geom_dataid[geom]), model_pose(model, geom)
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        points = model.mesh_vert[first : first + count].astype(float)
        # a mesh's own axes are those of its inertia, and those of what is nearly round are any
        found = fitted(moved(points, T_body_geom), (np.eye(3), T_body_geom[:3, :3]))
        return Shape(found.kind, found.size, inverse(T_body_geom) @ found.T_body_shape)
    if kind not in _KINDS:
        return None
    size = model.geom_size[geom].copy()
    if kind == mujoco.mjtGeom.mjGEOM_PLANE:
        size[:2][size[:2] <= 0] = UNBOUNDED
    return Shape(_KINDS[kind], size, np.eye(4))


def model_pose(model: Any, geom: int) -> Array:
    """A geom on its body (4, 4)."""
    return from_quat(model.geom_pos[geom], model.geom_quat[geom])


def _joint(model: Any, d: Any, body: int, kind: ThingKind) -> Joint | None:
    if model.body_jntnum[body] == 0:
        return None
    j = int(model.body_jntadr[body])
    ends = kind.ends(model, j)
    if ends is None:
        return None
    slide = model.jnt_type[j] == mujoco.mjtJoint.mjJNT_SLIDE
    active, rest = ends
    return Joint(
        kind="slide" if slide else "hinge",
        axis_world=d.xaxis[j].copy(),
        anchor_world=d.xanchor[j].copy(),
        limits=(float(model.jnt_range[j][0]), float(model.jnt_range[j][1])),
        value=float(d.qpos[model.jnt_qposadr[j]]),
        active=active,
        rest=rest,
    )


def _part_kind(joint: Joint | None, kind: ThingKind) -> PartKind:
    if joint is None:
        return "body"
    if kind.turns_on:
        return "knob"
    return "drawer" if joint.kind == "slide" else "door"


def ground(model: Any, d: Any, taken: Collection[int], name: str, bottoms: list[float]) -> SceneObject:
    """What the bodies that are not `taken` make: table, floor and walls, with the surface `name` on which things with
    these `bottoms` (m) stand."""
    shapes = shapes_of(model, d, [b for b in range(model.nbody) if b not in taken], np.eye(4))
    low, high = top_of(shapes, bottoms)
    body = f"{name}_body"
    top = Region(name, "surface", pose(0.5 * (low + high)), 0.5 * (high - low), body)
    category = "floor" if "floor" in name else "table"
    return SceneObject(body, category, False, (Part(body, "body", np.eye(4), shapes),), (top,))


def top_of(shapes: tuple[Shape, ...], bottoms: list[float]) -> tuple[Array, Array]:
    """Corners (3,), (3,) of the level rectangle made of the shapes that end where the lowest thing stands; with
    nothing standing anywhere, of the largest shape."""
    boxes = [bounds((s,), np.eye(4)) for s in shapes]
    level = min(bottoms, default=np.inf)
    under = [(low, high) for low, high in boxes if abs(high[2] - level) < LEVEL and min((high - low)[:2]) > NARROW]
    under = under or [max(boxes, key=lambda b: float(np.prod((b[1] - b[0])[:2])))]
    low = np.min([b[0] for b in under], axis=0)
    high = np.max([b[1] for b in under], axis=0)
    return np.array([*low[:2], high[2]]), high
