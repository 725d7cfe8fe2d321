"""States and modes of the emulated controller, and its registers, without sockets."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motion.arms import ARMS
from tamp.backends.xarm.emulator.controller import LONGEST_QUEUE, ArmController
from tamp.backends.xarm.emulator.protocol import ERROR, INVALID, NOT_READY, WARNING, ProtocolRequest, pack_floats
from tamp.backends.xarm.emulator.queued_commands import JointMove, QueuedSleep
from tamp.backends.xarm.emulator.registers import answer

REQUEST = ProtocolRequest(transaction=7, protocol=3, register=23, client=1, kinds=3)


def _controller() -> ArmController:
    controller = ArmController(ARMS["xarm7"])
    controller.enable(8, True)
    controller.set_mode(0)
    controller.set_state(0)
    return controller


def _turn(angle: float) -> JointMove:
    return JointMove((angle, *[float("inf")] * 6), 1.0, 10.0)


def _ask(controller: ArmController, register: int, data: bytes = b"") -> tuple[int, bytes]:
    """The status and the data of a reply."""
    return answer(controller, ProtocolRequest(1, 2, register, data))


def test_it_starts_stopped_with_motors_off_and_takes_the_usual_three_calls() -> None:
    controller = ArmController(ARMS["xarm7"])
    assert (controller.state, controller.motors, controller.ready) == (4, 0, False)
    assert _ask(controller, 23, pack_floats([0.1] * 7 + [1, 10, 0]))[0] == NOT_READY
    assert controller.submitted == 0
    controller.enable(8, True)
    controller.set_mode(0)
    assert controller.state == 5
    controller.set_state(0)
    assert controller.state == 2 and controller.ready


def test_state_before_mode_is_not_ready() -> None:
    """As users of the real one trip over (SDK issue 46)."""
    controller = _controller()
    controller.set_state(0)
    controller.set_mode(1)
    assert not controller.ready and _ask(controller, 13)[0] == NOT_READY


def test_feedback_tells_start_and_end_to_who_asked() -> None:
    controller = _controller()
    controller.submit(_turn(0.1), REQUEST)
    controller.submit(QueuedSleep(), ProtocolRequest(transaction=8, protocol=3, register=253, client=2, kinds=2))
    for k in range(1, 100):
        controller.advance(0.005 * k)
    told = [(f.request.client, f.request.transaction, f.kind, f.code, f.request.register) for f in controller.feedback]
    assert told == [(1, 7, 1, 0, 23), (1, 7, 2, 0, 23), (2, 8, 2, 0, 253)]


def test_a_marker_with_nothing_before_it_is_told_at_once() -> None:
    controller = ArmController(ARMS["xarm7"])
    controller.submit(QueuedSleep(), REQUEST)
    assert [f.kind for f in controller.feedback] == [2]


def test_an_error_fails_what_runs_and_discards_what_waits() -> None:
    controller = _controller()
    controller.submit(_turn(0.5), REQUEST)
    controller.submit(_turn(0.0), dataclasses.replace(REQUEST, transaction=8))
    controller.advance(0.1)
    controller.fail(31)
    ended = {f.request.transaction: f.code for f in controller.feedback if f.kind == 2}
    assert ended == {7: 1, 8: 2}
    assert controller.all_on and controller.status == ERROR | NOT_READY
    assert not controller.set_state(0)
    controller.clear_error()
    assert (controller.error, controller.state, controller.ready) == (0, 4, False)


def test_nothing_of_a_stopped_move_goes_on() -> None:
    controller = _controller()
    controller.submit(_turn(2.0), REQUEST)
    controller.advance(0.5)
    controller.set_state(4)
    for k in range(20):
        controller.advance(0.5 + 0.005 * k)
    q = controller.q
    controller.set_state(0)
    controller.advance(3.0)
    assert (controller.q == q).all() and controller.state == 2


def test_a_full_queue_drops_with_a_warning() -> None:
    controller = _controller()
    for _ in range(LONGEST_QUEUE + 1):
        controller.submit(QueuedSleep(1.0), REQUEST)
    assert (controller.queue.count, controller.warning) == (LONGEST_QUEUE, 11)
    assert _ask(controller, 13)[0] == WARNING
    assert _ask(controller, 23, pack_floats([0.1] * 7 + [1, 10, 0]))[0] == WARNING | INVALID


def test_a_new_target_ends_the_one_before_in_online_mode() -> None:
    controller = _controller()
    controller.set_mode(6)
    controller.set_state(0)
    controller.submit(_turn(1.0), REQUEST)
    controller.advance(0.3)
    controller.submit(_turn(-0.5), REQUEST)
    for k in range(600):
        controller.advance(0.3 + 0.005 * k)
    assert controller.q[0] == pytest.approx(-0.5)


@given(st.integers(0, 255), st.binary(max_size=120))
def test_no_request_upsets_it(register: int, data: bytes) -> None:
    controller = _controller()
    status, _ = _ask(controller, register, data)
    assert 0 <= status < 0x80
    for k in range(1, 4):
        controller.advance(0.005 * k)
    assert np.isfinite(controller.q).all()


def test_what_is_not_emulated_is_refused() -> None:
    controller = _controller()
    line = pack_floats([300.0, 0, 200, np.pi, 0, 0, 100, 1000, 0, -1]) + bytes([0, 0, 0])
    circle = pack_floats([300.0, 0, 200, np.pi, 0, 0] * 2 + [100, 1000, 0, 100])
    for register, data in (
        (250, b""),
        (21, line[:-1] + bytes([1])),
        (21, line + bytes([1])),
        (27, circle + bytes([1, 0, 0])),
    ):
        assert _ask(controller, register, data)[0] & INVALID and controller.queue.count == 0
