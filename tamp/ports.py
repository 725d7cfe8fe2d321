"""Who may use a port that this toolkit opens, how many at once and how often: docs/ports.md has all of them."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit

LOCAL = frozenset({"127.0.0.1", "localhost"})
"""Names of this machine for itself."""
NUMBERS = "an address in numbers"
"""Among names: any such address, which no other site's name is."""
NEW = 200
"""Connections that a port accepts in a second."""
UNREAD = 20.0
"""Seconds after which a client that does not read is disconnected."""


class Headers(Protocol):
    """The header fields of an HTTP request."""

    def get_all(self, name: str, /) -> list[Any] | None:
        """All values of a field."""
        ...


def refusal(headers: Headers, names: Collection[str], port: int, own_page: bool = False) -> str | None:
    """Why a request over HTTP is refused, None where it is not. Its Host has to be one of `names`, at `port`: the name
    of another site may lead here, too. A page of another origin, which any browser says that it is, is refused; with
    `own_page` one of this port is not."""
    hosts, origins = headers.get_all("Host") or [], headers.get_all("Origin") or []
    if len(hosts) != 1 or not _is_own(str(hosts[0]), names, port):
        return f"unknown Host; valid: {', '.join(sorted(names))}, port {port}"
    if origins and not (own_page and origins == [f"http://{hosts[0]}"]):
        return "requests of web pages of other origins are refused"
    return None


def _is_own(host: str, names: Collection[str], port: int) -> bool:
    with suppress(ValueError):
        asked = urlsplit(f"//{host}")
        name = asked.hostname or ""
        numbers = NUMBERS in names and name.replace(".", "").isdigit()
        return (asked.port or 80) == port and (name in names or numbers)
    return False


def bound_sending(connection: socket.socket, seconds: float = UNREAD) -> None:
    """Let what is sent to a client that does not read fail after some seconds, on a socket without time-outs."""
    connection.settimeout(None)  # the arm's SDK gives all sockets of a process a time-out
    whole = int(seconds)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", whole, int(1e6 * (seconds - whole))))


@dataclass(eq=False)
class Places:
    """The places for connections of a port: `most` at once, and so many `new` ones in a second."""

    most: int
    new: int = NEW
    _taken: int = 0
    _left: float = 0.0
    _since: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def one(self) -> Iterator[bool]:
        """A place as long as this lasts; whether there is one."""
        with self._lock:
            now = time.monotonic()
            self._left = min(float(self.new), self._left + (now - self._since) * self.new)
            self._since = now
            free = self._taken < self.most and self._left >= 1.0
            self._taken, self._left = self._taken + free, self._left - free
        try:
            yield free
        finally:
            with self._lock:
                self._taken -= free
