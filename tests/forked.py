"""`tamp …` in a child of one process that has imported what commands import, which saves seconds each.

What it prints, its exit code and its working directory are as in a shell. Tests of starting itself, of drawing, and of
being interrupted start a process.
"""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.page_typing import FORKS, carried_out

LONGEST = 280.0
"""Seconds that a command may take."""


def tamp(
    *words: object, cwd: Path | None = None, given: str | bytes = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """The ended command; `given` is its standard input. AssertionError when it takes too long."""
    typed = [str(word) for word in words]
    with TemporaryDirectory() as folder:
        given_file, out, errors = (Path(folder) / name for name in ("in", "out", "err"))
        given_file.write_bytes(given.encode() if isinstance(given, str) else given)
        errors.touch()
        env = {**os.environ, **environment}
        child = FORKS.Process(target=carried_out, args=(typed, cwd or Path.cwd(), errors, out, env, given_file))
        child.start()
        child.join(LONGEST)
        if child.exitcode is None:
            assert child.pid is not None
            os.killpg(child.pid, signal.SIGKILL)
            raise AssertionError(f"tamp {' '.join(typed)} takes more than {LONGEST:g} s")
        return subprocess.CompletedProcess(typed, child.exitcode, out.read_text(), errors.read_text())
