"""Listening to an arm's report ports. Nothing is ever sent, and any number may listen beside whoever drives the arm."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from dataclasses import dataclass

from tamp.backends.xarm.view.reports import ArmReport, NoReport, read_report, split
from tamp.line_socket import hang_up

RICH_PORT, REAL_PORT = 30002, 30003
"""Five times a second with errors, and a hundred times a second without."""
CONNECTING, LOOK, SILENT, PAUSE = 2.0, 0.2, 3.0, 0.5
"""Seconds that connecting may take, between looks at whether to stop, without a byte after which the connection is
taken for broken, and before connecting again."""
OLD = 1.0
"""Seconds after which a report no longer says where the arm is: five times what is between two of the slow ones."""


@dataclass(frozen=True, eq=False)
class Heard:
    """The newest report, and when it came (seconds of `time.monotonic`)."""

    report: ArmReport
    at: float


class ReportStream:
    """Listens to one port on a thread of its own, and connects again whenever that ends."""

    def __init__(self, host: str, port: int) -> None:
        """The arm need not be there yet."""
        self.newest: Heard | None = None
        self.trouble: str | None = f"not connected to {host}:{port} yet"
        self._host, self._port = host, port
        self._ended = threading.Event()
        threading.Thread(target=self._listen, name=f"reports {host}:{port}", daemon=True).start()

    def close(self) -> None:
        """Let the thread end, which takes as long as a connection under way."""
        self._ended.set()

    def _listen(self) -> None:
        while not self._ended.is_set():
            try:
                self._hear(socket.create_connection((self._host, self._port), timeout=CONNECTING))
            except OSError as e:
                self.trouble = f"no reports from {self._host}:{self._port}: {e.strerror or e}"
            except NoReport as e:
                self.trouble = f"what {self._host}:{self._port} sends is no report: {e}"
            self._ended.wait(PAUSE)

    def _hear(self, connection: socket.socket) -> None:
        connection.settimeout(LOOK)
        half, last = b"", time.monotonic()
        try:
            while not self._ended.is_set():
                with contextlib.suppress(TimeoutError):
                    if not (received := connection.recv(65536)):
                        raise ConnectionError("the controller closed the connection")
                    last = time.monotonic()
                    frames, half = split(half + received)
                    if frames:
                        self.newest, self.trouble = Heard(read_report(frames[-1]), last), None
                if time.monotonic() - last > SILENT:
                    raise ConnectionError(f"nothing came for {SILENT:g} s")
        finally:
            hang_up(connection)


@dataclass(frozen=True, eq=False)
class Look:
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
    """Both ports of an arm: one for what it says of itself, one for where it is. Either is enough for a picture."""

    def __init__(self, host: str) -> None:
        """The arm need not be there yet."""
        self._since = time.monotonic()
        self._rich, self._real = ReportStream(host, RICH_PORT), ReportStream(host, REAL_PORT)

    def look(self) -> Look:
        """What is known now. Returns at once."""
        now, rich, real = time.monotonic(), self._rich.newest, self._real.newest
        newest = max((h for h in (rich, real) if h is not None), key=lambda h: h.at, default=None)
        age = now - (newest.at if newest else self._since)
        told = rich.report if rich is not None and now - rich.at <= OLD else None
        trouble = self._rich.trouble or (self._real.trouble if age > OLD else None)
        return Look(newest.report if newest else None, age, told, trouble)

    def close(self) -> None:
        """Hang up on both."""
        self._rich.close()
        self._real.close()
