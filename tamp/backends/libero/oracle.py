"""Oracle perception: the simulator's state as a Scene. Nothing else of the toolkit may read the simulator.

Poses, shapes and joint values come from the simulation, thresholds from each object's class. The regions of
an object are the box sites of its own model. What the BDDL file calls the places where objects start is
never read.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from motion.poses import Array, inverse, pose
from motion.shapes import Kind, Shape, bounds
from tamp.backends.libero.environment import FLAT, LiberoEnvironment
from tamp.backends.libero.model import ROBOT_PREFIXES
from tamp.model.scene import Joint, Part, PartKind, Region, RegionKind, Scene, SceneObject

_KINDS: dict[int, Kind] = {
    int(mujoco.mjtGeom.mjGEOM_BOX): "box",
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): "cylinder",
    int(mujoco.mjtGeom.mjGEOM_SPHERE): "sphere",
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): "capsule",
    int(mujoco.mjtGeom.mjGEOM_PLANE): "plane",
}
LEVEL = 0.02
"""Metres between the lowest thing's bottom and the top of what it may stand on."""
NARROW = 0.1
"""Metres: narrower shapes are no ground to stand on."""


class OraclePerceiver:
    """Reads a LIBERO simulation. `places` names regions of the ground to report as surfaces: none, unless a
    task's own goal, which is about such a place, is given instead of an instruction."""

    def __init__(self, environment: LiberoEnvironment, places: tuple[str, ...] = ()) -> None:
        self._places = places
        self._environment = environment
        domain = environment.domain
        self._m = environment.sim.model._model
        self._movable = set(domain.objects_dict)
        self._classes = {**domain.objects_dict, **domain.fixtures_dict}
        self._ground = str(domain.workspace_name)
        self._roots = {name: self._m.body(root).id for name, root in environment.root_bodies().items()}

    def perceive(self) -> Scene:
        """The scene now."""
        d = self._environment.sim.data._data
        objects = [self._object(name, d) for name in self._roots]
        return Scene(
            objects=(*objects, self._support(d, objects)),
            robot=self._environment.robot_state(),
            time=self._environment.time,
            confidence={o.name: 1.0 for o in objects},
        )

    def _object(self, name: str, d: Any) -> SceneObject:
        model, cls = self._m, self._classes[name]
        movable = name in self._movable
        members = _subtree(model, self._roots[name])
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
        shapes = _shapes(self._m, d, own, inverse(T_world_part))
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

    def _support(self, d: Any, objects: list[SceneObject]) -> SceneObject:
        """What belongs to no object: table, floor and walls, with the top that things stand on as a surface."""
        model = self._m
        taken = {b for root in self._roots.values() for b in _subtree(model, root)}
        rest = [b for b in range(model.nbody) if b not in taken and not model.body(b).name.startswith(ROBOT_PREFIXES)]
        shapes = _shapes(model, d, rest, np.eye(4))
        name = self._ground
        low, high = _top(shapes, [o.bounds()[0][2] for o in objects if o.movable])
        body = f"{name}_body"
        regions = [Region(name, "surface", pose(0.5 * (low + high)), 0.5 * (high - low), body)]
        for place in self._places:
            s = model.site(place).id
            T = pose(d.site_xpos[s].copy(), d.site_xmat[s].reshape(3, 3).copy())
            regions.append(Region(place, "surface", T, model.site_size[s].copy(), body))
        return SceneObject(body, _category(name), False, (Part(body, "body", np.eye(4), shapes),), tuple(regions))


def _top(shapes: tuple[Shape, ...], bottoms: list[float]) -> tuple[Array, Array]:
    """Corners (3,), (3,) of the level rectangle made of the shapes that end where the lowest thing stands; with
    nothing standing anywhere, of the largest shape."""
    boxes = [bounds((s,), np.eye(4)) for s in shapes]
    level = min(bottoms, default=np.inf)
    under = [(low, high) for low, high in boxes if abs(high[2] - level) < LEVEL and min((high - low)[:2]) > NARROW]
    under = under or [max(boxes, key=lambda b: float(np.prod((b[1] - b[0])[:2])))]
    low = np.min([b[0] for b in under], axis=0)
    high = np.max([b[1] for b in under], axis=0)
    return np.array([*low[:2], high[2]]), high


def _category(name: str) -> str:
    return "floor" if "floor" in name else "table"


def _subtree(model: Any, root: int) -> list[int]:
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


def _shapes(model: Any, d: Any, bodies: list[int], T_part_world: Array) -> tuple[Shape, ...]:
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
