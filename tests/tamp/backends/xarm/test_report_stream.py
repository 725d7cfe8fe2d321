"""An arm's reports, heard from emulated controllers and from what is none."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from motion.arms import ARMS
from tamp.backends.xarm.report_stream import REAL_PORT, RICH_PORT, ArmReports, ArmStatus
from tests.arm_cases import bent
from tests.emulated import Emulator, running

pytestmark = pytest.mark.process


def frame(size: int = 135, state: int = 2, mode: int = 0, q: float = 0.5) -> bytes:
    """A report as the protocol has it, zeros after the joints."""
    return (struct.pack(">IBH", size, mode << 4 | state, 0) + struct.pack("<7f", *[q] * 7)).ljust(size, b"\0")


def until(reports: ArmReports, done: Callable[[ArmStatus], bool], seconds: float = 8.0) -> ArmStatus:
    deadline = time.monotonic() + seconds
    while not done(look := reports.look()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert done(look), look
    return look


def at(q: np.ndarray) -> Callable[[ArmStatus], bool]:
    return lambda look: look.report is not None and np.allclose(look.report.q[: len(q)], q, atol=1e-5)


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with running() as found:
        yield found


def test_the_arm_is_where_its_controller_has_it(emulator: Emulator) -> None:
    reports = ArmReports(emulator.host)
    q = bent(ARMS["xarm6"])
    emulator.ask(teleport=list(q))
    look = until(reports, lambda look: at(q)(look) and look.rich is not None)
    assert (look.rich.axes, look.rich.error, look.rich.warning) == (6, 0, 0)
    assert (look.old, look.trouble) == (False, None)
    reports.close()


def test_a_connection_that_is_cut_comes_again(emulator: Emulator) -> None:
    reports = ArmReports(emulator.host)
    until(reports, lambda look: look.report is not None and look.trouble is None)
    emulator.ask(fault="drop", seconds=1.5)
    look = until(reports, lambda look: look.old)
    assert look.trouble is not None and emulator.host in look.trouble
    q = np.array([0.1, -0.2, -0.3, 0.4, 0.5, 0.6])
    emulator.ask(teleport=list(q))
    assert not until(reports, at(q)).old
    reports.close()


def test_what_is_no_controller_is_told_and_tried_again() -> None:
    """Garbage first, then half a report, then whole ones a few bytes at a time; and nothing is ever sent to it."""
    host, sent = "127.0.63.7", list[bytes]()
    with socket.create_server((host, REAL_PORT)) as server:
        reports = ArmReports(host)

        def serve() -> None:
            for said in (b"HTTP/1.1 200 OK\r\n" * 20, frame()[:70], frame(587, 1, 1)[:135] * 3):
                connection, _ = server.accept()
                with connection:
                    connection.sendall(said)
                    connection.shutdown(socket.SHUT_WR)
                    sent.append(connection.recv(1000))
            connection, _ = server.accept()
            with connection:
                for i in range(0, 270, 50):
                    connection.sendall((frame() + frame(state=1))[i : i + 50])
                    time.sleep(0.02)
                sent.append(connection.recv(1000))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        look = until(reports, lambda look: look.report is not None and look.report.state == 1)
        assert look.report is not None and np.allclose(look.report.q, 0.5)
        assert look.rich is None and look.trouble == f"no reports from {host}:{RICH_PORT}: Connection refused"
        reports.close()
        thread.join(5)
    assert sent == [b""] * 4
