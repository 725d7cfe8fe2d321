"""Things with parts that move, as a log describes them, to be drawn: each drawer, door and knob where its joint is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from typing import Any, get_args

import numpy as np

from motion.poses import Array, from_quat, inverse, to_quat
from motion.shapes import Shape
from tamp.model.scene import Joint, Part, PartKind, Scene, SceneObject, part_end

KINDS = ("box", "cylinder", "sphere", "capsule")
"""Shapes that take up room."""
MOST = 100
"""Shapes of a part that are drawn."""
LARGEST = 1e4
"""What is larger is no length of a thing, and no angle."""


def part_label(part: Part, thing: str) -> str:
    """What a part that was read from a log is called as one of a thing."""
    return f"{thing}{part.name}" if part.name.startswith("_") or not part.name else f"{thing} {part.name}"


def part_state(part: Part, value: float) -> str:
    """Whether a part with a joint is open or closed, on or off, at a joint value, as planning has it."""
    assert part.joint is not None
    names = ("on", "off", "half on") if part.kind == "knob" else ("open", "closed", "half open")
    joint = replace(part.joint, value=value)
    return names[0] if joint.is_active else names[1] if joint.is_nearly_rest else names[2]


def parts_record(scene: Scene) -> dict[str, list[dict[str, Any]]]:
    """The parts of each thing of which any moves, as plain data for a log; see docs/episodes.md."""
    jointed = (o for o in scene if any(p.joint is not None for p in o.parts))
    return {o.name: [_part_record(o, p) for p in o.parts] for o in jointed}


def _part_record(o: SceneObject, part: Part) -> dict[str, Any]:
    T_object_part = inverse(o.T_world_object) @ part.T_world_part
    shapes = [_shape_record(s, T_object_part) for s in part.shapes if s.kind in KINDS]
    joint = None if part.joint is None else _joint_record(part.joint, inverse(o.T_world_object))
    return {"name": part_end(o, part), "kind": part.kind, "shapes": shapes, "joint": joint}


def _shape_record(shape: Shape, T_object_part: Array) -> list[Any]:
    T = T_object_part @ shape.T_body_shape
    return [shape.kind, _plain(shape.size), [*_plain(T[:3, 3]), *_plain(to_quat(T[:3, :3]))]]


def _joint_record(joint: Joint, T_object_world: Array) -> dict[str, Any]:
    axis = T_object_world[:3, :3] @ joint.axis_world
    anchor = T_object_world[:3, :3] @ joint.anchor_world + T_object_world[:3, 3]
    numbers = {"value": joint.value, "active": joint.active, "rest": joint.rest}
    rounded = {name: round(float(v), 5) for name, v in numbers.items()}
    return {"kind": joint.kind, "axis": _plain(axis), "anchor": _plain(anchor), **rounded}


def _plain(values: Array) -> list[float]:
    return [round(float(v), 5) for v in values]


def parts_of(e: Mapping[str, Any]) -> dict[str, tuple[Part, ...]]:
    """The parts of things that an event of a log describes, each named by the end of its name, in the frame of its
    thing: there all `T_world_part` are at the origin. What is not of its kind is left out."""
    entry = e.get("parts")
    found = {}
    for name, some in entry.items() if isinstance(entry, dict) else ():
        parts = tuple(p for part in some if (p := _part(part))) if isinstance(some, list) else ()
        if any(p.shapes for p in parts):
            found[str(name)] = parts
    return found


def values_of(e: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """The joint values that an event tells, by the thing and the end of its part's name."""
    entry = e.get("joints")
    things = entry.items() if isinstance(entry, dict) else ()
    return {str(n): {end: float(v) for end, v in of.items() if _number(v)} for n, of in things if isinstance(of, dict)}


def _part(entry: Any) -> Part | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("shapes"), list):
        return None
    name = entry["name"] if isinstance(entry.get("name"), str) else ""
    kind: PartKind = next((k for k in get_args(PartKind) if k == entry.get("kind")), "body")
    shapes = (_shape(s) for s in entry["shapes"][:MOST])
    return Part(name, kind, np.eye(4), tuple(s for s in shapes if s is not None), _joint(entry.get("joint")))


def _shape(entry: Any) -> Shape | None:
    if not isinstance(entry, list) or len(entry) != 3 or entry[0] not in KINDS:
        return None
    kind, size, at = entry
    if not (_numbers(size, 3) and _numbers(at, 7)) or not 0.9 < np.linalg.norm(at[3:]) < 1.1:
        return None
    return Shape(kind, np.array(size, dtype=float), from_quat(np.array(at[:3]), np.array(at[3:], dtype=float)))


def _joint(entry: Any) -> Joint | None:
    if not isinstance(entry, dict) or entry.get("kind") not in ("slide", "hinge"):
        return None
    axis, anchor = entry.get("axis"), entry.get("anchor")
    numbers = [entry.get(k) for k in ("value", "active", "rest")]
    if not (_numbers(axis, 3) and _numbers(anchor, 3) and _numbers(numbers, 3)):
        return None
    value, active, rest = (float(v) for v in np.array(numbers, dtype=float))
    if active == rest:
        return None
    limits = (min(active, rest), max(active, rest))
    return Joint(entry["kind"], np.array(axis, dtype=float), np.array(anchor, dtype=float), limits, value, active, rest)


def _numbers(values: Any, n: int) -> bool:
    return isinstance(values, list) and len(values) == n and all(map(_number, values))


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and isfinite(value) and abs(value) < LARGEST
