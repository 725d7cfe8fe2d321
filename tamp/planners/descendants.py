"""The processes below a process, and ending them all, also those that hid in a session of their own."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from pathlib import Path

_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


def adopt_orphans() -> None:
    """From now on a process whose parent ends becomes a child of this one, not of the system's first process.

    So nothing that was started below this process can leave `descendants`.
    """
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(pid: int) -> list[int]:
    """The living processes below a process; those that have ended and wait to be collected do not live."""
    below: dict[int, list[int]] = {}
    ended = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it has ended since
            continue
        below.setdefault(int(parent), []).append(int(entry.name))
        if state in "ZX":
            ended.add(int(entry.name))
    found, left = [], [pid]
    while left:
        children = below.get(left.pop(), [])
        found += children
        left += children
    return [p for p in found if p not in ended]


def end_descendants(within: float = 5.0) -> bool:
    """Kill all below this process and collect them; false when some still live after `within` seconds.

    Again and again: a process may have started another one since it was seen.
    """
    deadline = time.monotonic() + within
    while living := descendants(os.getpid()):
        if time.monotonic() > deadline:
            return False
        for pid in living:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        _collect()
        time.sleep(0.002)
    _collect()
    return True


def _collect() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
