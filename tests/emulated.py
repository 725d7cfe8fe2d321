"""An emulated arm as a process of its own, with its side channel."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.forked import Begun
from tests.priority import in_real_time

ROOT = Path(__file__).parents[1]
TAMP = [sys.executable, "-c", "from cli.main import main; main()"]
LIFE = "900"
"""Seconds after which one that was left behind ends by itself: more than a module of tests takes on a busy machine."""


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """No other process of tests has an arm among things at work meanwhile: these run in real time."""
    with (Path(tempfile.gettempdir()) / "tamp-tests-in-real-time.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Emulator:
    """A running emulator: its address, and its side channel."""

    def __init__(self, model: str, options: tuple[str, ...]) -> None:
        # an address of its own for every process that runs tests, and every emulator in it
        self.host = _address(next(_numbers))
        self.port = 502 if os.geteuid() == 0 else 20502
        there = ("--model", model, "--host", self.host, "--port", self.port, "--json", "--seconds", LIFE)
        self._options = (*there, *options)
        self._begin()

    def _begin(self) -> None:
        self.process = Begun("xarm", "emulate", *self._options, cwd=ROOT)
        line = self.process.first_line()
        assert line, f"the emulator did not start: {self.process.errors.read_text()}"
        self.shown = json.loads(line)
        side = socket.create_connection((self.host, self.shown["fault_port"]), timeout=20)
        side.settimeout(20)
        self._side = side.makefile("rw")

    def restart(self) -> None:
        """Kill it, as a controller that loses its power, and begin it again at the same address."""
        self.process.kill()
        self._begin()

    def ask(self, **order: Any) -> dict[str, Any]:
        """One order on the side channel, and its answer."""
        self._side.write(json.dumps(order) + "\n")
        self._side.flush()
        found: dict[str, Any] = json.loads(self._side.readline())
        return found

    def state(self) -> dict[str, Any]:
        return self.ask(query="state")

    def end(self) -> int:
        with contextlib.suppress(OSError):  # it may have been killed
            self._side.close()
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


def _address(number: int) -> str:
    """The loopback address of a process's `number`th emulator."""
    n = (os.getpid() * 64) % 0x7FFF00 + number
    return f"127.{1 + (n >> 16) % 254}.{(n >> 8) & 255}.{1 + n % 254}"


_numbers = itertools.count(1)


@contextmanager
def running(model: str = "xarm6", *options: str) -> Iterator[Emulator]:
    """An emulated arm, which runs in real time, as does what talks to it meanwhile."""
    with in_real_time():
        emulator = Emulator(model, options)
        try:
            yield emulator
        finally:
            emulator.end()


def again_when_late(test: Callable[..., None]) -> Callable[..., None]:
    """A test of an arm in real time, tried three times where the machine itself came late (docs/xarm.md): the arm
    stopped with C31, or a thread that only sleeps was not woken for LATE s. No other failure is tried again."""

    @functools.wraps(test)
    def tried(tmp_path: Path) -> None:
        for number in range(3):
            folder = tmp_path / str(number)
            folder.mkdir()
            try:
                with _late() as late:
                    return test(tmp_path=folder)
            except AssertionError as e:
                if number == 2 or not (late or "C31" in str(e)):
                    raise

    return tried


LATE = 0.2
"""Seconds: four periods of an arm."""


@contextmanager
def _late() -> Iterator[list[float]]:
    """The times for which a thread that sleeps was not woken meanwhile."""
    found, over = list[float](), threading.Event()

    def sleeps() -> None:
        before = time.monotonic()
        while not over.wait(0.01):
            now = time.monotonic()
            if now - before > LATE:
                found.append(now - before)
            before = now

    thread = threading.Thread(target=sleeps, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join()
