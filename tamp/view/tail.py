"""A log read as it grows."""

from __future__ import annotations

import contextlib
import fcntl
import json
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tamp.errors import InputError
from tamp.runs.episode_log import LOG, is_log

EPISODES = Path("episodes")
AT_ONCE = 4_000_000
"""Bytes that are read at one time."""


@dataclass(eq=False)
class Tail:
    """Reads what is new in a log. `spoilt` are the lines that were no events; `cut` says whether the last one is only
    half there."""

    path: Path
    spoilt: int = 0
    _begun: int = 0
    _half: bytes = b""
    _read: int = 0

    @property
    def cut(self) -> bool:
        """Whether the last line is only half written."""
        return bool(self._half)

    def more(self) -> list[dict[str, Any]]:
        """The events that came since, a part at a time; none where there is no log yet."""
        try:
            if self.path.stat().st_size == self._read:
                return []
            with self.path.open("rb") as file:
                file.seek(self._read)
                data = file.read(AT_ONCE)
        except OSError:
            return []
        self._read += len(data)
        *lines, self._half = (self._half + data).split(b"\n")
        return [e for line in lines if line.strip() and (e := self._event(line)) is not None]

    def _event(self, line: bytes) -> dict[str, Any] | None:
        try:
            e = json.loads(line)
        except (ValueError, RecursionError):
            e = None
        if isinstance(e, dict) and isinstance(e.get("event"), str):
            return e
        self.spoilt += 1
        return None


def written(path: Path) -> bool:
    """Whether somebody writes a log: whoever does holds a lock on it, which ends with its process."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def newest(base: Path) -> Path | None:
    """The log that was begun last of those in the folders of `base`, None without any."""
    begun = dict[Path, tuple[str, float]]()
    for path in base.glob(f"*/{LOG}"):
        with contextlib.suppress(OSError):  # it may just have been removed
            changed = path.parent.stat().st_ctime
            stamp = path.parent.name[:15]
            known = re.fullmatch(r"\d{8}-\d{6}", stamp)
            begun[path] = (stamp if known else time.strftime("%Y%m%d-%H%M%S", time.localtime(changed)), changed)
    return max(begun, key=lambda path: begun[path], default=None)


@dataclass(eq=False)
class Followed:
    """Which log is shown: the one of a run, or, without one, that of the run that was begun last."""

    run: Path | None = None
    base: Path = field(default_factory=lambda: EPISODES)

    def log(self) -> Path | None:
        """The log now, None where there is none yet."""
        if self.run is None:
            return newest(self.base)
        path = self.run if self.run.is_file() else self.run / LOG
        return path if path.is_file() else None


def followed(run: Path | None, wait: bool) -> Followed:
    """What is to be shown. InputError for what is no run; with `wait` it may begin later."""
    if run is None:
        return Followed()
    valid = f"valid: an episode's folder, or its {LOG}; without one, the newest under {EPISODES}/"
    if not run.exists():
        if wait:
            return Followed(run)
        raise InputError(f"{run} does not exist; {valid}; or --wait for it to begin")
    path = run if run.is_file() else run / LOG
    if run.is_dir() and not path.exists():
        if wait:
            return Followed(run)
        inside = newest(run) or newest(run / EPISODES.name)
        hint = f"; such as {inside.parent}" if inside else ""
        raise InputError(f"{run} holds no {LOG}; {valid}{hint}")
    try:
        empty = path.stat().st_size == 0
    except OSError as e:
        raise InputError(f"cannot read {path}: {e.strerror}") from e
    if not empty and not is_log(path):
        raise InputError(f"{path}: not an episode's log; {valid}")
    return Followed(run)
