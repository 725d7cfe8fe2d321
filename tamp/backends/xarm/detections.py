"""What a detector sees: lines of JSON from a file that grows or over TCP, and the newest of each thing.

    {"time": 1700000000.0, "objects": [{"label": "cup", "confidence": 0.9, "xyz_mm": [400, 0, 30]}]}

Positions are in the base frame, or with `"camera": NAME` in that camera's.
"""

from __future__ import annotations

import json
import stat
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.address import address_of
from tamp.backends.xarm.workcell import INSIDE, Workcell
from tamp.errors import InputError
from tamp.files.quantities import is_number, not_millimetres
from tamp.line_socket import LineSocket

MOST_LABELS = 1000
"""Labels that are remembered: more is a detector that makes them up."""
MOST_OBJECTS = 1000
"""Things in a line: more is no scene, and choosing among them would take too long."""
LATEST = 1e11
"""Seconds since the epoch, in the year 5138: later times are milliseconds."""


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
        value = json.loads(line.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as e:
        raise ValueError(f"not JSON: {e}") from e
    _only(value, "the line", "time", "objects", "camera")
    time, camera, objects = value.get("time"), value.get("camera"), value.get("objects")
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


def _detection(value: Any, time: float, T_base_camera: Array) -> Detection:
    _only(value, "an object", "label", "confidence", "xyz_mm")
    label, confidence, xyz = value.get("label"), value.get("confidence"), value.get("xyz_mm")
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


def _only(value: Any, what: str, *keys: str) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is {_shown(value)}; valid: an object with {', '.join(keys)}")
    for key in value:
        if key not in keys:
            raise ValueError(f"{what} has an unknown key {_shown(key)}; valid: {', '.join(keys)}")


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _shown(value: Any) -> str:
    shown = repr(value)
    return "missing" if value is None else shown if len(shown) <= 40 else f"{shown[:39]}…"


TAIL = 262_144
"""Bytes at the end of a file that are read of a longer one: what is before is too old to matter."""
CONNECTING, LISTENING, PAUSE = 1.0, 0.2, 0.3
"""Seconds that connecting may take, between looks at whether to stop, and before connecting again."""


class Detector(Protocol):
    """What sees things."""

    def seen(self) -> tuple[Detection, ...]:
        """The newest of each thing. Returns at once, whatever the detector does."""
        ...

    def trouble(self) -> str | None:
        """What is wrong with it; None when it works."""
        ...

    def close(self) -> None:
        """Let go of files and connections; nothing is seen any more."""
        ...


def open_detector(world: Workcell, tell: Callable[[str], None] | None = None) -> Detector:
    """The detector that a world names. InputError when it names none. `tell` is called with wrong lines."""
    source = world.detector.source
    if source is None:
        raise InputError(f'{world.name}: there is no detector; valid: [detector] with source = "tcp://127.0.0.1:5556"')
    if source.startswith("tcp://"):
        return JsonLinesClient(source, world.cameras, tell)
    return JsonLinesFile(Path(source), world.cameras, tell)


class Latest:
    """The newest of each label from each camera, for any number of threads; and how many lines were wrong.

    A line replaces what its camera saw before of the labels in it. A label that is not in it stays as it was, with its
    time, until it is too old to be acted on: what the arm hides for a moment is not gone. The last line counts, not
    the greatest time, so that one wrong clock does not silence a detector.
    """

    def __init__(self, cameras: Mapping[str, Array] | None = None, tell: Callable[[str], None] | None = None) -> None:
        """`tell` is called with the first wrong line, the second, the fourth, the eighth, ..."""
        self._cameras, self._tell = cameras or {}, tell
        self._seen: dict[tuple[str | None, str], tuple[Detection, ...]] = {}
        self._lock = threading.RLock()
        self._trouble: str | None = None
        self.wrong_lines = 0
        self.last_wrong: str | None = None

    def add(self, line: bytes) -> None:
        """Take a line; one that is wrong is counted and reported."""
        if not line.strip():
            return
        try:
            camera, detections = read_line(line, self._cameras)
        except ValueError as e:
            self.wrong_lines, self.last_wrong = self.wrong_lines + 1, str(e)
            if self._tell and self.wrong_lines & (self.wrong_lines - 1) == 0:
                many = f" ({self.wrong_lines} so far)" if self.wrong_lines > 1 else ""
                self._tell(f"a line of the detector is wrong{many}: {e}")
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

    def trouble(self) -> str | None:
        """What is wrong with the source, or with the last wrong line."""
        wrong = f"{self.wrong_lines} wrong lines, the last: {self.last_wrong}" if self.wrong_lines else None
        return self._trouble or wrong


class JsonLinesFile(Latest):
    """Follows a file to which a detector appends; it may not be there yet, be cut short, or be replaced."""

    def __init__(
        self, path: Path, cameras: Mapping[str, Array] | None = None, tell: Callable[[str], None] | None = None
    ) -> None:
        super().__init__(cameras, tell)
        self._path, self._inode, self._offset = path, 0, 0

    def seen(self) -> tuple[Detection, ...]:
        """The newest, after reading what was appended since; a half line waits for its end."""
        with self._lock:
            try:
                self._read()
                self._trouble = None
            except OSError as e:
                self._trouble = f"cannot read {self._path}: {e.strerror or e}"
                self._inode = 0
            return super().seen()

    def close(self) -> None:
        """Nothing: the file is open only while it is read."""

    def _read(self) -> None:
        now = self._path.stat()
        if not stat.S_ISREG(now.st_mode):
            raise OSError("it is no regular file")  # opening a pipe would wait for its other end
        if now.st_ino != self._inode or now.st_size < self._offset:
            self._inode, self._offset = now.st_ino, 0
        start = max(self._offset, now.st_size - TAIL)
        if start == now.st_size:
            return
        with self._path.open("rb") as file:
            file.seek(start)
            data = file.read(2 * TAIL)
        first = 0 if start == self._offset else data.find(b"\n") + 1
        end = data.rfind(b"\n") + 1
        for line in data[first:end].splitlines():
            self.add(line)
        self._offset = start + end


class JsonLinesClient(Latest):
    """Listens to a detector at `tcp://host:port` on a thread, and connects again whenever that ends."""

    def __init__(
        self, address: str, cameras: Mapping[str, Array] | None = None, tell: Callable[[str], None] | None = None
    ) -> None:
        """ValueError for what is no address. The detector need not be there yet."""
        super().__init__(cameras, tell)
        self._address, self._host_port = address, address_of(address)
        self._trouble = f"not connected to {address} yet"
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._listen, name=f"detections {address}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; at most about a second."""
        self._ended.set()
        self._thread.join(CONNECTING + 2 * LISTENING)

    def _listen(self) -> None:
        while not self._ended.is_set():
            try:
                with closing(LineSocket(self._host_port, CONNECTING)) as connection:
                    self._trouble = None
                    while not self._ended.is_set():
                        if (line := connection.receive(LISTENING)) is not None:
                            self.add(line)
            except OSError as e:
                self._trouble = f"no connection to {self._address}: {e.strerror or e}"
            self._ended.wait(PAUSE)
