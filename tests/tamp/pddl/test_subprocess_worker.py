"""Work in a process of its own: what it says, how it ends, and that nothing outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tamp.pddl.subprocess_worker import Emit, Message, descendants, messages

pytestmark = pytest.mark.process

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


def said(work: object, seconds: float = 30.0) -> list[Message]:
    return list(messages(work, seconds))  # type: ignore[arg-type]


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("how", "last"),
    [
        (lambda: list[int]().pop(), {"kind": "error", "type": "IndexError", "message": "pop from empty list"}),
        (lambda: sys.exit("enough"), {"kind": "error", "type": "SystemExit", "message": "enough"}),
        (lambda: os._exit(3), {"kind": "crashed", "message": "its process ended with exit code 3"}),
        (lambda: os.kill(os.getpid(), 15), {"kind": "crashed", "message": "its process was ended by SIGTERM"}),
        (lambda: os.killpg(0, signal.SIGKILL), {"kind": "crashed", "message": "its process was ended by SIGKILL"}),
    ],
)
def test_each_way_to_end_is_told(how: object, last: Message) -> None:
    assert said(lambda emit: how())[-1] == last  # type: ignore[operator]


@pytest.mark.parametrize("ends", ["late", "done", "crashed"])
def test_nothing_that_was_started_outlives_it(ends: str) -> None:
    def work(emit: Emit) -> None:
        children = [subprocess.Popen(SLEEP, start_new_session=True), subprocess.Popen(SLEEP, process_group=0)]
        if os.fork() == 0:  # a child that is nobody's any more
            os.setsid()
            if os.fork() == 0:
                emit({"kind": "pid", "pid": os.getpid()})
                time.sleep(600)
            os._exit(0)
        for child in children:
            emit({"kind": "pid", "pid": child.pid})
        time.sleep({"late": 600.0}.get(ends, 0.5))
        if ends == "crashed":
            os._exit(3)

    got = said(work, 1.5)
    pids = [m["pid"] for m in got if m["kind"] == "pid"]
    assert (len(pids), got[-1]["kind"]) == (3, ends)
    assert not any(map(lives, pids))


def test_closing_ends_it(tmp_path: Path) -> None:
    def work(emit: Emit) -> None:
        emit({"kind": "begun"})
        time.sleep(600)

    before = set(descendants(os.getpid()))
    with closing(messages(work, 600.0)) as got, pytest.raises(KeyboardInterrupt):
        # only then: what is raised while a process is begun is lost, and a lock of the library's is kept
        assert next(got) == {"kind": "begun"}
        old = signal.signal(signal.SIGALRM, lambda number, frame: (_ for _ in ()).throw(KeyboardInterrupt))
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            next(got)
        finally:
            signal.signal(signal.SIGALRM, old)
    assert set(descendants(os.getpid())) <= before
