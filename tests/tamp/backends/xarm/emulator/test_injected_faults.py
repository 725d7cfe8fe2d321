"""Faults on demand, ordered over the side channel and seen by the unmodified SDK."""

from __future__ import annotations

import time
from typing import Any

import pytest

from motion.arms import ARMS
from tamp.backends.xarm.emulator.controller import ArmController
from tamp.backends.xarm.emulator.protocol import ProtocolRequest
from tamp.backends.xarm.emulator.queued_commands import JointMove
from tamp.backends.xarm.emulator.side_channel import InjectedFaults, read_fault
from tamp.errors import InputError

pytestmark = pytest.mark.process


def _controller() -> ArmController:
    controller = ArmController(ARMS["xarm6"])
    controller.enable(8, True)
    controller.set_mode(0)
    assert controller.set_state(0)
    return controller


def _turn(angle: float) -> JointMove:
    return JointMove((angle, 0, 0, 0, 0, 0, 0), 1.0, 10.0)


@pytest.mark.parametrize(("order", "gone"), [({"motion": 2}, 0), ({"motion": 2, "share": 0.5}, 0.5)])
def test_a_fault_comes_with_the_motion_it_was_ordered_for(order: dict[str, Any], gone: float) -> None:
    controller, faults = _controller(), InjectedFaults()
    faults.arm(read_fault({"fault": "collision", **order}), controller)
    controller.submit(_turn(0.5), ProtocolRequest(1, 3, 23))
    assert faults.due(controller) == []
    controller.submit(_turn(1.0), ProtocolRequest(1, 3, 23))
    at = None
    for k in range(1, 400):
        controller.advance(0.005 * k)
        for fault in faults.due(controller):
            at = controller.progress(2)
            fault.cause(controller)
    assert (controller.error, controller.state, controller.queue.count) == (31, 4, 0)
    assert at == pytest.approx(gone, abs=0.03) if gone else at == -1
    assert faults.waiting == []


@pytest.mark.parametrize(
    "order",
    [
        {"fault": "flood"},
        {"fault": "drop", "when": 1},
        {"fault": "delay", "seconds": "1"},
        {"fault": "drop", "share": 2},
    ],
)
def test_an_order_that_cannot_be_says_what_can(order: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        read_fault(order)


def _tell_wait(arm: Any, emulator: Any, fault: dict[str, Any]) -> int:
    emulator.ask(**fault)
    return int(arm.set_servo_angle(servo_id=1, angle=0.8, speed=1, mvacc=10, wait=True, timeout=10))


@pytest.mark.parametrize(
    ("fault", "code"),
    [("collision", 31), ("overspeed", 24), ("joint_limit", 23), ("servo", 13), ("emergency", 2)],
)
def test_the_arms_faults_stop_it_and_are_told(fault: str, code: int, arm: Any, emulator: Any, ready: Any) -> None:
    order = {"fault": fault, "motion": 1, "share": 0.5} | ({"joint": 3} if fault == "servo" else {})
    assert _tell_wait(arm, emulator, order) != 0
    time.sleep(0.3)
    assert arm.get_err_warn_code() == (0, [code, 0])
    state = emulator.state()
    (happened,) = state["happened"]
    assert happened["joints"][0] == pytest.approx(0.4, abs=0.08), "half of the way to 0.8"
    assert state["moved_at"] - happened["at"] < 0.1
    assert (state["state"], state["queued"], state["executed"] < state["started"]) == (4, 0, True)
    emulator.ask(release="emergency")
    ready(arm)
    time.sleep(0.3)
    assert arm.set_servo_angle(servo_id=1, angle=0.0, speed=2, wait=True) == 0
