"""`make bench-arm-streaming`: servo targets at 100 Hz for five minutes through the arm's own SDK: what comes late.

    python tests/bench_arm_streaming.py [--minutes 5] [--hertz 100] [--model xarm6]

The joints follow a slow sine around an ordinary configuration. A deadline is missed when a target is sent a whole
period or more after it was due. How late each target was sent is this machine's doing; how long each call took, the
SDK's and the emulator's; how even the reports came (port 30003, every 10 ms), the emulator's.
"""

from __future__ import annotations

import argparse
import socket
import sys
import threading
import time
from dataclasses import dataclass, field

import numpy as np

from motion.arms import ARMS
from motion.poses import Array
from tests.arm_cases import bent
from tests.emulated import Emulator, running

SWING, SLOWEST = 0.2, 8.0
"""Radians, and seconds of a whole swing of the first joint; the n-th swings n times in a row as fast."""


@dataclass
class Sent:
    """What was seen of each target, seconds: how late it was sent, how long the call took, what it returned."""

    late: list[float] = field(default_factory=list)
    took: list[float] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)


def main() -> int:
    parser = argparse.ArgumentParser(description="Servo targets streamed to an emulated arm.")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--hertz", type=float, default=100.0)
    parser.add_argument("--model", default="xarm6", choices=list(ARMS))
    asked = parser.parse_args()
    period, count = 1 / asked.hertz, round(asked.minutes * 60 * asked.hertz)
    with running(asked.model, "--seconds", str(asked.minutes * 60 + 60)) as emulator:
        q = bent(ARMS[asked.model])
        emulator.ask(teleport=[float(v) for v in q])
        arrivals, ended = list[float](), threading.Event()
        reader = threading.Thread(target=_listen, args=(emulator.host, arrivals, ended), daemon=True)
        reader.start()
        sent, last = _stream(emulator, q, period, count)
        time.sleep(0.5)  # for the arm to come to rest at the last target
        ended.set()
        reader.join(2)
        state = emulator.state()
    off = float(np.abs(np.array(state["joints"]) - last).max())
    sys.stdout.write(_told(sent, period, np.diff(arrivals), off, state["error"]) + "\n")
    return int(any(sent.codes) or bool(state["error"]) or off > 1e-3)


def _stream(emulator: Emulator, q: Array, period: float, count: int) -> tuple[Sent, Array]:
    """Send all targets, each when it is due; and the last of them (n,)."""
    from xarm.core.config.x_config import XCONF
    from xarm.wrapper import XArmAPI

    XCONF.SocketConf.TCP_CONTROL_PORT = emulator.port
    arm = XArmAPI(emulator.host, is_radian=True, forbid_uds=True)
    arm.motion_enable(True)
    arm.set_mode(1)
    arm.set_state(0)
    time.sleep(0.2)
    sent, target, begun = Sent(), q, time.perf_counter() + period
    for n in range(count):
        due = begun + n * period
        target = q + SWING * np.sin(2 * np.pi * n * period / SLOWEST * np.arange(1, len(q) + 1)) * _growing(n * period)
        time.sleep(max(due - time.perf_counter(), 0))
        before = time.perf_counter()
        code = arm.set_servo_angle_j([float(v) for v in target])
        sent.late.append(before - due)
        sent.took.append(time.perf_counter() - before)
        sent.codes.append(code)
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


def _told(sent: Sent, period: float, gaps: Array, off: float, error: int) -> str:
    late, took = np.array(sent.late), np.array(sent.took)
    lines = [
        f"{len(late)} targets, one every {_ms(period)} ms: {sum(map(bool, sent.codes))} calls failed, error {error}, "
        f"{off * 1e6:.2f} µrad beside the last target",
        f"deadlines missed (sent {_ms(period)} ms late or later): {int((late >= period).sum())}",
        f"sent late: {_spread(late)}",
        f"call: {_spread(took)}",
        f"between two reports: {_spread(gaps)}",
    ]
    return "\n".join(lines)


def _spread(seconds: Array) -> str:
    middle, most, longest = map(_ms, np.percentile(seconds, [50, 99, 100]))
    return f"median {middle} ms, 99 % {most} ms, longest {longest} ms, deviation {_ms(float(np.std(seconds)))} ms"


def _ms(seconds: float) -> str:
    return f"{1000 * seconds:.2f}".removesuffix(".00")


if __name__ == "__main__":
    raise SystemExit(main())
