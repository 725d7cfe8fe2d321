"""The unmodified SDK in other modes, with the gripper, what reports say; and no move that was cut off returns 0."""

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
    "mode": lambda arm: arm.set_mode(1),
}


def test_a_load_and_state_0_in_the_same_breath_leave_it_ready(arm: Any, emulator: Any) -> None:
    assert arm.set_tcp_load(0.3, [0, 0, 10]) == 0
    assert arm.set_state(0) == 0
    assert arm.set_servo_angle(servo_id=1, angle=1.2, speed=1.5, wait=True) == 0
    assert emulator.state()["joints"][0] == pytest.approx(1.2, abs=1e-6)
    assert arm.tcp_load == [0.3, [0, 0, 10]]


@pytest.mark.parametrize("change", sorted(CHANGES))
def test_a_change_in_the_middle_of_a_move_fails_who_waits_for_it(
    change: str, arm: Any, emulator: Any, connected: Any, ready: Any
) -> None:
    other = connected(emulator)
    codes: list[int] = []
    time.sleep(0.4)  # the SDK has reports by now, and waits for nothing before it sends
    waiting = threading.Thread(target=lambda: codes.append(arm.set_servo_angle(**SLOW, wait=True)))
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


def test_servo_mode_runs_to_the_newest_target(arm: Any, emulator: Any, ready: Any) -> None:
    ready(arm, 1)
    time.sleep(0.25)
    q = emulator.state()["joints"]
    for k in range(50):
        assert arm.set_servo_angle_j([q[0] + 0.01 * k, *q[1:]]) == 0
        time.sleep(0.01)
    time.sleep(0.1)
    assert emulator.state()["joints"] == pytest.approx([q[0] + 0.49, *q[1:]], abs=1e-6)
    pose = emulator.state()["pose"]
    for k in range(1, 31):
        assert arm.set_servo_cartesian([*pose[:2], pose[2] - k, *pose[3:]]) == 0
        time.sleep(0.01)
    for _ in range(10):
        assert arm.set_servo_cartesian_aa([0, 0, 1, 0, 0, 0], is_tool_coord=False, relative=True) == 0
        time.sleep(0.01)
    time.sleep(0.1)
    assert emulator.state()["pose"][:3] == pytest.approx([*pose[:2], pose[2] - 20], abs=0.01)
    arm.set_servo_angle_j([q[0] - 2.0, *q[1:]])
    assert emulator.state()["error"] == 24, "a leap of 2 rad"


def test_velocities_last_as_long_as_they_are_asked_to(arm: Any, emulator: Any, ready: Any) -> None:
    ready(arm, 4)
    q = emulator.state()["joints"]
    assert arm.vc_set_joint_velocity([0.5, 0, 0, 0, 0, 0], duration=0.4) == 0
    time.sleep(0.8)
    assert emulator.state()["joints"][0] == pytest.approx(q[0] + 0.2, abs=0.03)
    assert arm.vc_set_joint_velocity([0.5, 0, 0, 0, 0, 0]) == 0, "without an end"
    assert arm.vc_set_joint_velocity([0.0] * 6) == 0
    ready(arm, 5)
    pose = emulator.state()["pose"]
    assert arm.vc_set_cartesian_velocity([0, 0, -100, 0, 0, 0], duration=0.4) == 0
    time.sleep(0.8)
    moved = emulator.state()["pose"]
    assert moved[:2] == pytest.approx(pose[:2], abs=0.5) and moved[2] == pytest.approx(pose[2] - 40, abs=5)
    assert emulator.state()["state"] == 2


def test_the_gripper_opens_and_shuts(arm: Any) -> None:
    assert arm.get_gripper_version() == (0, "3.4.3")
    assert arm.set_gripper_enable(True) == 0
    assert arm.set_gripper_mode(0) == 0
    assert arm.set_gripper_speed(3000) == 0
    assert arm.set_gripper_position(200, wait=True) == 0
    assert arm.get_gripper_position() == (0, 200)
    assert arm.get_gripper_err_code() == (0, 0)


@pytest.mark.parametrize("kind", ["normal", "rich", "real"])
def test_reports_say_what_is_true(kind: str, emulator: Any, connected: Any) -> None:
    emulator.ask(release="emergency")
    emulator.ask(teleport=[0.3, -0.4, -0.9, 0.1, 1.3, 0.2])
    arm = connected(emulator, report_type=kind)
    time.sleep(0.5)
    assert arm.angles[:6] == pytest.approx([0.3, -0.4, -0.9, 0.1, 1.3, 0.2], abs=1e-5)
    assert arm.position == pytest.approx(emulator.state()["pose"], abs=1e-2)
    assert (arm.state, arm.mode, arm.cmd_num) == (emulator.state()["state"], emulator.state()["mode"], 0)
    if kind == "rich":
        assert arm.temperatures[:6] == [30] * 6
        assert not arm.is_simulation_robot
        assert arm.collision_sensitivity == 3
