"""An emulator as a process of its own, and the unmodified SDK that talks to it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[4]
TAMP = [sys.executable, "-c", "from cli.main import main; main()"]


class Emulator:
    """A running emulator: its address, and its side channel."""

    def __init__(self, model: str, options: tuple[str, ...]) -> None:
        # an address of its own for every process that runs tests, and every emulator in it
        self.host = next(_hosts)
        self.port = 502 if os.geteuid() == 0 else 20502
        command = [*TAMP, "xarm", "emulate", "--model", model, "--host", self.host, "--port", str(self.port), "--json"]
        self.process = subprocess.Popen(
            [*command, "--seconds", "120", *options], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the emulator did not start"
        self.told = json.loads(line)
        side = socket.create_connection((self.host, self.told["fault_port"]), timeout=20)
        side.settimeout(20)
        self._side = side.makefile("rw")

    def ask(self, **order: Any) -> dict[str, Any]:
        """One order on the side channel, and its answer."""
        self._side.write(json.dumps(order) + "\n")
        self._side.flush()
        found: dict[str, Any] = json.loads(self._side.readline())
        return found

    def state(self) -> dict[str, Any]:
        return self.ask(query="state")

    def end(self) -> int:
        self._side.close()
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


def _addresses() -> Iterator[str]:
    number = (os.getpid() * 64) % 0x7FFF00
    while True:
        number += 1
        yield f"127.{1 + (number >> 16) % 254}.{(number >> 8) & 255}.{1 + number % 254}"


_hosts = _addresses()


@contextmanager
def _running(model: str = "xarm6", *options: str) -> Iterator[Emulator]:
    emulator = Emulator(model, options)
    try:
        yield emulator
    finally:
        emulator.end()


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with _running() as found:
        yield found


@pytest.fixture
def running() -> Callable[..., Any]:
    """`running(model, *options)`: an emulator in a with statement."""
    return _running


def _connected(emulator: Emulator, **options: Any) -> Any:
    from xarm.core.config.x_config import XCONF
    from xarm.wrapper import XArmAPI

    XCONF.SocketConf.TCP_CONTROL_PORT = emulator.port
    return XArmAPI(emulator.host, is_radian=True, forbid_uds=True, **options)


def _made_ready(arm: Any, mode: int = 0) -> None:
    arm.clean_error()
    arm.clean_warn()
    assert arm.motion_enable(True) == 0
    assert arm.set_mode(mode) == 0
    assert arm.set_state(0) == 0


@pytest.fixture(autouse=True)
def _timeout_kept() -> Iterator[None]:
    """The SDK sets the default time-out of all sockets of the process."""
    before = socket.getdefaulttimeout()
    yield
    socket.setdefaulttimeout(before)


@pytest.fixture
def connected() -> Iterator[Callable[..., Any]]:
    """`connected(emulator)`: the SDK's arm, disconnected when the test ends."""
    arms = []

    def connect(emulator: Emulator, **options: Any) -> Any:
        arms.append(_connected(emulator, **options))
        return arms[-1]

    yield connect
    for arm in arms:
        arm.disconnect()


@pytest.fixture
def ready() -> Callable[..., None]:
    """`ready(arm, mode)`: errors cleared, motors on, mode and state set."""
    return _made_ready


@pytest.fixture
def arm(emulator: Emulator, connected: Callable[..., Any]) -> Any:
    """An SDK that is ready to move the arm, which stands bent, away from singularities."""
    emulator.ask(clear="faults")
    emulator.ask(release="emergency")
    emulator.ask(teleport=[0.0, -0.4, -0.9, 0.0, 1.3, 0.0])
    found = connected(emulator)
    _made_ready(found)
    return found
