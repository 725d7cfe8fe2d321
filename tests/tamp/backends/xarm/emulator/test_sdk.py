"""The unmodified SDK drives an emulated arm in a process of its own."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest

from tamp.backends.xarm.emulator.protocol import to_pose
from tamp.backends.xarm.emulator.report_frames import KINDS

pytestmark = pytest.mark.process


def test_moves_end_where_they_should_and_last_as_long(arm: Any, emulator: Any) -> None:
    start = emulator.state()["pose"]
    before = time.monotonic()
    assert arm.set_position(start[0], start[1] + 100, start[2], *start[3:], speed=200, mvacc=2000, wait=True) == 0
    assert 0.5 <= time.monotonic() - before < 1.2, "100 mm at 200 mm/s, with two ramps of 0.1 s"
    found = emulator.state()["pose"]
    assert found[:3] == pytest.approx([start[0], start[1] + 100, start[2]], abs=1e-3)
    assert np.allclose(to_pose(found)[:3, :3], to_pose(start)[:3, :3], atol=1e-5)


def test_axes_that_are_not_named_stay(arm: Any, emulator: Any) -> None:
    start = emulator.state()
    assert arm.set_position(z=start["pose"][2] + 30, speed=300, wait=True) == 0
    moved = emulator.state()
    assert moved["pose"][:3] == pytest.approx([*start["pose"][:2], start["pose"][2] + 30], abs=1e-3)
    assert arm.set_servo_angle(servo_id=1, angle=0.3, speed=2, wait=True) == 0
    assert emulator.state()["joints"] == pytest.approx([0.3, *moved["joints"][1:]], abs=1e-6)


def test_tool_moves_are_in_the_tools_frame_with_its_offset(arm: Any, emulator: Any, ready: Any) -> None:
    assert arm.set_tcp_offset([0, 0, 120, 0, 0, 0.5]) == 0
    assert arm.get_state() == (0, 5)
    ready(arm)
    T = to_pose(emulator.state()["pose"])
    assert arm.set_tool_position(x=20, z=-30, yaw=0.2, speed=300, wait=True) == 0
    assert np.allclose(to_pose(emulator.state()["pose"]), T @ to_pose([20, 0, -30, 0, 0, 0.2]), atol=1e-5)
    T = to_pose(emulator.state()["pose"])
    assert arm.set_position_aa([0, 0, 0, 0, 0.2, 0], is_tool_coord=True, wait=True) == 0
    assert np.allclose(to_pose(emulator.state()["pose"]), T @ to_pose([0, 0, 0, 0, 0.2, 0], True), atol=1e-5)
    time.sleep(0.3)
    assert arm.tcp_offset == pytest.approx([0, 0, 120, 0, 0, 0.5], abs=1e-5)
    arm.set_tcp_offset([0] * 6)


def test_relative_axis_angle_turns_about_the_bases_axes(arm: Any, emulator: Any) -> None:
    T = to_pose(emulator.state()["pose"])
    assert arm.set_position_aa([10, 0, 0, 0, 0, 0.3], relative=True, wait=True) == 0
    found = to_pose(emulator.state()["pose"])
    assert np.allclose(found[:3, :3], to_pose([0, 0, 0, 0, 0, 0.3])[:3, :3] @ T[:3, :3], atol=1e-5)
    assert found[:3, 3] == pytest.approx(T[:3, 3] + [0.01, 0, 0], abs=1e-5)


def test_a_load_and_an_offset_need_a_new_start(arm: Any, emulator: Any, ready: Any) -> None:
    assert arm.set_tcp_load(0.5, [0, 0, 30], wait=True) == 0
    assert arm.get_state() == (0, 5)
    time.sleep(0.3)
    assert arm.tcp_load == [0.5, [0, 0, 30]]
    assert arm.set_servo_angle(servo_id=1, angle=0.1, wait=False) in (9, -2)
    ready(arm)
    before = emulator.state()["joints"]
    assert arm.set_tcp_offset([0, 0, 80, 0, 0, 0]) == 0
    assert arm.get_state() == (0, 5)
    ready(arm)
    assert emulator.state()["joints"] == before
    arm.set_tcp_offset([0] * 6)


def test_pause_holds_resume_goes_on_stop_drops_the_queue(arm: Any, emulator: Any) -> None:
    for angle in (0.6, 1.2, 0.0):
        assert arm.set_servo_angle(servo_id=1, angle=angle, speed=0.5, wait=False) == 0
    time.sleep(0.3)
    assert emulator.state()["queued"] == 3
    arm.set_state(3)
    time.sleep(0.2)
    held = emulator.state()
    time.sleep(0.2)
    assert emulator.state()["joints"] == held["joints"] and held["state"] == 3
    arm.set_state(0)
    time.sleep(0.3)
    assert emulator.state()["joints"][0] > held["joints"][0] and emulator.state()["state"] == 1
    arm.emergency_stop()
    time.sleep(0.15)
    stopped = emulator.state()
    assert (stopped["state"], stopped["queued"]) == (4, 0)
    assert arm.set_servo_angle(servo_id=1, angle=0.0, wait=False) != 0
    arm.set_state(0)
    time.sleep(0.2)
    after = emulator.state()
    assert after["joints"] == stopped["joints"] and after["moved_at"] == stopped["moved_at"]
    assert after["state"] == 2, "never 0 when idle"
    assert after["executed"] < after["started"]


def test_wait_returns_when_another_stops_the_arm(arm: Any, emulator: Any, connected: Any) -> None:
    import threading

    other = connected(emulator)
    threading.Timer(0.4, lambda: other.set_state(4)).start()
    assert arm.set_servo_angle(servo_id=1, angle=2.0, speed=0.5, wait=True, timeout=10) != 0
    assert emulator.state()["state"] == 4


def test_what_is_not_there_is_refused(arm: Any, emulator: Any) -> None:
    time.sleep(0.5)  # reports have been read
    assert arm.set_world_offset([0, 0, 100, 0, 0, 0]) == 10
    assert arm.get_inverse_kinematics([300, 0, 200, math.pi, 0, 0])[0] == 10
    assert arm.set_tgpio_digital(0, 1) == 10
    assert (emulator.state()["error"], emulator.state()["warning"]) == (0, 0)


def test_a_motor_is_switched_off_with_its_brake(arm: Any) -> None:
    assert arm.set_servo_detach(2) == 0
    time.sleep(0.5)
    assert arm.motor_enable_states[:6] == [1, 0, 1, 1, 1, 1] and arm.state == 4
    assert arm.set_servo_attach(2) == 0
    assert arm.get_state() == (0, 2)


def test_the_counter_is_reported(arm: Any) -> None:
    assert arm.set_counter_reset() == 0
    assert arm.set_counter_increase() == 0
    time.sleep(0.5)
    assert arm.count == 1


def test_out_of_reach_and_out_of_limits_are_errors_and_can_be_cleared(arm: Any, emulator: Any, ready: Any) -> None:
    assert arm.set_position(x=1500, speed=500, wait=True) != 0
    assert arm.get_err_warn_code()[1][0] == 21
    assert emulator.state()["state"] == 4
    assert arm.set_servo_angle(servo_id=1, angle=0.1, wait=True) != 0, "not with an error"
    ready(arm)
    assert arm.get_err_warn_code() == (0, [0, 0])
    assert arm.set_servo_angle(servo_id=1, angle=0.1, speed=2, wait=True) in (0, 1), "the SDK's view lags 0.2 s"
    time.sleep(0.3)
    assert arm.set_servo_angle(angle=[0.1, 0, 2, 0, 0, 0], wait=True) == -8, "the SDK's own check"


def test_a_lite6_is_one_and_has_no_such_gripper(running: Any, connected: Any, ready: Any) -> None:
    with running("lite6") as emulator:
        arm = connected(emulator)
        assert (arm.device_type, arm.axis) == KINDS["lite6"]
        ready(arm)
        arm.set_gripper_enable(True)
        assert emulator.state()["error"] == 19
