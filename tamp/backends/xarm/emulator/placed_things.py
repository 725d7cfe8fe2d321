"""The emulator's oracle: what lies around the arm, as a detector reports it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tamp.backends.xarm.detections import read_line
from tamp.errors import InputError

PERIOD = 0.1
"""Seconds between two lines of detections."""


@dataclass
class PlacedThings:
    """What is there now, as the objects of a detector's line: `label`, `xyz_mm` in the frame of the arm's base,
    `confidence`. Nothing here has a shape, and the arm moves none of it."""

    there: list[dict[str, Any]] = field(default_factory=list)

    def line(self, time: float) -> bytes:
        """What a detector that knows all says of it, in seconds since the epoch."""
        return _line(time, self.there)

    def replace(self, objects: Any) -> None:
        """Take other objects in the place of those; what is sure need not say its confidence. Raises InputError."""
        if isinstance(objects, list):
            objects = [{"confidence": 1.0, **t} if isinstance(t, dict) else t for t in objects]
        try:
            read_line(_line(1.0, objects), {})
        except ValueError as e:
            raise InputError(f"things: {e}") from e
        self.there = objects


def read_things(texts: list[str]) -> PlacedThings:
    """Things from `cup=400,0,30` each: label, and millimetres. Raises InputError."""
    things = PlacedThings()
    for text in texts:
        label, _, numbers = text.rpartition("=")
        try:
            xyz = [float(n) for n in numbers.split(",")]
            things.replace([*things.there, {"label": label.strip(), "xyz_mm": xyz}])
        except (ValueError, InputError) as e:
            valid = "LABEL=X,Y,Z with millimetres in the frame of the base, as cup=400,0,30"
            raise InputError(f"--thing {text}: not {valid}") from e
    return things


def _line(time: float, objects: Any) -> bytes:
    return json.dumps({"time": time, "objects": objects}).encode() + b"\n"
