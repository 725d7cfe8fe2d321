"""States and modes of the emulated controller, and its registers, without sockets."""

from __future__ import annotations

import dataclasses
import re
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motion.arms import ARMS
from tamp.backends.xarm.emulator.choices import Choices
from tamp.backends.xarm.emulator.commands import JointMove, Marker, Origin, Sleep
from tamp.backends.xarm.emulator.controller import Controller
from tamp.backends.xarm.emulator.frames import ERROR, INVALID, NOT_READY, WARNING, Reply, Request, pack_floats
from tamp.backends.xarm.emulator.registers import HANDLERS, LENGTHS, answer

DOCS = Path(__file__).parents[5] / "docs" / "xarm.md"
ORIGIN = Origin(connection=1, transaction=7, register=23, kinds=3)


def _controller(**choices: object) -> Controller:
    controller = Controller(ARMS["xarm7"], Choices(**choices))  # type: ignore[arg-type]
    controller.enable(8, True)
    controller.set_mode(0)
    controller.set_state(0)
    return controller


def _turn(angle: float) -> JointMove:
    return JointMove((angle, *[float("inf")] * 6), 1.0, 10.0)


def _ask(controller: Controller, register: int, data: bytes = b"") -> Reply:
    return answer(controller, Request(1, 2, register, data), 1, 0)


def test_it_starts_stopped_with_motors_off_and_takes_the_usual_three_calls() -> None:
    controller = Controller(ARMS["xarm7"], Choices())
    assert (controller.state, controller.motors, controller.ready) == (4, 0, False)
    assert _ask(controller, 23, pack_floats([0.1] * 7 + [1, 10, 0])).status == NOT_READY
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
    assert not controller.ready and _ask(controller, 13).status == NOT_READY


def test_teaching_out_of_another_mode_becomes_position_control() -> None:
    controller = _controller()
    controller.set_mode(1)
    controller.set_mode(2)
    assert controller.mode == 0
    controller.set_mode(2)
    assert controller.mode == 2
    assert not controller.set_mode(3)


def test_feedback_tells_start_and_end_to_who_asked() -> None:
    controller = _controller()
    controller.submit(_turn(0.1), ORIGIN)
    controller.submit(Marker(), dataclasses.replace(ORIGIN, connection=2, transaction=8, kinds=2, register=253))
    for k in range(1, 100):
        controller.advance(0.005 * k)
    told = [(number, f.transaction, f.kind, f.code, f.register) for number, f in controller.feedback]
    assert told == [(1, 7, 1, 0, 23), (1, 7, 2, 0, 23), (2, 8, 2, 0, 253)]


def test_a_marker_with_nothing_before_it_is_told_at_once() -> None:
    controller = Controller(ARMS["xarm7"], Choices())
    controller.submit(Marker(), ORIGIN)
    assert [f.kind for _, f in controller.feedback] == [2]


def test_an_error_fails_what_runs_and_discards_what_waits() -> None:
    controller = _controller()
    controller.submit(_turn(0.5), ORIGIN)
    controller.submit(_turn(0.0), dataclasses.replace(ORIGIN, transaction=8))
    controller.advance(0.1)
    controller.fail(31)
    ended = {f.transaction: f.code for _, f in controller.feedback if f.kind == 2}
    assert ended == {7: 1, 8: 2}
    assert controller.all_on and controller.status == ERROR | NOT_READY
    assert not controller.set_state(0)
    assert controller.clear_error() and controller.state == 4 and not controller.ready


def test_nothing_of_a_stopped_move_goes_on() -> None:
    controller = _controller()
    controller.submit(_turn(2.0), ORIGIN)
    controller.advance(0.5)
    controller.set_state(4)
    for k in range(20):
        controller.advance(0.5 + 0.005 * k)
    q = controller.q
    controller.set_state(0)
    controller.advance(3.0)
    assert (controller.q == q).all() and controller.state == 2


def test_a_full_queue_drops_with_a_warning() -> None:
    controller = _controller(queue=2)
    for _ in range(3):
        controller.submit(Sleep(1.0), ORIGIN)
    assert (controller.count, controller.warning) == (2, 11)
    assert _ask(controller, 13).status == WARNING
    assert _ask(controller, 23, pack_floats([0.1] * 7 + [1, 10, 0])).status == WARNING | INVALID


def test_a_new_target_ends_the_one_before_in_online_mode() -> None:
    controller = _controller()
    controller.set_mode(6)
    controller.set_state(0)
    controller.submit(_turn(1.0), ORIGIN)
    controller.advance(0.3)
    controller.submit(_turn(-0.5), ORIGIN)
    for k in range(600):
        controller.advance(0.3 + 0.005 * k)
    assert controller.q[0] == pytest.approx(-0.5)


def test_a_check_moves_nothing_and_tells_the_error() -> None:
    controller = _controller()
    pose = [2000.0, 0, 200, np.pi, 0, 0, 100, 1000, 0, -1]
    reply = _ask(controller, 21, pack_floats(pose) + bytes([0, 0, 1]))
    assert struct.unpack(">HB", reply.data) == (0, 21)
    assert (controller.error, controller.count) == (0, 0)


@pytest.mark.parametrize("register", sorted(LENGTHS))
def test_answers_have_their_full_length_also_when_the_request_is_rubbish(register: int) -> None:
    controller = _controller()
    reply = _ask(controller, register, b"\x00\x01\x02")
    assert len(reply.data) == LENGTHS[register]


@given(st.sampled_from(sorted(HANDLERS)), st.binary(max_size=120))
def test_no_request_upsets_it(register: int, data: bytes) -> None:
    controller = _controller()
    reply = _ask(controller, register, data)
    assert reply.register == register
    for k in range(1, 4):
        controller.advance(0.005 * k)
    assert np.isfinite(controller.q).all()


def test_what_is_unknown_is_told_as_such() -> None:
    controller = _controller()
    assert _ask(controller, 250).status & INVALID and controller.warning == 13
    assert answer(controller, Request(1, 0, 1, b"\x03"), 1, 0) == Reply(1, 0, 1, 0, b"\x83\x01")


def test_every_choice_is_in_the_documentation() -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \| ([^ ]+) \| ", DOCS.read_text(), re.MULTILINE)
    said = {name: value for name, value in rows if name in {f.name for f in dataclasses.fields(Choices)}}
    shown = {"joint_speed": "π", "rotation_speed": "π", "rotation_acceleration": "2π", "motor_errors_disable": "true"}
    for field in dataclasses.fields(Choices):
        default = field.default
        plain = f"{default:g}" if isinstance(default, (int, float)) and not isinstance(default, bool) else str(default)
        assert said[field.name] == shown.get(field.name, plain), field.name
