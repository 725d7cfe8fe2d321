"""The unmodified SDK changes the configuration around moves: no move that was cut off or dropped returns 0."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.process

SLOW = {"angle": [1.5, -0.4, -0.9, 0.0, 1.3, 0.0], "speed": 0.8, "timeout": 10}

CHANGES: dict[str, Callable[[Any], Any]] = {
    "load": lambda arm: arm.set_tcp_load(0.4, [0, 0, 20]),
    "offset": lambda arm: arm.set_tcp_offset([0, 0, 50, 0, 0, 0], wait=False),
    "mode": lambda arm: arm.set_mode(0),
    "servo mode": lambda arm: arm.set_mode(1),
}


@pytest.fixture
def plain(arm: Any, ready: Any) -> Any:
    """The arm without offsets, and without them again afterwards."""
    time.sleep(0.4)  # the SDK has reports by now, and waits for nothing before it sends
    yield arm
    arm.set_tcp_offset([0] * 6, wait=False)  # the SDK would wait half a second
    ready(arm)


@pytest.mark.parametrize("wait", [True, pytest.param(False, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("change", sorted(CHANGES))
def test_a_move_right_after_a_change_is_refused_until_a_new_start(
    change: str, wait: bool, plain: Any, emulator: Any, ready: Any
) -> None:
    before = emulator.state()
    assert CHANGES[change](plain) == 0
    assert plain.set_servo_angle(**SLOW, wait=wait) in (9, -2)
    plain.set_position(z=before["pose"][2] + 30, wait=wait)
    after = emulator.state()
    assert (after["joints"], after["state"], after["submitted"]) == (before["joints"], 5, before["submitted"])
    plain.set_mode(0)
    plain.set_state(0)
    assert plain.set_servo_angle(servo_id=1, angle=0.3, speed=2, wait=True) == 0
    assert emulator.state()["joints"][0] == pytest.approx(0.3, abs=1e-6)


def test_a_load_and_state_0_in_the_same_breath_leave_it_ready(arm: Any, emulator: Any) -> None:
    assert arm.set_tcp_load(0.3, [0, 0, 10]) == 0
    assert arm.set_state(0) == 0
    assert arm.set_servo_angle(servo_id=1, angle=1.2, speed=1.5, wait=True) == 0
    assert emulator.state()["joints"][0] == pytest.approx(1.2, abs=1e-6)
    assert arm.tcp_load == [0.3, [0, 0, 10]]


@pytest.mark.parametrize("change", sorted(CHANGES))
def test_a_change_in_the_middle_of_a_move_fails_who_waits_for_it(
    change: str, plain: Any, emulator: Any, connected: Any
) -> None:
    other = connected(emulator)
    codes = []
    waiting = threading.Thread(target=lambda: codes.append(plain.set_servo_angle(**SLOW, wait=True)))
    waiting.start()
    time.sleep(0.4)
    assert CHANGES[change](other) == 0
    waiting.join()
    assert codes[0] != 0
    assert emulator.state()["state"] == 4 and emulator.state()["joints"][0] < 1.4


def test_what_another_mode_takes_is_refused(arm: Any, emulator: Any, ready: Any) -> None:
    before = emulator.state()
    assert arm.set_servo_angle_j(before["joints"]) == 10
    assert arm.vc_set_joint_velocity([0.1] * 6) == 10
    ready(arm, 1)
    assert arm.set_servo_angle(servo_id=1, angle=0.5, wait=True) == 10
    assert arm.set_position(z=before["pose"][2] + 10, wait=True) == 10
    assert arm.vc_set_cartesian_velocity([10, 0, 0, 0, 0, 0]) == 10
    ready(arm, 4)
    assert arm.set_servo_cartesian(before["pose"]) == 10
    assert arm.move_gohome(wait=True) == 10
    assert emulator.state()["joints"] == before["joints"]
