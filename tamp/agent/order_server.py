"""Orders over a socket: lines of JSON in, a line of JSON back for each event.

Orders are taken from the session's user, over a Unix socket. Each connection is a separate client. One that does not
read what it is sent is dropped: nothing waits for it.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import socket
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tamp.agent.orders import End, Order, Say, Start, Stop, read_json
from tamp.errors import Refusal, TampError
from tamp.line_socket import Lines, hang_up

LEASE = 10.0
"""Seconds without an order after which another client may have command."""
MOST_A_SECOND = 50
"""Orders that are taken from one client within a second; a stop always is."""
MOST_ASKED = 10
"""Orders that wait for the operator's yes at one time."""


@dataclass(eq=False)
class CommandAuthority:
    """Passes orders on to `give`, from any thread. With an `operator`, what other clients want to begin waits until
    that one approves."""

    give: Callable[[Order], None]
    clock: Callable[[], float] = time.monotonic
    operator: str | None = None
    _waiting: dict[int, tuple[str, Order]] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _holder: str | None = None
    _heard: float = 0.0
    _recent: deque[float] = field(default_factory=deque)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def order(self, client: str, order: Order) -> int | None:
        """Pass on an order; the number of one that waits for the operator. Refusal while another client has command,
        and for more than `MOST_A_SECOND`, or `MOST_ASKED` that wait."""
        with self._lock:
            now = self.clock()
            if not isinstance(order, Stop) and client != self.operator:
                self._check_turn(client, now)
            if not isinstance(order, Stop | End):
                self._check_rate(now)
            self._holder, self._heard = self._holder or client, now
            if self.operator not in (None, client) and isinstance(order, Start | Say):
                if len(self._waiting) >= MOST_ASKED:
                    raise Refusal(f"{MOST_ASKED} orders wait for the operator already: dropped", "flood")
                number = next(self._numbers)
                self._waiting[number] = client, order
                return number
            if isinstance(order, End) or order == Stop():
                self._waiting.clear()
        self.give(order)
        return None

    def decide(self, number: int, approved: bool) -> Order:
        """Pass on an order that waits, or drop it. Refusal where there is none of that number."""
        with self._lock:
            if number not in self._waiting:
                waiting = ", ".join(map(str, self._waiting)) or "none"
                raise Refusal(f"no order {number} waits; waiting: {waiting}", "none")
            _, order = self._waiting.pop(number)
        if approved:
            self.give(order)
        return order

    def gone(self, client: str) -> None:
        """A client has left, and with it what it wanted to begin."""
        with self._lock:
            self._waiting = {n: asked for n, asked in self._waiting.items() if asked[0] != client}
            if self._holder == client:
                self._holder = None

    def _check_rate(self, now: float) -> None:
        while self._recent and self._recent[0] < now - 1.0:
            self._recent.popleft()
        if len(self._recent) >= MOST_A_SECOND:
            raise Refusal(f"more than {MOST_A_SECOND} orders within a second: dropped", "flood")
        self._recent.append(now)

    def _check_turn(self, client: str, now: float) -> None:
        if self._holder in (None, client):
            return
        if now - self._heard < LEASE:
            until = f"until {self._holder} goes or is silent for {LEASE:g} s"
            raise Refusal(f"{self._holder} gives the orders here, {until}; a stop is taken from anybody", "taken")
        self._holder = None


MOST_CLIENTS = 16
"""Connections at one time."""
MOST_UNREAD = 1000
"""Lines that wait to be read by a client."""
LONGEST_LINE = 20_000
"""Bytes of a line."""
_AT_ONCE = 65536


class OrderServer:
    """Listens at a Unix socket with mode 0600, on separate threads: at a path, or in a new folder that only the user
    can open."""

    def __init__(
        self,
        authority: CommandAuthority,
        path: Path | None = None,
        greeting: dict[str, Any] | None = None,
        asked: Callable[[str], None] = lambda line: None,
    ) -> None:
        """`greeting` is the first line to each client; `asked` is called with a line for each order that waits for the
        operator. OSError when the path is taken."""
        self._authority, self._connected = authority, dict[str, _Connected]()
        self._greeting, self._asked = greeting, asked
        self._folder = None if path else tempfile.TemporaryDirectory(prefix="tamp-orders-")
        self.path = path or Path(str(self._folder and self._folder.name)) / "orders"
        self._listening = _private(self.path)
        threading.Thread(target=self._accept, name="orders", daemon=True).start()

    def tell(self, line: dict[str, Any]) -> None:
        """Send a line to every client; returns at once."""
        text = json.dumps(line).encode() + b"\n"
        for connected in list(self._connected.values()):
            connected.tell(text)

    def close(self) -> None:
        """Hang up."""
        hang_up(self._listening)
        for connected in list(self._connected.values()):
            connected.close()
        self.path.unlink(missing_ok=True)
        if self._folder is not None:
            self._folder.cleanup()

    def _accept(self) -> None:
        for number in itertools.count(1):
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            if len(self._connected) >= MOST_CLIENTS:
                with contextlib.suppress(OSError):
                    connection.sendall(b'{"error": "too many are connected"}\n')
                hang_up(connection)
                continue
            # registered first: an event may follow from its first order as soon as that is read
            name = f"connection {number}"
            self._connected[name] = connected = _Connected(connection, name, self._order, self._leave)
            if self._greeting is not None:
                connected.tell(json.dumps(self._greeting).encode() + b"\n")
            connected.begin()

    def _order(self, client: str, order: Order) -> dict[str, Any] | None:
        """What to say at once to the client of an order, if anything."""
        number = self._authority.order(client, order)
        if number is None:
            return None
        self._asked(f"{client} asks for: {order}; yes {number}, or no {number}")
        return {"event": "approval", "command": str(order), "number": number}

    def _leave(self, name: str) -> None:
        self._connected.pop(name, None)
        self._authority.gone(name)


def _private(path: Path) -> socket.socket:
    """A Unix socket to which the user alone can connect, from the moment that it is there."""
    listening = socket.socket(socket.AF_UNIX)
    listening.settimeout(None)  # as of a connection: with the time-out of the arm's SDK accepting ends for good
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
    """One connection: a thread that reads orders, and one that writes events."""

    def __init__(
        self,
        connection: socket.socket,
        name: str,
        order: Callable[[str, Order], dict[str, Any] | None],
        leave: Callable[[str], None],
    ) -> None:
        connection.settimeout(None)  # the arm's SDK gives all sockets of a process a time-out
        self._connection, self._name, self._give, self._leave = connection, name, order, leave
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
        """Take orders, line by line. The first line has to be an object of JSON: a browser's never is."""
        lines, first = Lines(LONGEST_LINE), True
        with contextlib.suppress(OSError):
            while data := self._connection.recv(_AT_ONCE):
                for line in lines.feed(data):
                    if not line.strip():
                        continue
                    if first and not _is_object(line):
                        return self.close()
                    first = False
                    self._order(line.decode("utf-8", "replace"))
        self.close()

    def _order(self, line: str) -> None:
        answer: dict[str, Any] | None
        try:
            answer = self._give(self._name, read_json(line))
        except TampError as e:
            answer = {"event": "command", "taken": False, "why": str(e)}
        if answer is not None:
            self.tell(json.dumps(answer).encode() + b"\n")

    def _write(self) -> None:
        with contextlib.suppress(OSError):
            while line := self._unread.get():
                self._connection.sendall(line)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
