"""What the unmodified SDK sets comes back through its getters and its reports, or is refused."""

from __future__ import annotations

import time
from typing import Any

import pytest

pytestmark = pytest.mark.process

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


def test_switches_and_the_tools_model_come_back(arm: Any) -> None:
    assert arm.set_report_tau_or_i(1) == 0
    assert arm.set_allow_approx_motion(True) == 0
    assert arm.set_cartesian_velo_continuous(True) == 0
    assert arm.set_self_collision_detection(True) == 0
    assert arm.set_collision_tool_model(22, 10, 20, 30) == 0
    assert arm.config_tgpio_reset_when_stop(True) == 0
    assert arm.get_report_tau_or_i() == arm.get_allow_approx_motion() == (0, 1)
    time.sleep(REPORTED)
    assert (arm.is_report_current, arm.is_approx_motion, arm.is_cart_continuous) == (True, True, True)
    assert arm.self_collision_params == [1, 22, [10, 20, 30, 0, 0, 0]]
    assert arm.gpio_reset_config == [0, 1]
    assert arm.set_collision_tool_model(1) == 0
    assert arm.set_report_tau_or_i(0) == 0
    assert arm.get_report_tau_or_i() == (0, 0)
    time.sleep(REPORTED)
    assert arm.self_collision_params == [1, 1, [0] * 6]


def test_common_parameters_come_back(arm: Any) -> None:
    assert arm.get_ft_collision_detection() == (0, 0)
    assert arm.set_ft_collision_detection(1) == 0
    assert arm.get_ft_collision_detection() == (0, 1)
    assert arm.set_external_device_monitor_params(1, 5) == 0
    assert arm.get_external_device_monitor_params() == (0, [1, 5])
    assert arm.set_modbusrtu_params(3, 9600) == 0
    assert arm.get_modbusrtu_params() == (0, [3, 9600, 1, 0])
    assert arm.set_ft_collision_threshold([5, 6, 7, 1, 2, 3]) == 0
    assert arm.get_ft_collision_threshold() == (0, [5, 6, 7, 1, 2, 3])


def test_outputs_come_back(arm: Any) -> None:
    time.sleep(REPORTED)
    for pin in (3, 11):
        assert arm.set_cgpio_digital(pin, 1) == 0
    assert arm.set_cgpio_analog(1, 5.0) == 0
    assert arm.set_cgpio_digital_input_function(9, 2) == 0
    assert arm.set_cgpio_digital_output_function(2, 3) == 0
    assert arm.set_tgpio_digital(1, 1) == 0
    code, states = arm.get_cgpio_state()
    assert (code, states[5]) == (0, 1 << 3 | 1 << 11)
    assert states[8:10] == pytest.approx([0, 5], abs=0.01)
    assert (states[10][9], states[11][2]) == (2, 3)
    assert arm.get_tgpio_output_digital() == (0, [0, 1, 0, 0, 0])
    time.sleep(REPORTED)
    assert arm.cgpio_states[5] == states[5] and arm.cgpio_states[10:] == states[10:]
    assert arm.set_cgpio_digital(3, 0) == 0
    assert arm.get_cgpio_state()[1][5] == 1 << 11
    assert arm.set_tgpio_digital(1, 0) == 0
    assert arm.get_tgpio_output_digital() == (0, [0] * 5)


def test_an_opened_brake_is_reported_and_its_motor_is_off(arm: Any) -> None:
    assert arm.set_servo_detach(2) == 0
    time.sleep(REPORTED)
    assert arm.motor_enable_states[:6] == [1, 0, 1, 1, 1, 1] and arm.motor_brake_states[:6] == [1] * 6
    assert arm.state == 4
    assert arm.set_servo_attach(2) == 0
    assert arm.get_state() == (0, 2)


def test_a_cleaned_configuration_is_the_first_one(arm: Any, ready: Any) -> None:
    assert arm.set_tcp_offset([0, 0, 80, 0, 0, 0]) == 0
    assert arm.set_reduced_max_tcp_speed(100) == 0
    assert arm.clean_conf() == 0
    assert arm.get_state() == (0, 5)
    assert arm.get_reduced_states()[1][2] == 1000
    time.sleep(REPORTED)
    assert arm.tcp_offset == [0] * 6
    ready(arm)


REFUSED: dict[str, tuple[Any, ...]] = {
    "save_conf": (),
    "system_control": (1,),
    "set_simulation_robot": (True,),
    "set_ft_sensor_enable": (1,),
    "set_ft_sensor_mode": (1,),
    "set_ft_sensor_zero": (),
    "get_ft_sensor_data": (),
    "get_ft_sensor_config": (),
    "iden_tcp_load": (),
    "set_tgpio_modbus_timeout": (50,),
    "calibrate_tcp_orientation_offset": ([0, 0, 0], [0, 0, 0]),
    "calibrate_tcp_coordinate_offset": ([[300, 0, 200, 3, 0, 0]] * 4,),
    "get_c23_error_info": (),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_not_there_is_refused(name: str, arm: Any, emulator: Any) -> None:
    found = getattr(arm, name)(*REFUSED[name])
    assert (found[0] if isinstance(found, tuple) else found) == 10
    assert (emulator.state()["error"], emulator.state()["warning"]) == (0, 0)


def test_outputs_that_are_set_later_or_somewhere_are_refused(arm: Any) -> None:
    time.sleep(REPORTED)
    assert arm.set_tgpio_digital(0, 1, delay_sec=2) == 10
    assert arm.set_cgpio_digital(0, 1, delay_sec=2) == 10
    assert arm.set_tgpio_digital_with_xyz(0, 1, [300, 0, 200], 5) == 10
    assert arm.set_cgpio_analog_with_xyz(0, 1, [300, 0, 200], 5) == 10
    assert arm.get_cgpio_state()[1][5] & 1 == 0
