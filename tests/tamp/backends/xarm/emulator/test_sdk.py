"""The unmodified SDK drives an emulated arm in a process of its own."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest

from motion.arms import ARMS
from tamp.backends.xarm.emulator.wire import from_pose, to_pose

pytestmark = pytest.mark.process


def test_moves_end_where_they_should_and_last_as_long(arm: Any, emulator: Any) -> None:
    start = emulator.state()["pose"]
    before = time.monotonic()
    assert arm.set_position(start[0], start[1] + 100, start[2], *start[3:], speed=200, mvacc=2000, wait=True) == 0
    lasted = emulator.ask(query="history")["segments"][-1]
    assert time.monotonic() - before >= 0.5
    assert lasted["ended"] - lasted["started"] == pytest.approx(0.6, abs=0.1)
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
    arm.set_state(0)
    assert arm.set_world_offset([0, 0, 100, 0, 0, 0]) == 0
    ready(arm)
    raised = arm.get_position()[1]
    assert raised[2] == pytest.approx(1000 * ARMS["xarm6"].forward(np.array(emulator.state()["joints"]))[2, 3] + 100)
    assert arm.set_position(z=raised[2] - 20, speed=300, wait=True) == 0
    assert emulator.state()["pose"][2] == pytest.approx(raised[2] - 20, abs=1e-3)
    arm.set_world_offset([0] * 6)


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
    segment = emulator.ask(query="history")["segments"][-1]
    assert segment["outcome"] == "stopped" and segment["share"] < 1


def test_wait_returns_when_another_stops_the_arm(arm: Any, emulator: Any, connected: Any) -> None:
    import threading

    other = connected(emulator)
    threading.Timer(0.4, lambda: other.set_state(4)).start()
    assert arm.set_servo_angle(servo_id=1, angle=2.0, speed=0.5, wait=True, timeout=10) != 0
    assert emulator.state()["state"] == 4


def test_a_check_tells_and_moves_nothing(arm: Any, emulator: Any) -> None:
    before = emulator.state()
    assert arm.set_position(x=1500, only_check_type=1) == 1
    assert arm.only_check_result == 21
    assert arm.set_position(z=before["pose"][2] - 10, only_check_type=1) == 0
    after = emulator.state()
    assert (after["joints"], after["error"], after["state"]) == (before["joints"], 0, 2)


def test_kinematics_are_the_tables(arm: Any) -> None:
    table, rng = ARMS["xarm6"], np.random.default_rng(0)
    for _ in range(10):
        q = rng.uniform(np.maximum(table.lower, -2), np.minimum(table.upper, 2))
        code, pose = arm.get_forward_kinematics(list(q))
        assert code == 0 and pose[:3] == pytest.approx(table.forward(q)[:3, 3] * 1000, abs=1e-3)
        code, found = arm.get_inverse_kinematics(pose)
        assert code == 0
        assert from_pose(table.forward(np.array(found[:6])))[:3] == pytest.approx(pose[:3], abs=1e-2)
    assert arm.get_inverse_kinematics([2000, 0, 200, math.pi, 0, 0])[0] != 0
    assert arm.is_tcp_limit([2000, 0, 200, math.pi, 0, 0]) == (0, True)
    assert arm.is_tcp_limit([300, 0, 200, math.pi, 0, 0]) == (0, False)
    assert arm.is_joint_limit([0, 0, 1.0, 0, 0, 0]) == (0, True)
    assert arm.is_joint_limit([0, 0, -1.0, 0, 0, 0]) == (0, False)


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


def test_joint_limits_are_kept_by_the_controller_too(arm: Any, emulator: Any, connected: Any) -> None:
    bold = connected(emulator, check_joint_limit=False)
    time.sleep(0.3)
    bold.set_servo_angle(angle=[0.1, 0, 2, 0, 0, 0], wait=False)
    time.sleep(0.1)
    assert emulator.state()["error"] == 23
