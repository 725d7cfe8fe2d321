"""The steps of an xArm action plan, and how the contract writes them.

Steps have all defaults filled in, in metres, radians and seconds; the contract has millimetres and degrees. Directions
and offsets are along the axes of the base frame; above is along its z.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from motion.poses import Array, from_rpy

HOVER, OFFSET, TIMEOUT = 0.08, (0.0, 0.0, 0.0), 5.0
"""What a step means that does not say `hover_mm` (metres), `offset_mm` (metres), `timeout_sec` (seconds)."""
LIFT = HOVER
"""Metres that a retreat goes up unless it is given a distance: as high as approaches hover."""

Selector = Literal["nearest", "highest_conf"]


@dataclass(frozen=True)
class MoveToNamed:
    """To the named pose."""

    name: str


@dataclass(frozen=True)
class ApproachNamed:
    """To `hover` metres above the named pose."""

    name: str
    hover: float = HOVER


@dataclass(frozen=True)
class OfObject:
    """Which thing a step is about: of those with one of the `labels` and at least the confidence `min_conf`, the one
    with this `index`, from 0, in the selector's order. Nearest is to the named pose `ref`, None: to the tool point.
    It has to be seen within `timeout` seconds.
    """

    labels: tuple[str, ...]
    selector: Selector = "nearest"
    ref: str | None = None
    index: int = 0
    min_conf: float = 0.0
    timeout: float = TIMEOUT


@dataclass(frozen=True)
class MoveToObject(OfObject):
    """To the thing's position plus `offset` (3,) metres."""

    offset: tuple[float, float, float] = OFFSET


@dataclass(frozen=True)
class ApproachObject(OfObject):
    """To `hover` metres above the thing's position."""

    hover: float = HOVER


@dataclass(frozen=True)
class RetreatZ:
    """Upward by `distance` metres."""

    distance: float


@dataclass(frozen=True)
class MoveToPose:
    """To a position (3,) in metres and roll, pitch, yaw (3,) in radians."""

    xyz: tuple[float, float, float]
    rpy: tuple[float, float, float]

    @property
    def T_base_tool(self) -> Array:
        """The pose (4, 4)."""
        return from_rpy(list(self.xyz), list(self.rpy))


@dataclass(frozen=True)
class Sleep:
    """A wait."""

    seconds: float


Step = MoveToNamed | ApproachNamed | MoveToObject | ApproachObject | RetreatZ | MoveToPose | Sleep


def _same(value: Any) -> Any:
    return value


def _short(value: float) -> float:
    """Without the last digits, which the change of units left: a nanometre, a millionth of a degree."""
    return round(value, 6)


def _metres(mm: float) -> float:
    return float(mm / 1000)


def _millimetres(metres: float) -> float:
    return _short(1000 * metres)


def _degrees(radians: float) -> float:
    return _short(math.degrees(radians))


def _each(change: Callable[[float], float], kind: type = tuple) -> Callable[[Sequence[float]], Any]:
    return lambda values: kind(map(change, values))


@dataclass(frozen=True)
class _Field:
    """A field of the contract, by the way to its value; the attribute of the step that it is, read and written."""

    path: str
    attribute: str
    read: Callable[[Any], Any] = _same
    write: Callable[[Any], Any] = _same


_NAME = _Field("name", "name")
_HOVER = _Field("hover_mm", "hover", _metres, _millimetres)
_OFFSET = _Field("offset_mm", "offset", _each(_metres), _each(_millimetres, list))
_XYZ = _Field("pose.xyz_mm", "xyz", _each(_metres), _each(_millimetres, list))
_RPY = _Field("pose.rpy_deg", "rpy", _each(math.radians), _each(_degrees, list))
_OBJECT = (
    _Field("labels", "labels", tuple, list),
    _Field("selector", "selector"),
    _Field("ref.named", "ref"),
    _Field("index", "index", int),  # 1.0 is an integer to JSON Schema
    _Field("min_conf", "min_conf", float),
    _Field("timeout_sec", "timeout", float),
)
_WRITTEN = ("labels", "selector")
"""Attributes that are written also where they are the defaults."""
_ACTIONS: dict[str, tuple[Callable[..., Step], tuple[_Field, ...]]] = {
    "MOVE_TO_NAMED": (MoveToNamed, (_NAME,)),
    "APPROACH_NAMED": (ApproachNamed, (_NAME, _HOVER)),
    "MOVE_TO_OBJECT": (MoveToObject, (*_OBJECT, _OFFSET)),
    "APPROACH_OBJECT": (ApproachObject, (*_OBJECT, _HOVER)),
    "RETREAT_Z": (RetreatZ, (_Field("dz_mm", "distance", _metres, _millimetres),)),
    "MOVE_TO_POSE": (MoveToPose, (_XYZ, _RPY)),
    "SLEEP": (Sleep, (_Field("seconds", "seconds", float),)),
}
FIELDS = {
    action: frozenset({f.path.partition(".")[0] for f in fields} | ({"label"} if _OBJECT[0] in fields else set()))
    for action, (_, fields) in _ACTIONS.items()
}
"""The fields that each action reads, besides `action`."""


def steps_of(plan: Mapping[str, Any]) -> tuple[Step, ...]:
    """The steps of a plan that keeps to the contract: one in which `breaches` finds nothing."""
    return tuple(map(_read, plan["steps"]))


def written(steps: Sequence[Step], goal: str) -> dict[str, Any]:
    """The action plan with these steps, at least one; `goal` says in words what it is for. Defaults are left out."""
    return {"goal": goal, "steps": [_written(step) for step in steps]}


def _read(entry: Mapping[str, Any]) -> Step:
    kind, fields = _ACTIONS[entry["action"]]
    entry = {"labels": [entry["label"]], **entry} if "label" in entry else entry
    values = ((f, _at(entry, f.path.split("."))) for f in fields)
    return kind(**{f.attribute: f.read(value) for f, value in values if value is not None})


def _at(entry: Any, path: Sequence[str]) -> Any:
    for key in path:
        entry = entry.get(key) if entry is not None else None
    return entry


def _written(step: Step) -> dict[str, Any]:
    action, fields = next((name, fields) for name, (kind, fields) in _ACTIONS.items() if kind is type(step))
    entry: dict[str, Any] = {"action": action}
    for field in fields:
        value = getattr(step, field.attribute)
        if field.attribute in _WRITTEN or value != getattr(type(step), field.attribute, ...):
            outer, _, inner = field.path.partition(".")
            entry |= {outer: {**entry.get(outer, {}), inner: field.write(value)} if inner else field.write(value)}
    return entry
