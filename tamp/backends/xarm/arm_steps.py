"""The steps of an xArm action plan, and what the skills of a domain come to.

Steps have all defaults filled in, in metres, radians and seconds; the contract has millimetres and degrees. Directions
and offsets are along the axes of the base frame; above is along its z.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from motion.poses import Array, from_rpy
from tamp.backends.xarm.hand import HandEvent
from tamp.model.atoms import GroundAction

HOVER, TIMEOUT = 0.08, 5.0
"""What a step means that does not say `hover_mm` (metres), `timeout_sec` (seconds)."""
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

    @property
    def words(self) -> tuple[object, ...]:
        """What is the same of steps that ask for the same thing."""
        return (self.labels, self.selector, self.ref, self.index, self.min_conf)


@dataclass(frozen=True)
class MoveToObject(OfObject):
    """To the thing's position plus `offset` (3,) metres."""

    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)


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


def word(step: Step | HandEvent) -> str:
    """What a step is called in messages."""
    return step.kind if isinstance(step, HandEvent) else type(step).__name__


# --- of an action plan ------------------------------------------------------------------------------------------------

_OF_OBJECT = frozenset({"label", "labels", "selector", "ref", "index", "min_conf", "timeout_sec"})
FIELDS = {
    "MOVE_TO_NAMED": frozenset({"name"}),
    "APPROACH_NAMED": frozenset({"name", "hover_mm"}),
    "MOVE_TO_OBJECT": _OF_OBJECT | {"offset_mm"},
    "APPROACH_OBJECT": _OF_OBJECT | {"hover_mm"},
    "RETREAT_Z": frozenset({"dz_mm"}),
    "MOVE_TO_POSE": frozenset({"pose"}),
    "SLEEP": frozenset({"seconds"}),
}
"""The fields that each action reads, besides `action`."""


def steps_of(plan: Mapping[str, Any]) -> tuple[Step, ...]:
    """The steps of a plan that keeps to the contract: one in which `breaches` finds nothing."""
    return tuple(_READ[entry["action"]](entry) for entry in plan["steps"])


_READ: Mapping[str, Callable[[Mapping[str, Any]], Step]] = {
    "MOVE_TO_NAMED": lambda e: MoveToNamed(e["name"]),
    "APPROACH_NAMED": lambda e: ApproachNamed(e["name"], _hover(e)),
    "MOVE_TO_OBJECT": lambda e: MoveToObject(**_of_object(e), offset=_metres(e.get("offset_mm", (0, 0, 0)))),
    "APPROACH_OBJECT": lambda e: ApproachObject(**_of_object(e), hover=_hover(e)),
    "RETREAT_Z": lambda e: RetreatZ(e["dz_mm"] / 1000),
    "MOVE_TO_POSE": lambda e: MoveToPose(_metres(e["pose"]["xyz_mm"]), _radians(e["pose"]["rpy_deg"])),
    "SLEEP": lambda e: Sleep(float(e["seconds"])),
}


def _hover(entry: Mapping[str, Any]) -> float:
    return float(entry["hover_mm"] / 1000 if "hover_mm" in entry else HOVER)


def _of_object(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "labels": tuple(entry.get("labels") or (entry["label"],)),
        "selector": entry.get("selector", "nearest"),
        "ref": entry.get("ref", {}).get("named"),
        "index": int(entry.get("index", 0)),  # 1.0 is an integer to JSON Schema
        "min_conf": float(entry.get("min_conf", 0.0)),
        "timeout": float(entry.get("timeout_sec", TIMEOUT)),
    }


def _metres(mm: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = (v / 1000 for v in mm)
    return x, y, z


def _radians(degrees: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = map(math.radians, degrees)
    return x, y, z


# --- of a plan of a domain --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SkillCall:
    """A ground action, number `number` of its plan from 1, with what its arguments are called in the arm's world.

    Where the skill takes an item, it is the one with this `index`, from 0, of those with its `label`, in the order of
    distance from the named pose `place`, else from the tool.
    """

    number: int
    action: GroundAction
    place: str | None = None
    label: str = ""
    index: int = 0


ARM_SKILLS: Mapping[str, Callable[[SkillCall], Step | HandEvent]] = {
    "approach-object": lambda c: ApproachObject((c.label,), ref=c.place, index=c.index),
    "move-to-object": lambda c: MoveToObject((c.label,), ref=c.place, index=c.index),
    "approach-named": lambda c: ApproachNamed(str(c.place)),
    "move-to-named": lambda c: MoveToNamed(str(c.place)),
    "retreat": lambda c: RetreatZ(LIFT),
    "open-hand": lambda c: _event("open", c),
    "close-hand": lambda c: _event("close", c),
}
"""Every skill of an arm (`tamp.skills.builtin_specs`), and what it comes to: a step or an event, so that it has the
number of its action in the plan."""


def _event(kind: str, call: SkillCall) -> HandEvent:
    return HandEvent(kind, call.number, {"action": call.action.name, "args": list(call.action.args)})
