"""The steps of an xArm action plan with all defaults filled in: metres, radians and seconds.

Directions and offsets are along the axes of the base frame; above is along its z.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from motion.poses import Array, from_rpy

HOVER, OFFSET, TIMEOUT = 0.08, (0.0, 0.0, 0.0), 5.0
"""What a step means that does not say `hover_mm` (metres), `offset_mm` (metres), `timeout_sec` (seconds)."""

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
class _OfObject:
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
class MoveToObject(_OfObject):
    """To the thing's position plus `offset` (3,) metres."""

    offset: tuple[float, float, float] = OFFSET


@dataclass(frozen=True)
class ApproachObject(_OfObject):
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


def steps_of(plan: Mapping[str, Any]) -> tuple[Step, ...]:
    """The steps of a plan that keeps to the contract: one in which `breaches` finds nothing."""
    return tuple(_READ[said["action"]](said) for said in plan["steps"])


def _of_object(said: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "labels": tuple(said.get("labels") or (said["label"],)),
        "selector": said.get("selector", "nearest"),
        "ref": said.get("ref", {}).get("named"),
        "index": int(said.get("index", 0)),  # 1.0 is an integer to JSON Schema
        "min_conf": float(said.get("min_conf", 0)),
        "timeout": float(said.get("timeout_sec", TIMEOUT)),
    }


def _hover(said: Mapping[str, Any]) -> float:
    return float(said["hover_mm"] / 1000) if "hover_mm" in said else HOVER


def _offset(said: Mapping[str, Any]) -> tuple[float, float, float]:
    return _metres(said["offset_mm"]) if "offset_mm" in said else OFFSET


def _metres(mm: list[float]) -> tuple[float, float, float]:
    x, y, z = (float(v / 1000) for v in mm)
    return x, y, z


def _angles(degrees: list[float]) -> tuple[float, float, float]:
    roll, pitch, yaw = map(math.radians, degrees)
    return roll, pitch, yaw


_READ: dict[str, Callable[[Mapping[str, Any]], Step]] = {
    "MOVE_TO_NAMED": lambda said: MoveToNamed(said["name"]),
    "APPROACH_NAMED": lambda said: ApproachNamed(said["name"], _hover(said)),
    "MOVE_TO_OBJECT": lambda said: MoveToObject(**_of_object(said), offset=_offset(said)),
    "APPROACH_OBJECT": lambda said: ApproachObject(**_of_object(said), hover=_hover(said)),
    "RETREAT_Z": lambda said: RetreatZ(said["dz_mm"] / 1000),
    "MOVE_TO_POSE": lambda said: MoveToPose(_metres(said["pose"]["xyz_mm"]), _angles(said["pose"]["rpy_deg"])),
    "SLEEP": lambda said: Sleep(float(said["seconds"])),
}
