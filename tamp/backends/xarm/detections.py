"""Where detections come from: a file of lines of JSON that grows, or such lines over TCP."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO, Protocol, runtime_checkable

from motion.poses import Array
from tamp.backends.xarm.address import address_of
from tamp.backends.xarm.detection_lines import Detection, Latest
from tamp.backends.xarm.workcell import Workcell
from tamp.errors import InputError
from tamp.line_socket import Lines, LineSocket

__all__ = ["Detection", "Detector", "JsonLinesClient", "JsonLinesFile", "Troubled", "open_detector"]

TAIL = 262_144
"""Bytes at the end of a file that are read of a longer one: what is before is too old to matter."""
CONNECTING, LISTENING, PAUSE = 1.0, 0.2, 0.3
"""Seconds that connecting may take, between looks at whether to stop, and before connecting again."""


class Detector(Protocol):
    """What sees things."""

    def seen(self) -> tuple[Detection, ...]:
        """The newest of each thing. Returns at once, whatever the detector does."""
        ...

    def close(self) -> None:
        """Let go of files and connections; nothing is seen any more."""
        ...


@runtime_checkable
class Troubled(Protocol):
    """A detector that can say why it sees nothing."""

    def trouble(self) -> str | None:
        """What is wrong with it; None when it works."""
        ...


def open_detector(world: Workcell, tell: Callable[[str], None] | None = None) -> Detector:
    """The detector that a world names. InputError when it names none. `tell` is told of wrong lines."""
    source = world.detector.source
    if source is None:
        raise InputError(f'{world.name}: there is no detector; valid: [detector] with source = "tcp://127.0.0.1:5556"')
    if source.startswith("tcp://"):
        return JsonLinesClient(source, world.cameras, tell)
    return JsonLinesFile(Path(source), world.cameras, tell)


class JsonLinesFile:
    """Follows a file to which a detector appends; it may not be there yet, be cut short, or be replaced."""

    def __init__(
        self, path: Path, cameras: Mapping[str, Array] | None = None, tell: Callable[[str], None] | None = None
    ) -> None:
        self.latest = Latest(cameras or {}, tell)
        self._path, self._lock = path, threading.Lock()
        self._file: BinaryIO | None = None
        self._lines, self._trouble = Lines(), f"{path} was not read yet"

    def seen(self) -> tuple[Detection, ...]:
        """The newest of each label, after reading what was appended since; a half line waits for its end."""
        with self._lock:
            try:
                self._read()
                self._trouble = ""
            except OSError as e:
                self._trouble = f"cannot read {self._path}: {e.strerror or e}"
                self._let_go()
        return self.latest.seen()

    def trouble(self) -> str | None:
        """What is wrong with the file, or with the last wrong line of it."""
        return self._trouble or _wrong_lines(self.latest)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._let_go()

    def _read(self) -> None:
        now = self._path.stat()
        if not stat.S_ISREG(now.st_mode):
            raise OSError("it is no regular file")  # opening a pipe would wait for its other end
        if self._file is not None:
            then = os.fstat(self._file.fileno())
            if (then.st_ino, then.st_dev) != (now.st_ino, now.st_dev) or now.st_size < self._file.tell():
                self._let_go()
        if self._file is None:
            self._file = self._path.open("rb")
        if now.st_size - self._file.tell() > TAIL:
            self._lines = Lines()
            self._file.seek(now.st_size - TAIL)
            self._file.readline()
        for line in self._lines.feed(self._file.read(2 * TAIL)):
            self.latest.add(line)

    def _let_go(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file, self._lines = None, Lines()


class JsonLinesClient:
    """Listens to a detector at `tcp://host:port` on a thread of its own, and connects again whenever that ends."""

    def __init__(
        self, address: str, cameras: Mapping[str, Array] | None = None, tell: Callable[[str], None] | None = None
    ) -> None:
        """ValueError for what is no address. The detector need not be there yet."""
        self.latest = Latest(cameras or {}, tell)
        self._address, self._host_port = address, address_of(address)
        self._trouble = f"not connected to {address} yet"
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._listen, name=f"detections {address}", daemon=True)
        self._thread.start()

    def seen(self) -> tuple[Detection, ...]:
        """The newest of each label."""
        return self.latest.seen()

    def trouble(self) -> str | None:
        """What is wrong with the connection, or with the last wrong line."""
        return self._trouble or _wrong_lines(self.latest)

    def close(self) -> None:
        """End the thread; at most about a second."""
        self._ended.set()
        self._thread.join(CONNECTING + 2 * LISTENING)

    def _listen(self) -> None:
        while not self._ended.is_set():
            try:
                self._hear(LineSocket(self._host_port, CONNECTING))
            except OSError as e:
                self._trouble = f"no connection to {self._address}: {e.strerror or e}"
            self._ended.wait(PAUSE)

    def _hear(self, connection: LineSocket) -> None:
        self._trouble = ""
        try:
            while not self._ended.is_set():
                if (line := connection.receive(LISTENING)) is not None:
                    self.latest.add(line)
        finally:
            connection.close()


def _wrong_lines(latest: Latest) -> str | None:
    return f"{latest.wrong_lines} wrong lines, the last: {latest.last_wrong}" if latest.wrong_lines else None
