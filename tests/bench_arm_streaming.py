"""`make bench-arm-streaming`: servo targets at 100 Hz for five minutes through the arm's own SDK: what comes late.

The joints follow a slow sine around an ordinary configuration. How late each target was sent is this machine's doing;
how long each call took, the SDK's and the emulator's; how even the reports came (port 30003, every 10 ms), the
emulator's. A deadline is missed when a target is sent a whole period or more after it was due.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Sequence

import numpy as np

from motion.arms import ARMS
from motion.poses import Array
from tests.arm_cases import bent
from tests.bench import Row
from tests.emulated import Emulator, running

DUE = 1.0
SWING, SLOWEST = 0.2, 8.0
"""Radians, and seconds of a whole swing of the first joint; the n-th swings n times in a row as fast."""


def bench(minutes: float = 5.0, hertz: float = 100.0, model: str = "xarm6") -> Iterator[Row]:
    """A row a target, a row between two reports, and whether the arm ends at the last target."""
    count = round(minutes * 60 * hertz)
    with running(model, "--seconds", str(minutes * 60 + 60)) as emulator:
        q = bent(ARMS[model])
        emulator.ask(teleport=[float(v) for v in q])
        arrivals, ended = list[float](), threading.Event()
        reader = threading.Thread(target=_listen, args=(emulator.host, arrivals, ended), daemon=True)
        reader.start()
        sent, last = _stream(emulator, q, 1 / hertz, count)
        time.sleep(0.5)  # for the arm to come to rest at the last target
        ended.set()
        reader.join(2)
        state = emulator.state()
    yield from sent
    yield from (Row("reports", None, {"ms": 1000 * gap}) for gap in np.diff(arrivals))
    off = float(np.abs(np.array(state["joints"]) - last).max())
    good = not state["error"] and off < 1e-3
    yield Row("at the last target", good, {"µrad": 1e6 * off}, f"error C{state['error']}")


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """The deadlines that were missed."""
    yield f"deadlines missed: {sum(row.data.get('missed', False) for row in rows)}"


def _stream(emulator: Emulator, q: Array, period: float, count: int) -> tuple[list[Row], Array]:
    """Send all targets, each when it is due: a row of each, and the last of them (n,)."""
    from xarm.core.config.x_config import XCONF
    from xarm.wrapper import XArmAPI

    XCONF.SocketConf.TCP_CONTROL_PORT = emulator.port
    arm = XArmAPI(emulator.host, is_radian=True, forbid_uds=True)
    arm.motion_enable(True)
    arm.set_mode(1)
    arm.set_state(0)
    time.sleep(0.2)
    sent, target, begun = list[Row](), q, time.perf_counter() + period
    for n in range(count):
        due = begun + n * period
        target = q + SWING * np.sin(2 * np.pi * n * period / SLOWEST * np.arange(1, len(q) + 1)) * _growing(n * period)
        time.sleep(max(due - time.perf_counter(), 0))
        before = time.perf_counter()
        code = arm.set_servo_angle_j([float(v) for v in target])
        late = before - due
        values = {"sent late, ms": 1000 * late, "call, ms": 1000 * (time.perf_counter() - before)}
        sent.append(Row("targets", not code, values, f"code {code}", data={"missed": late >= period}))
    arm.disconnect()
    return sent, target


def _growing(seconds: float) -> float:
    """From 0 to 1 in the first two seconds, so that it begins gently."""
    return min(seconds / 2, 1.0)


def _listen(host: str, arrivals: list[float], ended: threading.Event) -> None:
    """When each report of the real-time port came, in seconds."""
    with socket.create_connection((host, 30003), timeout=5) as reports:
        pending = b""
        while not ended.is_set() and (data := reports.recv(65536)):
            pending += data
            while len(pending) >= 4 and len(pending) >= (size := int.from_bytes(pending[:4], "big")):
                pending = pending[size:]
                arrivals.append(time.perf_counter())
