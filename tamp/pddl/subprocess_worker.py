"""Work in a process of its own, for so many seconds at most; nothing that it started outlives it.

    this process ──▶ keeper ──▶ worker ──▶ whatever the work starts

The keeper waits for the worker to end, or for this process to say so or to be gone, even killed. Then it ends all
that is below it. It adopts orphans, so that a session or a process group of their own hides nothing from it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

Message = dict[str, Any]
"""What the worker says, with a `kind`. It is pickled."""

Emit = Callable[[Message], None]

Work = Callable[[Emit], None]
"""Runs in the worker and emits messages; what it returns is lost."""

_MOST_SECONDS = 10.0
"""After the time limit: for ending everything. It takes milliseconds."""

_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_LAST = ("done", "error", "crashed")


def messages(work: Work, seconds: float) -> Generator[Message, None, None]:
    """What the work says, as it comes. The last message has one of the kinds

    - `done`: the work returned;
    - `error`: it raised; `message` says what;
    - `crashed`: its process ended before; `message` says how;
    - `late`: the seconds were over.

    Close the generator (`contextlib.closing`) when it is not read to its end: that ends the work.
    """
    deadline = time.monotonic() + seconds
    said, says = Pipe(duplex=False)
    stopped, stop = os.pipe()
    with tempfile.TemporaryDirectory(prefix="tamp-plan-", ignore_cleanup_errors=True) as folder:
        _flush()
        keeper = os.fork()
        if keeper == 0:
            said.close()
            os.close(stop)
            _keep(work, says, stopped, folder)
        says.close()
        os.close(stopped)
        try:
            yield from _received(said, stop, deadline)
        finally:
            with contextlib.suppress(BrokenPipeError):
                os.write(stop, b".")  # closing is not enough when another thread has forked since
            os.close(stop)
            said.close()
            _wait(keeper)


def _received(said: Connection, stop: int, deadline: float) -> Generator[Message, None, None]:
    late = False
    while True:
        if not said.poll(_MOST_SECONDS if late else max(0.0, deadline - time.monotonic())):
            if late:
                break
            late = True
            os.write(stop, b".")  # what was said until now is still read
            continue
        try:
            message = said.recv()
        except (EOFError, OSError):
            break
        yield message
        if message["kind"] in _LAST:
            return
    yield {"kind": "late"} if late else {"kind": "crashed", "message": "its process is gone"}


def _wait(keeper: int) -> None:
    deadline = time.monotonic() + _MOST_SECONDS
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(keeper, os.WNOHANG) == (0, 0):
            if time.monotonic() > deadline:
                os.kill(keeper, signal.SIGKILL)
            time.sleep(0.002)


def _keep(work: Work, says: Connection, stopped: int, folder: str) -> NoReturn:
    """The keeper: its parent's signals are not for it, it ends when all below it has ended."""
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        adopt_orphans()
        worker = os.fork()
        if worker == 0:
            os.close(stopped)
            _work(work, says, folder)
        ends = os.pidfd_open(worker)
        ready = select.select([ends, stopped], [], [])[0]
        how = os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) if ends in ready else 0
        end_descendants()
        shutil.rmtree(folder, ignore_errors=True)  # the process that made it may be gone
        if ends in ready:
            says.send({"kind": "crashed", "message": f"its process {_ending(how)}"})
    finally:
        os._exit(0)


def _ending(code: int) -> str:
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def _work(work: Work, says: Connection, folder: str) -> NoReturn:
    """The worker: no input, no output but its messages, and a folder of its own that is deleted afterwards."""
    code = 0
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        _into(folder)
        work(says.send)
        says.send({"kind": "done"})
    except BaseException as e:
        from tamp.pddl.reading import reason

        message = reason(e) if isinstance(e, Exception) else str(e)
        says.send({"kind": "error", "type": type(e).__name__, "message": message})
        code = 1
    finally:
        os._exit(code)


def _into(folder: str) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0,) if os.environ.get("TAMP_DEBUG") == "1" else (0, 1, 2):
        os.dup2(nowhere, standard)
    sys.path[:] = [os.path.abspath(p) for p in sys.path]  # noqa: PTH100 (not resolved: links stay)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    os.chdir(folder)


def _flush() -> None:
    """What is buffered would be written by each process that has a copy of the buffer."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()


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
