"""Fast Downward kept ready: a process that has loaded its translator, and forks for each task.

To start Python twice and to load the translator takes longer than translating and solving a small task. This file is
run as a script in that process, so that nothing of the planner, which is under another licence, is loaded here.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import runpy
import select
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple, NoReturn

DOMAIN, PROBLEM, SAS, PLAN = "domain.pddl", "problem.pddl", "task.sas", "plan.txt"
"""Files of a task's folder."""
ALIAS = "lama-first"
"""The search of Fast Downward that finds one plan, and stops."""
TRANSLATOR_FAILED = 30
"""Fast Downward's exit code for a translator that ended with 1."""


class Ended(NamedTuple):
    """How a run ended: its exit code, None where it was late, what it wrote as output and as errors, and the seconds
    that it had of the processor."""

    code: int | None
    output: str
    errors: str
    worked: float = 0.0


@dataclass(eq=False)
class Downward:
    """The process; started with the first task, and anew in a process that was forked from its owner."""

    home: Path
    """The folder of up_fast_downward's `fast-downward.py`."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _owner: int = 0
    _process: subprocess.Popen[bytes] | None = None

    def solve(self, folder: str, options: tuple[str, ...], seconds: float) -> Ended:
        """Solve the task in a folder with options for the translator, within so many seconds."""
        with self._lock:
            try:
                code, worked = self._solve(folder, options, seconds)
            except BaseException as e:  # whatever it still answers would be taken for the answer to the next task
                self.close()
                if not isinstance(e, (OSError, ValueError)):
                    raise
                return Ended(-signal.SIGKILL, "", "its process is gone")
        output, errors = (Path(folder, name).read_text(errors="replace") for name in ("output", "errors"))
        return Ended(code, output, errors, worked)

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            self._process.communicate()
        self._process = None

    def _solve(self, folder: str, options: tuple[str, ...], seconds: float) -> tuple[int | None, float]:
        asks, answers = self._pipes()
        asks.write(json.dumps([folder, seconds, *options]).encode() + b"\n")
        task = int(answers.readline())
        late = True
        try:
            late = not select.select([answers], [], [], seconds)[0]
        finally:
            if late:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(task, signal.SIGKILL)
        code, worked = answers.readline().split()
        return None if late else int(code), float(worked)

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            command = [sys.executable, "-P", __file__, str(self.home)]
            pipe = subprocess.PIPE  # unbuffered: what is read ahead could not be waited for
            self._process = subprocess.Popen(command, bufsize=0, stdin=pipe, stdout=pipe, start_new_session=True)
            self._owner = os.getpid()
        assert self._process.stdin is not None and self._process.stdout is not None
        return self._process.stdin, self._process.stdout


def serve(home: Path) -> None:
    """Solve what is asked, a line each; answers with the process of the task, then with its exit code and seconds."""
    binaries = home / "builds/release/bin"
    sys.path[:0] = [str(home), str(binaries)]
    importlib.import_module("fast_downward.translate.main")
    options = importlib.import_module("driver.aliases").ALIASES[ALIAS]
    search = [str(binaries / "downward"), *options, "--internal-plan-file", PLAN]
    for line in sys.stdin:
        task = os.fork()
        if task == 0:
            _run(*json.loads(line), search=search)
        os.write(1, b"%d\n" % task)
        _, status, used = os.wait4(task, 0)
        os.write(1, b"%d %f\n" % (os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime))


def _run(folder: str, seconds: float, *options: str, search: list[str]) -> NoReturn:
    code = TRANSLATOR_FAILED
    try:
        os.setsid()
        os.chdir(folder)
        for name, standard in (("output", 1), ("errors", 2)):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), standard)
        most = int(seconds) + 2  # for one that is left alone
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
        sys.argv = ["translate", DOMAIN, PROBLEM, "--sas-file", SAS, *options]
        runpy.run_module("fast_downward.translate", run_name="__main__")
        sys.stdout.flush()
        os.dup2(os.open(SAS, os.O_RDONLY), 0)
        os.execv(search[0], search)
    except SystemExit as e:
        code = e.code if isinstance(e.code, int) and e.code != 1 else code
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        os._exit(code)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
