"""One object of a MuJoCo model as a SceneObject: its moving parts, collision shapes and regions.

Poses, shapes and joint values come from the simulation, thresholds from each object's class. The regions of
an object are the box sites of its own model.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import mujoco
import numpy as np

from motion.mjcf_text import SOLIDS
from motion.poses import Array, inverse, pose
from motion.shapes import Kind, Shape
from tamp.model.scene import Joint, Part, PartKind, Region, RegionKind, SceneObject

FLAT = 0.006
"""A region thinner than this half-extent (metres) is a surface, a thicker one an interior."""

_KINDS: dict[int, Kind] = SOLIDS | {int(mujoco.mjtGeom.mjGEOM_PLANE): "plane"}


class ObjectReader:
    """Reads the objects of a MuJoCo model. `classes` are LIBERO's objects by name, `roots` the ids of the bodies that
    carry them, `movable` the names of those that can be carried."""

    def __init__(
        self, model: Any, classes: Mapping[str, Any], roots: Mapping[str, int], movable: Collection[str]
    ) -> None:
        self._m, self._classes, self._roots, self._movable = model, classes, roots, movable

    def read(self, name: str, d: Any) -> SceneObject:
        """The object called `name` in the simulation's data `d`."""
        model, cls = self._m, self._classes[name]
        movable = name in self._movable
        members = subtree(model, self._roots[name])
        carriers = {b: (self._roots[name] if movable else _carrier(model, b, self._roots[name])) for b in members}
        parts = [
            self._part(name if b == self._roots[name] else model.body(b).name, b, carriers, cls, d)
            for b in dict.fromkeys([self._roots[name], *carriers.values()])
        ]
        names = {b: p.name for b, p in zip(dict.fromkeys([self._roots[name], *carriers.values()]), parts, strict=True)}
        regions = self._regions(carriers, names, parts, d)
        return SceneObject(name, str(cls.category_name), movable, tuple(parts), tuple(regions))

    def _part(self, name: str, body: int, carriers: dict[int, int], cls: Any, d: Any) -> Part:
        T_world_part = _body_pose(d, body)
        own = [b for b, carrier in carriers.items() if carrier == body]
        shapes = shapes_of(self._m, d, own, inverse(T_world_part))
        joint = None if name in self._movable else _joint(self._m, d, body, cls)
        return Part(name, _part_kind(joint, cls), T_world_part, shapes, joint)

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
        if (model.geom_contype[g] or model.geom_conaffinity[g]) and int(model.geom_type[g]) in _KINDS:
            T_world_geom = pose(d.geom_xpos[g], d.geom_xmat[g].reshape(3, 3))
            out.append(Shape(_KINDS[int(model.geom_type[g])], model.geom_size[g].copy(), T_part_world @ T_world_geom))
    return tuple(out)


def _joint(model: Any, d: Any, body: int, cls: Any) -> Joint | None:
    if model.body_jntnum[body] == 0:
        return None
    j = int(model.body_jntadr[body])
    thresholds = _thresholds(cls)
    if thresholds is None:
        return None
    slide = model.jnt_type[j] == mujoco.mjtJoint.mjJNT_SLIDE
    active, rest = thresholds
    return Joint(
        kind="slide" if slide else "hinge",
        axis_world=d.xaxis[j].copy(),
        anchor_world=d.xanchor[j].copy(),
        limits=(float(model.jnt_range[j][0]), float(model.jnt_range[j][1])),
        value=float(d.qpos[model.jnt_qposadr[j]]),
        active=active,
        rest=rest,
    )


def _thresholds(cls: Any) -> tuple[float, float] | None:
    """Joint values that LIBERO's class counts as (open or on, closed or off); None when it names none."""
    ranges = getattr(cls, "object_properties", {}).get("articulation", {})
    on, off = ranges.get("default_turnon_ranges"), ranges.get("default_turnoff_ranges")
    if on:
        return min(on), max(off)
    opened, closed = ranges.get("default_open_ranges"), ranges.get("default_close_ranges")
    if not opened:
        return None
    return (max(opened), min(closed)) if max(opened) < min(closed) else (min(opened), max(closed))


def _part_kind(joint: Joint | None, cls: Any) -> PartKind:
    if joint is None:
        return "body"
    if hasattr(cls, "turn_on"):
        return "knob"
    return "drawer" if joint.kind == "slide" else "door"
