"""An object in a process of its own: asked without waiting, cancelled, killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator

import pytest

from tamp.errors import Refusal
from tamp.worker_process import Cancelled, PendingAnswer, Process, ProcessGone

pytestmark = pytest.mark.usefixtures("real_time")


class Sums:
    """Adds, slowly if asked to, and gives up when nobody wants to know."""

    def __init__(self, cancelled: Cancelled) -> None:
        self.cancelled = cancelled

    def add(self, a: int, b: int) -> int:
        return a + b

    def never(self) -> str:
        while not self.cancelled():
            time.sleep(0.01)
        return "given up"

    def refuse(self) -> None:
        raise Refusal("there is no room", "no room")

    def pid(self) -> int:
        return os.getpid()


@pytest.fixture(scope="module")
def process() -> Iterator[Process]:
    found = Process(Sums, "sums")
    yield found
    found.close()


def answered(asked: PendingAnswer, seconds: float = 20.0) -> PendingAnswer:
    end = time.monotonic() + seconds
    while not asked.done():
        assert time.monotonic() < end, "no answer"
        time.sleep(0.005)
    return asked


def test_questions_are_answered_in_their_order_and_not_waited_for(process: Process) -> None:
    answered(process.ask("add", 1, 2))
    begin = time.monotonic()
    asked = [process.ask("add", n, n) for n in range(5)]
    assert time.monotonic() - begin < 0.1
    assert [answered(a).result() for a in asked] == [0, 2, 4, 6, 8]


def test_what_is_raised_there_is_raised_here(process: Process) -> None:
    with pytest.raises(Refusal, match="there is no room") as shown:
        answered(process.ask("refuse")).result()
    assert shown.value.kind == "no room"


def test_what_nobody_wants_any_more_is_given_up_and_the_next_is_answered(process: Process) -> None:
    endless = process.ask("never")
    following = process.ask("add", 3, 4)
    time.sleep(0.1)
    assert not following.done()
    endless.cancel()
    assert answered(following).result() == 7


def test_a_process_that_is_killed_is_told() -> None:
    process = Process(Sums, "sums")
    pid = answered(process.ask("pid")).result()
    asked = process.ask("never")
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(ProcessGone, match=r"the process for sums ended \(exit code -9\)"):
        answered(asked).result()
    process.close()


def test_closing_ends_it_whatever_it_does() -> None:
    process = Process(Sums, "sums")
    pid = answered(process.ask("pid")).result()
    process.ask("never")
    process.close()
    gone: Callable[[], bool] = lambda: not os.path.exists(f"/proc/{pid}")  # noqa: E731, PTH110
    assert gone()
