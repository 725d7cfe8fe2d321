"""Orders over a socket: lines of JSON in, a line of JSON back for each event.

Orders are taken from the session's user, over a Unix socket, and over TCP from a client that sends the token first.
A web page can reach a port of this machine and send it lines of text, but no line of it is a token. Each connection is
a separate client. One that does not read what it is sent is dropped: nothing waits for it.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import queue
import secrets
import socket
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tamp.agent.orders import End, Order, Stop, read_json
from tamp.errors import Refusal, TampError
from tamp.line_socket import Lines, hang_up

LEASE = 10.0
"""Seconds without a word after which another one may be master."""
MOST_A_SECOND = 50
"""Orders that are taken from one master within a second; a stop always is."""


@dataclass(eq=False)
class CommandAuthority:
    """Passes orders on to `give`, from any thread."""

    give: Callable[[Order], None]
    clock: Callable[[], float] = time.monotonic
    _holder: str | None = None
    _heard: float = 0.0
    _recent: deque[float] = field(default_factory=deque)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def order(self, master: str, order: Order) -> None:
        """Pass on an order. Refusal while another client has command, and for more than `MOST_A_SECOND`."""
        with self._lock:
            now = self.clock()
            if not isinstance(order, Stop | End):
                self._check(master, now)
            elif isinstance(order, End):
                self._check_turn(master, now)
            self._holder, self._heard = self._holder or master, now
        self.give(order)

    def gone(self, master: str) -> None:
        """Somebody left."""
        with self._lock:
            if self._holder == master:
                self._holder = None

    def _check(self, master: str, now: float) -> None:
        self._check_turn(master, now)
        while self._recent and self._recent[0] < now - 1.0:
            self._recent.popleft()
        if len(self._recent) >= MOST_A_SECOND:
            raise Refusal(f"more than {MOST_A_SECOND} orders within a second: dropped", "flood")
        self._recent.append(now)

    def _check_turn(self, master: str, now: float) -> None:
        if self._holder not in (None, master):
            left = LEASE - (now - self._heard)
            if left > 0:
                until = f"until {self._holder} goes or is silent for {LEASE:g} s"
                raise Refusal(f"{self._holder} gives the orders here, {until}; a stop is taken from anybody", "taken")
            self._holder = None


MOST_MASTERS = 16
"""Connections at one time, over each kind of socket."""
MOST_UNREAD = 1000
"""Lines that wait to be read by a client."""
LONGEST_LINE = 20_000
"""Bytes of a line."""
INTRODUCES = 5.0
"""Seconds within which a client has to send its first line."""
_AT_ONCE = 65536


class OrderServer:
    """Listens at a Unix socket with mode 0600, on separate threads: at a path, or in a new folder
    that only the user can open.

    With a `port` (0: any free one) it listens at 127.0.0.1 as well, where a client's first line is `{"token": …}`.
    """

    def __init__(self, masters: CommandAuthority, path: Path | None = None, port: int | None = None) -> None:
        """OSError when a path or a port is taken."""
        self._masters, self._connected = masters, dict[str, _Connected]()
        self._number, self._lock = 0, threading.Lock()
        self._folder = None if path else tempfile.TemporaryDirectory(prefix="tamp-orders-")
        self.path = path or Path(str(self._folder and self._folder.name)) / "orders"
        self.port, self.token = port, secrets.token_urlsafe(24)
        self._listening = [_private(self.path)]
        if port is not None:
            try:
                self._listening.append(socket.create_server(("127.0.0.1", port)))
            except OSError:
                self.close()
                raise
            self.port = int(self._listening[1].getsockname()[1])
        for listening, token in zip(self._listening, ("", self.token), strict=False):
            threading.Thread(target=self._accept, args=(listening, token), name="orders", daemon=True).start()

    def tell(self, line: dict[str, Any]) -> None:
        """Send a line to every client; returns at once."""
        said = json.dumps(line).encode() + b"\n"
        for connected in list(self._connected.values()):
            connected.tell(said)

    def close(self) -> None:
        """Hang up."""
        for listening in self._listening:
            hang_up(listening)
        for connected in list(self._connected.values()):
            connected.close()
        self.path.unlink(missing_ok=True)
        if self._folder is not None:
            self._folder.cleanup()

    def _accept(self, listening: socket.socket, token: str) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with self._lock:
                self._number += 1
                name = f"connection {self._number}"
            if sum(c.token == token for c in list(self._connected.values())) >= MOST_MASTERS:
                with contextlib.suppress(OSError):
                    connection.sendall(b'{"error": "too many are connected"}\n')
                hang_up(connection)
                continue
            # registered first: an event may follow from its first order as soon as that is read
            self._connected[name] = connected = _Connected(connection, name, token, self._masters, self._leave)
            connected.begin()

    def _leave(self, name: str) -> None:
        self._connected.pop(name, None)
        self._masters.gone(name)


def _private(path: Path) -> socket.socket:
    """A Unix socket to which the user alone can connect, from the moment that it is there."""
    listening = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        listening.bind(str(path))
        listening.listen()
    except OSError:
        listening.close()
        raise
    finally:
        os.umask(before)
    return listening


class _Connected:
    """One connection: a thread that reads orders, and one that writes events. With a `token` it has to send that one
    before anything else, and is sent nothing until then."""

    def __init__(
        self, connection: socket.socket, name: str, token: str, masters: CommandAuthority, leave: Callable[[str], None]
    ) -> None:
        connection.settimeout(INTRODUCES if token else None)  # the arm's SDK gives all sockets of a process a time-out
        self.token, self._known, self._first = token, not token, True
        self._connection, self._name, self._masters, self._leave = connection, name, masters, leave
        self._unread: queue.Queue[bytes] = queue.Queue(MOST_UNREAD)

    def begin(self) -> None:
        for work in (self._read, self._write):
            threading.Thread(target=work, name=self._name, daemon=True).start()

    def tell(self, line: bytes) -> None:
        if not self._known:
            return
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
        lines, until = Lines(LONGEST_LINE), time.monotonic() + INTRODUCES
        with contextlib.suppress(OSError):
            while (data := self._connection.recv(_AT_ONCE)) and (self._known or time.monotonic() < until):
                if not all(self._take(line) for line in lines.feed(data) if line.strip()):
                    break
        self.close()

    def _take(self, line: bytes) -> bool:
        """Take a line; whether to go on. The first line has to be an object of JSON: a browser's never is."""
        if self._first and not isinstance(_json(line), dict):
            return False
        self._first = False
        if self._known:
            self._hear(line)
            return True
        if not hmac.compare_digest(str(_json(line).get("token")).encode(), self.token.encode()):
            self._connection.sendall(b'{"error": "the first line has to be the token, as tamp live prints it"}\n')
            return False
        self._known = True
        self._connection.settimeout(None)
        return True

    def _hear(self, line: bytes) -> None:
        try:
            self._masters.order(self._name, read_json(line.decode("utf-8", "replace")))
        except TampError as e:
            self.tell(json.dumps({"event": "command", "taken": False, "why": str(e)}).encode() + b"\n")

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            while line := self._unread.get():
                self._connection.sendall(line)


def _json(line: bytes) -> Any:
    """What a line says, None where it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
