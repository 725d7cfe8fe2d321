"""The emulator's sockets, late, cut and broken; faults on demand."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from tamp.backends.xarm.emulator.protocol import ProtocolRequest
from tests.controller_frames import encode_request

pytestmark = pytest.mark.process


def test_replies_can_be_late(arm: Any, emulator: Any) -> None:
    emulator.ask(fault="delay", seconds=0.3)
    before = time.monotonic()
    assert arm.get_state()[0] == 0
    assert time.monotonic() - before > 0.25
    emulator.ask(clear="faults")


@pytest.mark.parametrize("fault", ["drop", "half"])
def test_a_broken_connection_can_be_made_anew(fault: str, arm: Any, emulator: Any, connected: Any) -> None:
    emulator.ask(fault=fault)
    assert arm.get_state()[0] != 0
    again = connected(emulator)
    assert again.get_state() == (0, 2)


def test_garbage_does_not_end_the_emulator(arm: Any, emulator: Any, connected: Any) -> None:
    emulator.ask(fault="garbage")
    client = socket.create_connection((emulator.host, emulator.port), timeout=5)
    client.sendall(b"\xff" * 64)
    assert client.recv(100) == b"", "it hangs up"
    half = socket.create_connection((emulator.host, emulator.port), timeout=5)
    half.sendall(encode_request(ProtocolRequest(1, 2, 23, bytes(40)))[:-3])
    for register in range(256):
        other = socket.create_connection((emulator.host, emulator.port), timeout=5)
        other.sendall(encode_request(ProtocolRequest(1, 2, register, b"\x09")))
        assert len(other.recv(400)) >= 8, f"register {register} gives no reply"
        other.close()
    half.close()
    assert connected(emulator).get_state()[0] == 0


def test_the_side_channel_answers_nonsense_with_errors(emulator: Any) -> None:
    orders = (
        {},
        {"query": "weather"},
        {"teleport": [0]},
        {"teleport": [9] * 6},
        {"teleport": [10**400] * 6},
        {"fault": 1},
    )
    for order in (
        *orders,
        {"fault": "drop", "when": 1},
        {"fault": "freeze", "seconds": 10**400},
        {"fault": ["drop"]},
        {"things": [[[]]]},
    ):
        assert "error" in emulator.ask(**order)


@pytest.mark.parametrize("first", [b"POST / HTTP/1.1\r\n", b"\xff\xfe[[[\n", b"[" * 5000 + b"\n", b"[1]\n", b"\n"])
def test_who_begins_with_no_order_is_no_client_of_the_side_channel(emulator: Any, first: bytes) -> None:
    """A request of a web page is lines, too, and its body may hold an order."""
    before = emulator.state()["joints"]
    with socket.create_connection((emulator.host, emulator.shown["fault_port"]), timeout=5) as side:
        side.sendall(first + b'Host: x\r\n\r\n{"teleport": [0.5, 0, 0, 0, 0, 0]}\n')
        with side.makefile("rb") as answers:
            assert [b"error" in line for line in answers] == [True], "one answer, and the end"
    assert emulator.state()["joints"] == before


@pytest.mark.parametrize(
    ("fault", "code"),
    [("collision", 31), ("overspeed", 24), ("joint_limit", 23), ("servo", 13), ("emergency", 2)],
)
def test_the_arms_faults_stop_it_and_are_told(fault: str, code: int, arm: Any, emulator: Any, ready: Any) -> None:
    order = {"fault": fault, "motion": 1, "share": 0.5} | ({"joint": 3} if fault == "servo" else {})
    emulator.ask(**order)
    assert arm.set_servo_angle(servo_id=1, angle=0.8, speed=1, mvacc=10, wait=True, timeout=10) != 0
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
