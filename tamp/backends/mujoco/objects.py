"""One object of a MuJoCo model as a SceneObject: its moving parts, collision shapes and regions.

Poses, shapes and joint values come from the simulation, what they mean from each object's kind. The regions of
an object are the box sites of its own model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from motion.hulls import fitted
from motion.poses import Array, from_quat, inverse, moved, pose
from motion.robot_parts import SOLIDS
from motion.shapes import Kind, Shape
from tamp.model.scene import Joint, Part, PartKind, Region, RegionKind, SceneObject

FLAT = 0.006
"""A region thinner than this half-extent (metres) is a surface, a thicker one an interior."""

UNBOUNDED = 5.0
"""Half-size (metres) of a plane that has none."""

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


class ObjectReader:
    """Reads the objects of a MuJoCo model. `kinds` are those of the objects by name, `roots` the ids of the bodies that
    carry them, `movable` the names of those that can be carried."""

    def __init__(
        self, model: Any, kinds: Mapping[str, ThingKind], roots: Mapping[str, int], movable: Collection[str]
    ) -> None:
        self._m, self._kinds, self._roots, self._movable = model, kinds, roots, movable

    def read(self, name: str, d: Any) -> SceneObject:
        """The object called `name` in the simulation's data `d`."""
        model, kind = self._m, self._kinds[name]
        movable = name in self._movable
        members = subtree(model, self._roots[name])
        carriers = {b: (self._roots[name] if movable else _carrier(model, b, self._roots[name])) for b in members}
        parts = [
            self._part(name if b == self._roots[name] else model.body(b).name, b, carriers, kind, d)
            for b in dict.fromkeys([self._roots[name], *carriers.values()])
        ]
        names = {b: p.name for b, p in zip(dict.fromkeys([self._roots[name], *carriers.values()]), parts, strict=True)}
        regions = self._regions(carriers, names, parts, d)
        return SceneObject(name, kind.category, movable, tuple(parts), tuple(regions))

    def _part(self, name: str, body: int, carriers: dict[int, int], kind: ThingKind, d: Any) -> Part:
        T_world_part = _body_pose(d, body)
        own = [b for b, carrier in carriers.items() if carrier == body]
        shapes = shapes_of(self._m, d, own, inverse(T_world_part))
        joint = None if name in self._movable else _joint(self._m, d, body, kind)
        return Part(name, _part_kind(joint, kind), T_world_part, shapes, joint)

    def _regions(self, carriers: dict[int, int], names: dict[int, str], parts: list[Part], d: Any) -> list[Region]:
        doors = [p.name for p in parts if p.kind == "door"]
        out = []
        for s in range(self._m.nsite):
            body = int(self._m.site_bodyid[s])
            if body not in carriers or self._m.site_type[s] != mujoco.mjtGeom.mjGEOM_BOX:
                continue
            R = d.site_xmat[s].reshape(3, 3).copy()
            size = self._m.site_size[s].copy()
            part = names[carriers[body]]
            surface = size.min() < FLAT
            moving = next(p for p in parts if p.name == part).joint is not None
            door = None if surface else part if moving else (doors[0] if doors else None)
            kind: RegionKind = "surface" if surface else "interior"
            out.append(Region(self._m.site(s).name, kind, pose(d.site_xpos[s].copy(), R), size, part, door))
        return out


def subtree(model: Any, root: int) -> list[int]:
    """The ids of a body and of all that hangs on it."""
    members = [root]
    for b in range(root + 1, model.nbody):
        if int(model.body_parentid[b]) in members:
            members.append(b)
    return members


def _carrier(model: Any, body: int, root: int) -> int:
    """The nearest body at or above `body` that moves on a joint, or the object's root."""
    while body != root and model.body_jntnum[body] == 0:
        body = int(model.body_parentid[body])
    return body


def _body_pose(d: Any, body: int) -> Array:
    return pose(d.xpos[body].copy(), d.xmat[body].reshape(3, 3).copy())


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
