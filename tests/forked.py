"""`tamp …` in a child of one process that has imported what commands import, which saves seconds each.

What it prints, its exit code and its working directory are as in a shell. Tests of starting itself, of drawing, and
most of being interrupted start a process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.page_typing import FORKS, carried_out
from tests.priority import comes_first

LONGEST = 280.0
"""Seconds that a command may take."""
POLLING = threading.Lock()
"""Starting a child polls all others, and where two threads poll one at once the later takes its exit code for 255."""


def tamp(
    *words: object, cwd: Path | None = None, given: str | bytes = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """The ended command; `given` is its standard input. AssertionError when it takes too long."""
    begun = Begun(*words, cwd=cwd, given=given, **environment)
    try:
        code = begun.wait(LONGEST)
    except subprocess.TimeoutExpired:
        begun.kill()
        raise AssertionError(f"tamp {' '.join(begun.typed)} takes more than {LONGEST:g} s") from None
    return subprocess.CompletedProcess(begun.typed, code, begun.out.read_text(), begun.errors.read_text())


class Begun:
    """A command that goes on meanwhile; what it prints is in the files `out` and `errors`."""

    def __init__(self, *words: object, cwd: Path | None = None, given: str | bytes = "", **environment: str) -> None:
        self.typed = [str(word) for word in words]
        self._folder = TemporaryDirectory()
        given_file, self.out, self.errors = (Path(self._folder.name) / name for name in ("in", "out", "err"))
        given_file.write_bytes(given.encode() if isinstance(given, str) else given)
        self.out.touch()
        self.errors.touch()
        streams = (self.errors, self.out, {**os.environ, **environment}, given_file)
        self._child = FORKS.Process(target=carried_out, args=(self.typed, cwd or Path.cwd(), *streams, comes_first()))
        with POLLING:
            self._child.start()

    @property
    def _code(self) -> int | None:
        with POLLING:
            return self._child.exitcode

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self._code is not None

    def first_line(self) -> str:
        """What it prints first, empty when it ends before that."""
        return next(iter(self.first_lines(1)), "")

    def first_lines(self, number: int) -> list[str]:
        """So many lines that it prints first, fewer when it ends before that."""
        while self.out.read_text().count("\n") < number and not self.over:
            time.sleep(0.02)
        return self.out.read_text().splitlines()[:number]

    def says(self, words: str) -> bool:
        """Wait until it has said so on the standard error; whether it has before it ended."""
        while words not in self.errors.read_text():
            if self.over:
                return words in self.errors.read_text()
            time.sleep(0.02)
        return True

    def send_signal(self, number: int) -> None:
        """A signal to it alone; none when it has ended."""
        if not self.over:
            assert self._child.pid is not None
            os.kill(self._child.pid, number)

    def kill(self) -> None:
        """End it and what it has started, at once."""
        if not self.over:
            assert self._child.pid is not None
            os.killpg(self._child.pid, signal.SIGKILL)

    def wait(self, seconds: float) -> int:
        """Its exit code. TimeoutExpired when it goes on for longer than so many seconds."""
        wait([self._child.sentinel], seconds)
        if (code := self._code) is None:
            raise subprocess.TimeoutExpired(self.typed, seconds)
        return code
