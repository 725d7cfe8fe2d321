"""The emulator's oracle: what lies around the arm, told as a detector tells it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

from tamp.errors import InputError

PERIOD = 0.1
"""Seconds between two lines of detections."""
MOST = 1000
"""Things at once, as many as a detector's line may have."""


@dataclass(frozen=True)
class Thing:
    """Something to detect: millimetres in the frame of the arm's base, and how sure the detector is of it, 0 to 1."""

    label: str
    xyz_mm: tuple[float, float, float]
    confidence: float = 1.0


@dataclass
class Things:
    """What is there now. Nothing here has a shape, and the arm moves none of it."""

    there: tuple[Thing, ...] = ()

    def line(self, time: float) -> bytes:
        """What a detector that knows all says of it, in seconds since the epoch; see docs/xarm-contract.md."""
        return json.dumps({"time": time, "objects": [asdict(t) for t in self.there]}).encode() + b"\n"

    def replace(self, said: Any) -> None:
        """Take what the side channel says is there: [{"label", "xyz_mm", "confidence"}]. Raises InputError."""
        if not isinstance(said, list) or len(said) > MOST:
            raise InputError(f"things: valid is a list of at most {MOST}")
        self.there = tuple(_thing(t) for t in said)


def read_thing(text: str) -> Thing:
    """A thing from `cup=400,0,30`: its label, and millimetres. Raises InputError."""
    label, equals, numbers = text.rpartition("=")
    try:
        xyz = [float(n) for n in numbers.split(",")]
    except ValueError:
        xyz = []
    if not equals or not label.strip() or not _is_position(xyz):
        raise InputError(f"--thing {text}: not LABEL=X,Y,Z with millimetres in the frame of the base, as cup=400,0,30")
    return Thing(label.strip(), (xyz[0], xyz[1], xyz[2]))


def _thing(said: Any) -> Thing:
    if not isinstance(said, dict) or not {"label", "xyz_mm"} <= set(said) <= {"label", "xyz_mm", "confidence"}:
        raise InputError("things: valid is an object with label, xyz_mm and, where it is not sure, confidence")
    label, xyz, confidence = said["label"], said["xyz_mm"], said.get("confidence", 1.0)
    if not isinstance(label, str) or not label:
        raise InputError("things: label is a text")
    if not isinstance(xyz, list) or not _is_position(xyz):
        raise InputError("things: xyz_mm is three numbers, millimetres")
    if not _is_number(confidence) or not 0 <= confidence <= 1:
        raise InputError("things: confidence is a number from 0 to 1")
    return Thing(label, (float(xyz[0]), float(xyz[1]), float(xyz[2])), float(confidence))


def _is_position(xyz: list[Any]) -> bool:
    return len(xyz) == 3 and all(_is_number(v) and abs(v) <= 100_000 for v in xyz)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
