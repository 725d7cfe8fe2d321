"""`tamp xarm emulate` as a user starts and ends it."""

from __future__ import annotations

import signal
import socket

import pytest

from tests import forked
from tests.emulated import LIFE

pytestmark = pytest.mark.process

EMULATE = ("xarm", "emulate", "--port", "20512")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_it_says_one_line_and_ends_on_a_signal(number: signal.Signals, code: int) -> None:
    process = forked.Begun(*EMULATE, "--seconds", LIFE, "--host", "127.0.60.1", "--model", "lite6")
    line = process.first_line()
    assert line.startswith("lite6 at 127.0.60.1: control 20512, reports 30001, 30002, 30003, ")
    with socket.create_connection(("127.0.60.1", 20512), timeout=5):
        process.send_signal(number)
        assert (process.wait(20), process.errors.read_text()) == (code, "")


def test_a_port_in_use_is_one_clear_error() -> None:
    with socket.create_server(("127.0.60.3", 20512)):
        done = forked.tamp(*EMULATE, "--host", "127.0.60.3")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "tamp: error: cannot listen at 127.0.60.3:20512: the port is in use; end what uses it, "
        "or take another --host such as 127.0.0.3\n"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "192.0.2.1"], "not an address of this machine"),
        (["--thing", "cup"], "--thing cup: not LABEL=X,Y,Z with millimetres in the frame of the base, as cup=400,0,30"),
        (["--detections", "127.0.0.1:5556"], "--detections 127.0.0.1:5556: no address; valid: tcp://127.0.0.1:5556"),
    ],
)
def test_what_cannot_be_is_one_line(options: list[str], said: str) -> None:
    done = forked.tamp(*EMULATE, *options)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1) and said in done.stderr
