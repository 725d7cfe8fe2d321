"""Orders over TCP on this machine: lines of JSON in, a line of JSON back for each event.

Each connection is a master of its own. One that does not read what it is told is told no more: it is dropped, and
nobody waits for it.
"""

from __future__ import annotations

import contextlib
import json
import queue
import socket
import threading
from collections.abc import Callable
from typing import Any

from tamp.errors import TampError
from tamp.execution.line_socket import Lines, hang_up
from tamp.execution.masters import Masters
from tamp.execution.orders import read_json

MOST_MASTERS = 8
MOST_UNREAD = 1000
"""Lines that wait for somebody to read them."""
LONGEST_LINE = 20_000
"""Characters of a line that is read at all."""
_AT_ONCE = 65536


class OrderServer:
    """Listens at a port of 127.0.0.1 (0: any free one), on threads of its own."""

    def __init__(self, masters: Masters, port: int = 0) -> None:
        """OSError when the port is taken."""
        self._masters = masters
        self._listening = socket.create_server(("127.0.0.1", port))
        self.port = int(self._listening.getsockname()[1])
        self._connected: dict[str, _Connected] = {}
        threading.Thread(target=self._accept, name="orders", daemon=True).start()

    def tell(self, line: dict[str, Any]) -> None:
        """Tell everybody something; returns at once."""
        said = json.dumps(line).encode() + b"\n"
        for connected in list(self._connected.values()):
            connected.tell(said)

    def close(self) -> None:
        """Hang up."""
        hang_up(self._listening)
        for connected in list(self._connected.values()):
            connected.close()

    def _accept(self) -> None:
        number = 0
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            number += 1
            if len(self._connected) >= MOST_MASTERS:
                with contextlib.suppress(OSError):
                    connection.sendall(b'{"error": "too many are connected"}\n')
                hang_up(connection)
                continue
            name = f"connection {number}"
            # told of what its first order does already, which may come, and be done, as soon as it is read
            self._connected[name] = connected = _Connected(connection, name, self._masters, self._leave)
            connected.begin()

    def _leave(self, name: str) -> None:
        self._connected.pop(name, None)
        self._masters.gone(name)


class _Connected:
    """One connection: a thread that reads orders, and one that writes what is to be told."""

    def __init__(self, connection: socket.socket, name: str, masters: Masters, leave: Callable[[str], None]) -> None:
        connection.settimeout(None)  # the arm's SDK gives all sockets of a process a time-out
        self._connection, self._name, self._masters, self._leave = connection, name, masters, leave
        self._unread: queue.Queue[bytes] = queue.Queue(MOST_UNREAD)

    def begin(self) -> None:
        for work in (self._read, self._write):
            threading.Thread(target=work, name=self._name, daemon=True).start()

    def tell(self, line: bytes) -> None:
        try:
            self._unread.put_nowait(line)
        except queue.Full:
            self.close()

    def close(self) -> None:
        self._leave(self._name)
        hang_up(self._connection)
        with contextlib.suppress(queue.Full):
            self._unread.put_nowait(b"")

    def _read(self) -> None:
        lines = Lines()
        with contextlib.suppress(OSError):
            while data := self._connection.recv(_AT_ONCE):
                for line in lines.feed(data):
                    if line.strip():
                        self._hear(line)
        self.close()

    def _hear(self, line: bytes) -> None:
        try:
            self._masters.order(self._name, read_json(line[:LONGEST_LINE].decode("utf-8", "replace")))
        except TampError as e:
            self.tell(json.dumps({"event": "command", "taken": False, "why": str(e)}).encode() + b"\n")

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            while line := self._unread.get():
                self._connection.sendall(line)
