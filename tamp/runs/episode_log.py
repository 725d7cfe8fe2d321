"""The episode folder: PDDL files, the plan, and an append-only log that a killed run leaves readable."""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np

from tamp.errors import InputError, is_interrupt
from tamp.model.events import Event

LOG = "episode.jsonl"
"""The name of an episode's log."""

SCHEMA = 1
"""Version of the event format: every line is `{"event": kind, "t": seconds since start, …}`."""


@dataclass(eq=False)
class EpisodeLog:
    """Writes one episode. Every event is one JSON line in `episode.jsonl`, flushed at once.

    A folder holds one episode, and is not written over. One that ended by bad input before anything happened does not
    count: once that is corrected, the same command works.
    """

    folder: Path
    failed: OSError | None = field(default=None, init=False)
    """Why the log is incomplete, after `best_effort`."""
    _file: IO[str] = field(init=False)
    _start: float = field(init=False)
    _best_effort: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._file = (self.folder / LOG).open("w" if _never_began(self.folder / LOG) else "x", encoding="utf-8")
        except FileExistsError as e:
            if not self.folder.is_dir():
                raise InputError(f"{self.folder} is a file, no folder: choose another --out") from e
            raise InputError(f"{self.folder} already holds an episode: choose another --out") from e
        except OSError as e:
            raise InputError(f"cannot write to {self.folder}: {e.strerror}") from e
        with contextlib.suppress(OSError):  # not every disk has locks
            fcntl.flock(self._file, fcntl.LOCK_EX)  # until it is closed, or this process ends: it is being written
        self._start = time.perf_counter()

    def best_effort(self) -> None:
        """From now on nothing that cannot be written is an error: an arm may be moving, and a full disk must not end
        what controls it. A warning says so at once, and what follows the first failure is left out."""
        self._best_effort = True

    def event(self, kind: str, /, **data: Any) -> None:
        """Append one event."""
        line = {"event": kind, "t": round(time.perf_counter() - self._start, 3), **data}
        if self.failed is not None:
            return
        with self._writing():
            self._file.write(json.dumps(line, default=_plain) + "\n")
            self._file.flush()

    def take(self, event: Event) -> None:
        """Append an event of a session: its log subscribes with this."""
        self.event(event.kind, **event.data())

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file of the episode folder."""
        with self._writing():
            (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))

    def close(self) -> None:
        """Close the log."""
        with self._writing():
            self._file.close()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as e:
            if not self._best_effort:
                raise
            if self.failed is None:
                self.failed = e
                logging.getLogger("tamp").warning("tamp: warning: %s is left incomplete: %s", self.folder, e.strerror)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None) -> None:
        if e is not None:
            self._best_effort = True  # another error would hide this one
            self.event("interrupted" if is_interrupt(e) else "error", message=str(e))
        self.close()


def new_folder(base: Path, label: str) -> Path:
    """A folder under `base` that does not exist yet, named by date, time and label."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for n in range(1000):
        folder = base / f"{stamp}-{label}{f'-{n}' if n else ''}"
        if not folder.exists():
            return folder
    raise InputError(f"no free folder name under {base}")


def is_log(path: Path) -> bool:
    """Whether a file begins as an episode's log does."""
    try:
        with path.open("rb") as f:
            return f.read(8) == b'{"event"'
    except OSError:
        return False


def logs(path: Path) -> list[Path]:
    """The logs of a run's or an episode's folder or of several, or the one file. InputError when there is none."""
    if path.is_file():
        return [path]
    for pattern in (LOG, f"episodes/*/{LOG}", f"*/{LOG}"):
        if inside := sorted(path.glob(pattern)):
            return inside
    there = "holds no episode's log" if path.is_dir() else "does not exist"
    raise InputError(f"{path} {there}; valid: a folder of tamp bench, an episode's folder, or its {LOG}")


def read(path: Path) -> list[dict[str, Any]]:
    """Events of a log; a half-written last line, as a killed run leaves it, is left out.

    InputError when it cannot be read, or is no log.
    """
    events = []
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as e:
        raise InputError(f"cannot read {path}: {e.strerror}") from e
    except UnicodeDecodeError as e:
        raise InputError(f"{path}: not an episode's log: {e}") from e
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError) as e:
            if number == len(lines):
                break
            raise InputError(f"{path}:{number}:{getattr(e, 'colno', 1)}: not JSON: {getattr(e, 'msg', e)}") from e
        if not isinstance(event, dict) or not isinstance(event.get("event"), str):
            raise InputError(f"{path}:{number}: not an event of an episode's log")
        events.append(event)
    return events


def _never_began(log: Path) -> bool:
    """Whether a log is of an episode that ended by an error right after its start."""
    try:
        return [e["event"] for e in read(log)] == ["start", "error"]
    except InputError:
        return False


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.round(6).tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, frozenset | set):
        return sorted(map(str, value))
    return str(value)
