"""Lines over TCP or a Unix socket, each wait bounded.

Time-outs are set on every socket by hand: the arm's SDK changes the default of the whole process to one second.
"""

from __future__ import annotations

import contextlib
import socket
import time
from pathlib import Path

LONGEST = 1_000_000
"""Bytes of a line, unless more are asked for."""
_AT_ONCE = 65536


class Lines:
    """Bytes to lines: halves wait for their other half. What a line has beyond `longest` bytes is dropped."""

    def __init__(self, longest: int = LONGEST) -> None:
        self._half, self._longest = b"", longest
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that are whole now, without their ends. Of one that is too long, its beginning."""
        *whole, self._half = (self._half + data).split(b"\n")
        if self._dropping and whole:
            self._dropping = False
            whole = whole[1:]
        if self._dropping:
            self._half = b""
        elif len(self._half) > self._longest:
            whole.append(self._half[: self._longest])
            self._half, self._dropping = b"", True
        return whole


class LineSocket:
    """A connection over which lines go both ways. Used by one thread; `close` may come from another."""

    def __init__(self, at: tuple[str, int] | Path, timeout: float, longest: int = LONGEST) -> None:
        """Connects to a host and port, or to a Unix socket. OSError when that fails, or takes longer than `timeout`
        seconds. Lines have up to `longest` bytes."""
        if isinstance(at, Path):
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.settimeout(timeout)
            self._socket.connect(str(at))
        else:
            self._socket = socket.create_connection(at, timeout=timeout)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _keep_alive(self._socket)
        self._lines, self._ready = Lines(longest), list[bytes]()

    def send(self, line: bytes, timeout: float) -> None:
        """Send a line; its end is added. OSError when the connection is gone, or it takes longer."""
        self._socket.settimeout(max(timeout, 0.001))
        self._socket.sendall(line + b"\n")

    def receive(self, timeout: float) -> bytes | None:
        """The next line; None when none is whole within `timeout` seconds. OSError when the connection is gone."""
        deadline = time.monotonic() + timeout
        while not self._ready:
            self._socket.settimeout(max(deadline - time.monotonic(), 0.001))
            try:
                data = self._socket.recv(_AT_ONCE)
            except TimeoutError:
                return None
            if not data:
                raise ConnectionError("the other side closed the connection")
            self._ready += self._lines.feed(data)
            if not self._ready and time.monotonic() > deadline:
                return None
        return self._ready.pop(0)

    def close(self) -> None:
        """Close; who waits on it is woken."""
        hang_up(self._socket)


def hang_up(connection: socket.socket) -> None:
    """Close a connection so that a thread that waits on it is woken."""
    with contextlib.suppress(OSError):  # it may be gone already
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


def _keep_alive(connection: socket.socket) -> None:
    """Let the system notice a machine that is gone without a word, within about ten seconds."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 4), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
