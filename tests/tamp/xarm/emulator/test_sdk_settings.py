"""What the unmodified SDK sets comes back through its getters and its reports, or is refused."""

from __future__ import annotations

import time
from typing import Any

import pytest

REPORTED = 0.5
"""Seconds after which a report has been read."""


def test_reduced_mode_its_bounds_and_the_fence_come_back(arm: Any) -> None:
    ranges = [-3.0, 3.0, -1.5, 1.5, -2.5, 0.1, -3.1, 3.1, -1.0, 3.0, -2.0, 2.0]
    assert arm.set_reduced_mode(True) == 0
    assert arm.set_reduced_max_tcp_speed(250) == 0
    assert arm.set_reduced_max_joint_speed(0.75) == 0
    assert arm.set_reduced_tcp_boundary([600, -500, -400, 450, 700, -100]) == 0
    assert arm.set_reduced_joint_range(ranges) == 0
    assert arm.set_fence_mode(True)[0] == 0
    assert arm.set_collision_rebound(True)[0] == 0
    box, joints = [600, -500, 450, -400, 700, -100], [*ranges, 0, 0]
    assert arm.get_reduced_mode() == (0, 1)
    code, (on, bounds, speed, turn, found, fence, rebound) = arm.get_reduced_states()
    assert (code, on, bounds, speed, fence, rebound) == (0, 1, box, 250, 1, 1)
    assert turn == pytest.approx(0.75) and found == pytest.approx(joints)
    time.sleep(REPORTED)
    assert (arm.is_reduced_mode, arm.is_fence_mode, arm.is_collision_rebound) == (True, True, True)
    assert (arm.reduced_tcp_boundary, arm.reduced_max_tcp_speed) == (box, 250)
    assert arm.reduced_max_joint_speed == pytest.approx(0.75)
    assert [v for pair in arm.reduced_joint_limits for v in pair] == pytest.approx(joints)
    assert arm.set_reduced_mode(False) == 0
    assert arm.set_fence_mode(False)[0] == 0
    assert arm.set_collision_rebound(False)[0] == 0
    assert arm.get_reduced_mode() == (0, 0)
    time.sleep(REPORTED)
    assert (arm.is_reduced_mode, arm.is_fence_mode, arm.is_collision_rebound) == (False, False, False)


def test_bounds_that_do_not_fit_are_refused(arm: Any) -> None:
    before = arm.get_reduced_states()
    assert arm.set_reduced_tcp_boundary([100000, -100000] * 3) == 10
    arm.clean_warn()
    assert arm.get_reduced_states() == before


def test_trajectories_are_not_recorded_and_it_says_so(arm: Any) -> None:
    time.sleep(REPORTED)
    assert arm.start_record_trajectory() == 10
    assert arm.stop_record_trajectory() == 10
    assert arm.stop_record_trajectory("a") == 10
    assert arm.save_record_trajectory("a") == 10
    assert arm.load_trajectory("a", timeout=2) == 10
    assert arm.playback_trajectory(wait=True) == 10
    assert arm.playback_trajectory(filename="a") == 10
    assert arm.get_trajectory_rw_status() == (0, 0), "idle"
    assert arm.get_err_warn_code() == (0, [0, 0])
