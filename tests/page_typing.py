"""Types commands as a reader of a page would, and gives what a terminal shows.

`tamp …` runs in children of one process that has imported the command line, which saves a second each; everything else
in a shell.
"""

from __future__ import annotations

import contextlib
import ctypes
import multiprocessing
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tests.page_blocks import ROOT
from tests.priority import come_first

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.page_preloaded"])
LONGEST = 600.0
"""Seconds that a command may take."""
READY = 60.0
"""Seconds within which one that stays in the background says something."""


@dataclass(frozen=True)
class Typed:
    """What a command printed, on both streams, and its exit code; None where it took too long."""

    output: str
    code: int | None


class Process(Protocol):
    """What the two kinds of processes have in common."""

    pid: int | None

    def code(self) -> int | None: ...


class _Shell(subprocess.Popen[bytes]):
    def code(self) -> int | None:
        return self.poll()


class _Child:
    def __init__(self, words: list[str], folder: Path, terminal: Path, out: Path, env: Mapping[str, str]) -> None:
        self._child = FORKS.Process(target=carried_out, args=(words, folder, terminal, out, dict(env)))
        self._child.start()
        self.pid = self._child.pid

    def code(self) -> int | None:
        return self._child.exitcode


def _die_with_parent() -> None:
    """A process that runs on when the tests are ended would keep its port (Linux: PR_SET_PDEATHSIG)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def carried_out(
    words: list[str],
    folder: Path,
    terminal: Path,
    out: Path,
    env: dict[str, str],
    given: Path = Path(os.devnull),
    first: bool = False,
) -> None:
    """The command line in a child, whose streams go where a shell would let them go. `given` is its standard input.
    Whether it comes `first` it does not have from who types it: it is a child of the process of all children."""
    come_first(first)
    os.setsid()
    _die_with_parent()
    os.chdir(folder)
    os.environ.update(env)
    sys.path[:0] = [place for place in env.get("PYTHONPATH", "").split(os.pathsep) if place not in {"", *sys.path}]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.dup2(os.open(given, os.O_RDONLY), 0)
    os.dup2(os.open(out, os.O_WRONLY | os.O_APPEND | os.O_CREAT), 1)
    os.dup2(os.open(terminal, os.O_WRONLY | os.O_APPEND), 2)
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w", buffering=1)
    sys.stderr = os.fdopen(2, "w", buffering=1)
    sys.argv = ["tamp", *words]
    from cli.main import main

    sys.exit(main())


@dataclass
class Terminal:
    """A working directory in which commands are typed one after the other, and what they leave in the background."""

    folder: Path
    home: Path
    behind: list[Process] = field(default_factory=list)
    count: int = 0

    def type(self, command: str, folder: Path | None = None) -> Typed:
        """Carry out a command; one that ends in `&` until it first says something."""
        command, background = command.removesuffix("&").strip(), command.endswith("&")
        self.count += 1
        shown = self.home / f"{self.count}.txt"
        shown.touch()
        process = _begun(command, folder or self.folder, shown)
        end = time.monotonic() + (READY if background else LONGEST)
        while process.code() is None and time.monotonic() < end and not (background and shown.read_text()):
            time.sleep(0.02)
        code = process.code()
        if background:
            self.behind.append(process)
            code = 0 if code is None else code
        elif code is None:
            _end(process)
        return Typed(shown.read_text(), code)

    def close(self) -> None:
        """End what runs in the background."""
        for process in self.behind:
            _end(process)
        self.behind.clear()


def _begun(command: str, folder: Path, shown: Path) -> Process:
    words = shlex.split(command)
    if words[0] == "tamp" and not re.search(r"[|<;]|&&", command):
        to_file = len(words) > 2 and words[-2] == ">"
        return _Child(words[1 : -2 if to_file else None], folder, shown, folder / words[-1] if to_file else shown, {})
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    shell = ["bash", "-o", "pipefail", "-c", command]
    with shown.open("ab") as out:
        return _Shell(
            shell,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            preexec_fn=_die_with_parent,
        )


def _end(process: Process) -> None:
    """End a process and its children: kindly first."""
    for kind, seconds in ((signal.SIGTERM, 20.0), (signal.SIGKILL, 5.0)):
        end = time.monotonic() + seconds
        if process.code() is None and process.pid is not None:
            os.killpg(process.pid, kind)
        while process.code() is None and time.monotonic() < end:
            time.sleep(0.02)
