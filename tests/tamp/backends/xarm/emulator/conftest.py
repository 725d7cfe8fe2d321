"""An emulator as a process of its own, and the unmodified SDK that talks to it."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.emulated import Emulator
from tests.emulated import running as running_emulator


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with running_emulator() as found:
        yield found


@pytest.fixture
def running() -> Callable[..., Any]:
    """`running(model, *options)`: an emulator in a with statement."""
    return running_emulator


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
