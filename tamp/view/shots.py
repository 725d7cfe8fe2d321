"""The pictures that a run leaves while it goes on, as a page finds them."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path

from tamp.runs.pictures import FOLDER, INDEX

NONE = "null"


@dataclass(eq=False)
class Shots:
    """Which pictures there are beside a log; what is there already is read once."""

    _path: Path | None = None
    _time: int = 0
    _told: str = NONE

    def index(self, log: Path | None) -> str:
        """What the run says of its pictures, as JSON; null where there are none."""
        path = None if log is None else log.parent / FOLDER / INDEX
        if path is None:
            return NONE
        try:
            time = path.stat().st_mtime_ns
            if (path, time) != (self._path, self._time):
                self._told, self._path, self._time = path.read_text(encoding="utf-8"), path, time
        except (OSError, UnicodeDecodeError):
            return NONE
        return self._told


def picture(log: Path | None, name: str) -> bytes | None:
    """A picture beside a log by the name of its file, None where there is none."""
    if log is None or not re.fullmatch(r"\w[\w-]*\.jpg", name):
        return None
    with contextlib.suppress(OSError):
        return (log.parent / FOLDER / name).read_bytes()
    return None
