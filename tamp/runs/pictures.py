"""Pictures of a run for whoever looks at it while it goes on: drawn in a process beside it, a few a second."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tamp.errors import TampError
from tamp.files.replacing import replace_file
from tamp.worker_process import Asked, Make, Process

FOLDER, INDEX = "view", "pictures.json"
"""The folder beside the log, and in it the file that says which pictures there are, and from where they are seen."""
NICENESS = 15
"""How much who draws gives way to who acts, once he is ready: nothing moves yet while he gets ready."""
EVERY = 0.35
"""Seconds from one picture to the next, at least."""
LAST = 3.0
"""Seconds for which the last picture is waited for."""


class Pictures:
    """Has somebody else draw. `make` makes who draws, in a process of its own, with a method `take` for what
    `arrangement` says of the world. Who acts waits for nothing: while one picture is drawn no other one is asked for.
    """

    def __init__(self, make: Make, arrangement: Callable[[], Any], say: Callable[[str], None]) -> None:
        self._arrangement, self._say = arrangement, say
        self._process: Process | None = Process(make, "pictures", niceness=0)
        self._asked: Asked | None = None
        self._due = 0.0

    def step(self) -> None:
        """Ask for a picture when one is due."""
        now = time.monotonic()
        if self._process is None or now < self._due:
            return
        if self._asked is not None:
            if not self._asked.done():
                return
            try:
                self._asked.result()
            except (TampError, RuntimeError) as e:  # the process is gone, or a library has something against drawing
                self._say(f"no more pictures: {e}")
                self._process.close()
                self._process = None
                return
        self._due = now + EVERY
        self._asked = self._process.ask("take", self._arrangement())

    def close(self) -> None:
        """Nothing more is drawn, but for how it is now, if that does not take long."""
        if self._process is not None:
            last = self._process.ask("take", self._arrangement())
            until = time.monotonic() + LAST
            while not last.done() and time.monotonic() < until:
                time.sleep(0.02)
            self._process.close()
            self._process = None


def put(folder: Path, name: str, content: bytes) -> None:
    """Put a file into a folder so that whoever reads it finds the old one or the new one, whole."""
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / name, content, sync=False)


def index(number: int, cameras: Mapping[str, Mapping[str, Any]]) -> bytes:
    """What `INDEX` holds: how many times pictures were taken, and of each camera its `file`, `size` (height and width
    in pixels), `K` (fx, fy, cx, cy) and `T_world_camera` (12 numbers, 3 rows of rotation and position; x to the right,
    y down, z into the picture)."""
    return json.dumps({"number": number, "cameras": cameras}).encode()
