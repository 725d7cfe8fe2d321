"""What a detector says, a line of JSON at a time, and the newest of it.

    {"time": 1700000000.0, "objects": [{"label": "cup", "confidence": 0.9, "xyz_mm": [400, 0, 30]}]}

Positions are in the base frame, or with `"camera": NAME` in that camera's.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.files.quantities import is_number, not_millimetres

MOST_LABELS = 1000
"""Labels that are remembered: more is a detector that makes them up."""
MOST_OBJECTS = 1000
"""Things in a line: more is no scene, and choosing among them would take too long."""
LATEST = 1e11
"""Seconds since the epoch, in the year 5138: later times are milliseconds."""
INSIDE = 5.0
"""Millimetres from the origin of the base, or of a camera, which nothing is: smaller positions are in metres."""


@dataclass(frozen=True, eq=False)
class Detection:
    """A thing that was seen: its position `p_base` (3,) in metres, the `time` in seconds since the epoch."""

    label: str
    confidence: float
    p_base: Array
    time: float


def read_line(line: bytes, cameras: Mapping[str, Array]) -> tuple[str | None, tuple[Detection, ...]]:
    """The camera and what it saw. ValueError for a line that is wrong in any part of it, saying what would be valid."""
    try:
        said = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as e:
        raise ValueError(f"not JSON: {e}") from e
    _only(said, "the line", "time", "objects", "camera")
    time, camera, objects = said.get("time"), said.get("camera"), said.get("objects")
    if not is_number(time) or not 0 < time < LATEST:
        raise ValueError(f"time is {_shown(time)}; valid: seconds since the epoch")
    if camera is not None and (not isinstance(camera, str) or camera not in cameras):
        valid = ", ".join(cameras) or "none, so only the base frame"
        raise ValueError(f"there is no camera {_shown(camera)}; valid: {valid}")
    if not isinstance(objects, list):
        raise ValueError(f"objects is {_shown(objects)}; valid: a list")
    if len(objects) > MOST_OBJECTS:
        raise ValueError(f"{len(objects)} objects; valid: at most {MOST_OBJECTS}")
    T_base_camera = np.eye(4) if camera is None else cameras[camera]
    return camera, tuple(_detection(o, float(time), T_base_camera) for o in objects)


def _detection(said: Any, time: float, T_base_camera: Array) -> Detection:
    _only(said, "an object", "label", "confidence", "xyz_mm")
    label, confidence, xyz = said.get("label"), said.get("confidence"), said.get("xyz_mm")
    if not isinstance(label, str) or not label:
        raise ValueError(f"label is {_shown(label)}; valid: a name")
    if not is_number(confidence) or not 0 <= confidence <= 1:
        raise ValueError(f"confidence is {_shown(confidence)}; valid: 0 to 1")
    if not isinstance(xyz, list) or len(xyz) != 3 or not all(map(is_number, xyz)):
        raise ValueError(f"xyz_mm is {_shown(xyz)}; valid: [x, y, z] in millimetres")
    if why := not_millimetres(xyz, INSIDE):
        raise ValueError(f"xyz_mm is {_shown(xyz)}; valid: [x, y, z] in millimetres, {why}")
    p_camera = np.array(xyz, dtype=float) / 1000
    return Detection(label, float(confidence), T_base_camera[:3, :3] @ p_camera + T_base_camera[:3, 3], time)


class Latest:
    """The newest of each label from each camera, for any number of threads; and how many lines were wrong.

    A line replaces what its camera saw before of the labels in it. A label that is not in it stays as it was, with its
    time, until it is too old to be acted on: what the arm hides for a moment is not gone. The last line counts, not
    the greatest time, so that one wrong clock does not silence a detector.
    """

    def __init__(self, cameras: Mapping[str, Array], tell: Callable[[str], None] | None = None) -> None:
        """`tell` is told of the first wrong line, the second, the fourth, the eighth, ..."""
        self._cameras, self._tell = cameras, tell
        self._seen: dict[tuple[str | None, str], tuple[Detection, ...]] = {}
        self._lock = threading.Lock()
        self.wrong_lines = 0
        self.last_wrong: str | None = None

    def add(self, line: bytes) -> None:
        """Take a line; one that is wrong is counted and told."""
        if not line.strip():
            return
        try:
            camera, detections = read_line(line, self._cameras)
        except ValueError as e:
            self._count(str(e))
            return
        with self._lock:
            for label in {d.label for d in detections}:
                self._seen.pop((camera, label), None)
                self._seen[camera, label] = tuple(d for d in detections if d.label == label)
            while len(self._seen) > MOST_LABELS:
                del self._seen[next(iter(self._seen))]

    def seen(self) -> tuple[Detection, ...]:
        """The newest of each label from each camera."""
        with self._lock:
            return tuple(d for found in self._seen.values() for d in found)

    def _count(self, why: str) -> None:
        self.wrong_lines, self.last_wrong = self.wrong_lines + 1, why
        if self._tell and self.wrong_lines & (self.wrong_lines - 1) == 0:
            many = f" ({self.wrong_lines} so far)" if self.wrong_lines > 1 else ""
            self._tell(f"a line of the detector is wrong{many}: {why}")


def _only(said: Any, what: str, *keys: str) -> None:
    if not isinstance(said, dict):
        raise ValueError(f"{what} is {_shown(said)}; valid: an object with {', '.join(keys)}")
    for key in said:
        if key not in keys:
            raise ValueError(f"{what} has an unknown key {_shown(key)}; valid: {', '.join(keys)}")


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _shown(value: Any) -> str:
    shown = repr(value)
    return "missing" if value is None else shown if len(shown) <= 40 else f"{shown[:39]}…"
