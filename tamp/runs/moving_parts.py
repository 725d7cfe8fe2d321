"""Things with parts that move, as a log describes them, to be drawn: each drawer, door and knob where its joint is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any, Literal

import numpy as np

from motion.poses import Array, from_quat, inverse, joint_transform, to_quat
from motion.robot_shape import Solid, solids_of
from motion.shapes import Shape
from tamp.model.scene import Joint, Part, Scene, SceneObject, part_end

KINDS = ("box", "cylinder", "sphere", "capsule")
"""Shapes that take up room."""
MOST = 100
"""Shapes of a part that are drawn."""
NEARLY = 0.1
"""Share of the way from rest to active up to which a part counts as closed or off, as in `Joint.is_nearly_rest`."""
LARGEST = 1e4
"""What is larger is no length of a thing, and no angle."""


@dataclass(frozen=True, eq=False)
class DrawnJoint:
    """How a part moves against its object, `axis` and `anchor` (3,) in the object's frame. `value`, `active` and `rest`
    are those of `tamp.model.scene.Joint`, `value` the one at which the part is as it is described."""

    kind: Literal["slide", "hinge"]
    axis: Array
    anchor: Array
    value: float
    active: float
    rest: float

    def along(self, points: Array) -> Array:
        """How far (n,) points (n, 3) of a path in the object's frame are along the joint: metres, or radians."""
        if self.kind == "slide":
            return np.asarray(points @ self.axis)
        spokes = points - self.anchor
        spokes = spokes - np.outer(spokes @ self.axis, self.axis)
        return np.unwrap(np.arctan2(spokes @ np.cross(self.axis, spokes[0]), spokes @ spokes[0]))


@dataclass(frozen=True, eq=False)
class DrawnPart:
    """A rigid piece of a thing: `name` is the end of its name, empty for the body, `kind` a word for it. `shapes` are
    in the object's frame, where its joint is at the value that it was described with."""

    name: str
    kind: str
    shapes: tuple[Shape, ...]
    joint: DrawnJoint | None = None

    @cached_property
    def solids(self) -> tuple[Solid, ...]:
        """Its solids, in the frame of the shapes."""
        return solids_of(self.shapes)

    def called(self, thing: str) -> str:
        """What it is called as a part of a thing."""
        return f"{thing}{self.name}" if self.name.startswith("_") or not self.name else f"{thing} {self.name}"

    def displacement(self, value: float | None) -> Array:
        """What carries it (4, 4), in the object's frame, from where it was described to a joint value, if any."""
        if self.joint is None or value is None:
            return np.eye(4)
        return joint_transform(self.joint.kind, self.joint.axis, self.joint.anchor, value - self.joint.value)

    def state(self, value: float) -> str:
        """Whether it is open or closed, on or off, at a joint value, as planning has it."""
        assert self.joint is not None
        names = ("on", "off", "half on") if self.kind == "knob" else ("open", "closed", "half open")
        far = (value - self.joint.rest) / (self.joint.active - self.joint.rest)
        return names[0] if far >= 1 else names[1] if far < NEARLY else names[2]


def parts_told(scene: Scene) -> dict[str, list[dict[str, Any]]]:
    """The parts of each thing of which any moves, as plain data for a log; see docs/episodes.md."""
    jointed = (o for o in scene if any(p.joint is not None for p in o.parts))
    return {o.name: [_told(o, p) for p in o.parts] for o in jointed}


def _told(o: SceneObject, part: Part) -> dict[str, Any]:
    T_object_part = inverse(o.T_world_object) @ part.T_world_part
    shapes = [_shape_told(s, T_object_part) for s in part.shapes if s.kind in KINDS]
    joint = None if part.joint is None else _joint_told(part.joint, inverse(o.T_world_object))
    return {"name": part_end(o, part), "kind": part.kind, "shapes": shapes, "joint": joint}


def _shape_told(shape: Shape, T_object_part: Array) -> list[Any]:
    T = T_object_part @ shape.T_body_shape
    return [shape.kind, _plain(shape.size), [*_plain(T[:3, 3]), *_plain(to_quat(T[:3, :3]))]]


def _joint_told(joint: Joint, T_object_world: Array) -> dict[str, Any]:
    axis = T_object_world[:3, :3] @ joint.axis_world
    anchor = T_object_world[:3, :3] @ joint.anchor_world + T_object_world[:3, 3]
    numbers = {"value": joint.value, "active": joint.active, "rest": joint.rest}
    rounded = {name: round(float(v), 5) for name, v in numbers.items()}
    return {"kind": joint.kind, "axis": _plain(axis), "anchor": _plain(anchor), **rounded}


def _plain(values: Array) -> list[float]:
    return [round(float(v), 5) for v in values]


def parts_of(e: Mapping[str, Any]) -> dict[str, tuple[DrawnPart, ...]]:
    """The parts of things that an event of a log describes. What is not of its kind is left out."""
    told = e.get("parts")
    found = {}
    for name, some in told.items() if isinstance(told, dict) else ():
        parts = tuple(p for part in some if (p := _part(part))) if isinstance(some, list) else ()
        if any(p.shapes for p in parts):
            found[str(name)] = parts
    return found


def values_of(e: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """The joint values that an event tells, by the thing and the end of its part's name."""
    told = e.get("joints")
    things = told.items() if isinstance(told, dict) else ()
    return {str(n): {end: float(v) for end, v in of.items() if _number(v)} for n, of in things if isinstance(of, dict)}


def _part(told: Any) -> DrawnPart | None:
    if not isinstance(told, dict) or not isinstance(told.get("shapes"), list):
        return None
    name, kind = (told[k] if isinstance(told.get(k), str) else "" for k in ("name", "kind"))
    shapes = (_shape(s) for s in told["shapes"][:MOST])
    return DrawnPart(name, kind, tuple(s for s in shapes if s is not None), _joint(told.get("joint")))


def _shape(told: Any) -> Shape | None:
    if not isinstance(told, list) or len(told) != 3 or told[0] not in KINDS:
        return None
    kind, size, at = told
    if not (_numbers(size, 3) and _numbers(at, 7)) or not 0.9 < np.linalg.norm(at[3:]) < 1.1:
        return None
    return Shape(kind, np.array(size, dtype=float), from_quat(np.array(at[:3]), np.array(at[3:], dtype=float)))


def _joint(told: Any) -> DrawnJoint | None:
    if not isinstance(told, dict) or told.get("kind") not in ("slide", "hinge"):
        return None
    axis, anchor = told.get("axis"), told.get("anchor")
    numbers = [told.get(k) for k in ("value", "active", "rest")]
    if not (_numbers(axis, 3) and _numbers(anchor, 3) and _numbers(numbers, 3)):
        return None
    value, active, rest = (float(v) for v in np.array(numbers, dtype=float))
    if active == rest:
        return None
    return DrawnJoint(told["kind"], np.array(axis, dtype=float), np.array(anchor, dtype=float), value, active, rest)


def _numbers(values: Any, n: int) -> bool:
    return isinstance(values, list) and len(values) == n and all(map(_number, values))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and isfinite(value) and abs(value) < LARGEST
