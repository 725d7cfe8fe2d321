"""Listen to an arm's reports: what its controller sends to every client of its report ports.

Nothing is ever sent to it, and any number may listen while the arm is driven.

Every frame begins with its own size in bytes, u32 with the highest byte first. State, mode and joints stand at the same
places in the frames of all report ports; only the rich one is read for errors and for how many joints the arm has.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass, replace

import numpy as np

from motion.poses import Array
from tamp.errors import TampError

RICH_PORT, REAL_PORT = 30002, 30003
"""Five times a second with errors, and a hundred times a second without."""
CONNECTING, LOOK, SILENT, PAUSE = 2.0, 0.2, 3.0, 0.5
"""Seconds that connecting may take, between looks at whether to stop, without a byte after which the connection is
taken for broken, and before connecting again."""
OLD = 1.0
"""Seconds after which a report no longer says where the arm is: five times what is between two of the slow ones."""


SHORTEST, LONGEST = 87, 4096
"""Bytes of a frame: what all of them have, and more than any is known to have."""
MOST_STATE, MOST_MODE = 9, 11
"""Beyond these, which are the SDK's bounds too, it is no report."""
FARTHEST = 100.0
"""Radians, beyond which no joint of any arm is."""
_RICH = b"\xaa\x55"
"""Bytes 147 and 148 of a rich frame, its master and slave number. Real ones have forces where it has errors."""


class NoReport(TampError):
    """Bytes that are no report."""


@dataclass(frozen=True, eq=False)
class ArmReport:
    """State and mode by their numbers, the joints (7,) in radians, those that an arm does not have being 0.

    `error`, `warning`, and how many `axes` the arm has are None where the frame is not a rich one. `at`: when it came,
    in seconds of `time.monotonic`.
    """

    state: int
    mode: int
    q: Array
    error: int | None = None
    warning: int | None = None
    axes: int | None = None
    at: float = 0.0


def read_report(frame: bytes) -> ArmReport:
    """What one whole frame says. Raises NoReport."""
    if not SHORTEST <= len(frame) <= LONGEST:
        raise NoReport(f"{len(frame)} bytes; valid: {SHORTEST} to {LONGEST}")
    both = frame[4]
    q = np.frombuffer(frame, dtype="<f4", count=7, offset=7).astype(float)
    report = ArmReport(both & 15, both >> 4, q)
    if report.state > MOST_STATE or report.mode > MOST_MODE:
        raise NoReport(f"state {report.state} in mode {report.mode}; valid: to {MOST_STATE} and {MOST_MODE}")
    if not np.all(np.abs(q) < FARTHEST):  # also what is not a number
        raise NoReport(f"joints {q}; valid: radians")
    if frame[147:149] == _RICH:
        report = replace(report, error=frame[89], warning=frame[90], axes=frame[146])
    return report


def split(received: bytes) -> tuple[list[bytes], bytes]:
    """The whole frames in what was received, and the bytes of one that is not whole yet.

    Raises NoReport for bytes that cannot begin a frame: there is no way to find the next one.
    """
    found = []
    while len(received) >= 4:
        size = int.from_bytes(received[:4])
        if not SHORTEST <= size <= LONGEST:
            raise NoReport(f"a frame of {size} bytes; valid: {SHORTEST} to {LONGEST}")
        if len(received) < size:
            break
        found.append(received[:size])
        received = received[size:]
    return found, received


@dataclass(frozen=True, eq=False)
class ArmStatus:
    """What is known of the arm now: the newest `report` of either port, how many seconds old it is, the newest `rich`
    one unless it is old, and what is wrong. Without any report the age is how long there has been none."""

    report: ArmReport | None
    age: float
    rich: ArmReport | None
    trouble: str | None

    @property
    def old(self) -> bool:
        """Whether the arm may be somewhere else by now."""
        return self.report is None or self.age > OLD


class ArmReports:
    """Both ports of an arm: one for what it says of itself, one for where it is. Either is enough for a picture.

    Listens on a thread each, and connects again whenever that ends.
    """

    def __init__(self, host: str) -> None:
        """The arm need not be there yet."""
        self._host, self._since, self._ended = host, time.monotonic(), threading.Event()
        self._newest: dict[int, ArmReport] = {}
        self._trouble: dict[int, str | None] = {}
        for port in (RICH_PORT, REAL_PORT):
            self._trouble[port] = f"not connected to {host}:{port} yet"
            threading.Thread(target=self._listen, args=[port], name=f"reports {host}:{port}", daemon=True).start()

    def look(self) -> ArmStatus:
        """What is known now. Returns at once."""
        now, rich = time.monotonic(), self._newest.get(RICH_PORT)
        newest = max(list(self._newest.values()), key=lambda report: report.at, default=None)
        age = now - (newest.at if newest else self._since)
        recent = rich if rich is not None and now - rich.at <= OLD else None
        return ArmStatus(
            newest, age, recent, self._trouble[RICH_PORT] or (self._trouble[REAL_PORT] if age > OLD else None)
        )

    def close(self) -> None:
        """Let the threads end, which takes as long as a connection under way."""
        self._ended.set()

    def _listen(self, port: int) -> None:
        while not self._ended.is_set():
            try:
                self._hear(port)
            except OSError as e:
                self._trouble[port] = f"no reports from {self._host}:{port}: {e.strerror or e}"
            except NoReport as e:
                self._trouble[port] = f"what {self._host}:{port} sends is no report: {e}"
            self._ended.wait(PAUSE)

    def _hear(self, port: int) -> None:
        half, last = b"", time.monotonic()
        with socket.create_connection((self._host, port), timeout=CONNECTING) as connection:
            connection.settimeout(LOOK)
            while not self._ended.is_set():
                with contextlib.suppress(TimeoutError):
                    if not (received := connection.recv(65536)):
                        raise ConnectionError("the controller closed the connection")
                    last = time.monotonic()
                    frames, half = split(half + received)
                    if frames:
                        self._newest[port], self._trouble[port] = replace(read_report(frames[-1]), at=last), None
                if time.monotonic() - last > SILENT:
                    raise ConnectionError(f"nothing came for {SILENT:g} s")
