"""States and modes of the emulated controller, and its registers, without sockets."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motion.arms import ARMS
from tamp.backends.xarm.emulator.controller import LONGEST_QUEUE, ArmController
from tamp.backends.xarm.emulator.protocol import (
    INVALID,
    NOT_READY,
    WARNING,
    ProtocolError,
    ProtocolRequest,
    floats,
    pack_floats,
    split,
)
from tamp.backends.xarm.emulator.queued_commands import JointMove, QueuedSleep
from tamp.backends.xarm.emulator.registers import answer
from tests.controller_frames import encode_request

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


# Frames

REQUESTS = st.builds(
    ProtocolRequest, st.integers(0, 65535), st.sampled_from([2, 3]), st.integers(0, 254), st.binary(max_size=200)
)


@given(st.lists(REQUESTS, max_size=5), st.integers(1, 50))
def test_requests_come_out_as_they_went_in_however_they_are_cut(requests: list[ProtocolRequest], size: int) -> None:
    sent = bytes.fromhex("0000000100020000").join(map(encode_request, requests))  # with heartbeats between them
    found, rest = [], b""
    for start in range(0, len(sent), size):
        more, rest = split(rest + sent[start : start + size])
        found += more
    assert found == requests
    assert rest == b""


@given(st.binary(max_size=300))
def test_garbage_raises_protocol_errors_only(garbage: bytes) -> None:
    for decode in (split, lambda data: floats(data, 3)):
        with contextlib.suppress(ProtocolError):
            decode(garbage)


def test_what_is_not_a_number_is_refused() -> None:
    assert pack_floats([1.0]).hex() == "0000803f"
    for value in (math.nan, math.inf):
        with pytest.raises(ProtocolError, match="finite"):
            floats(pack_floats([value]), 1)
    assert floats(pack_floats([math.inf]), 1, endless=True) == (math.inf,)
