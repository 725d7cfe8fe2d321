"""Work of the hand, which is no part of the arm's contract: events to a separate controller, each to be acknowledged.

The arm goes on only after an acknowledgement. Anything else is a `HandError`, and says that it must not; whether the
hand did something then is not known, unless it refused, and so an event is never sent a second time.
"""

from __future__ import annotations

import itertools
import json
import secrets
import threading
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from tamp.backends.xarm.address import address_of
from tamp.errors import TampError
from tamp.line_socket import LineSocket

LONGEST_WAIT = 3600.0
"""Seconds that an event may take at most, whatever the time-out."""

Reason = Literal["refused", "no answer", "unreachable", "connection lost", "closed"]


@dataclass(frozen=True)
class HandEvent:
    """What the hand is to do (`open`, `close`, ...), at which step of the plan, from 1, and what else it is sent, as
    JSON has it."""

    kind: str
    step: int
    payload: Mapping[str, Any] = field(default_factory=dict)


class HandError(TampError):
    """The hand has not acknowledged an event: `reason` for programs, the message for people."""

    exit_code = 1

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class HandController(Protocol):
    """A hand controller."""

    def emit(self, event: HandEvent, timeout: float) -> None:
        """Send an event and wait until the hand has done it, at most `timeout` seconds. HandError where it has not."""
        ...

    def close(self) -> None:
        """End it; a wait in `emit` ends. May be called from another thread."""
        ...


class TcpHand:
    """A hand controller at `tcp://host:port`, by lines of JSON, with a connection for each event.

    It is sent `{"event": "close", "id": 7, "step": 3, "payload": {}}` and answers `{"ack": 7}` when it has done that,
    or `{"error": "...", "id": 7}`; an error without `id` is about that event too. Ids are never used again, and a late
    answer comes on a connection that is closed: it can be taken for no other.
    """

    def __init__(self, address: str) -> None:
        """ValueError for what is no address. Connects when there is something to send."""
        self._address, self._host_port = address, address_of(address)
        self._ids = itertools.count(1 + secrets.randbelow(2**31))
        self._closed = threading.Event()
        self._connection: LineSocket | None = None

    def emit(self, event: HandEvent, timeout: float) -> None:
        """Send the event, and wait for the answer with its id."""
        number, seconds = next(self._ids), min(max(timeout, 0.001), LONGEST_WAIT)
        message = {"event": event.kind, "id": number, "step": event.step, "payload": dict(event.payload)}
        deadline, sent = time.monotonic() + seconds, False
        try:
            with closing(LineSocket(self._host_port, seconds)) as self._connection:
                if self._closed.is_set():  # only now: close() hangs up on the connection that it finds
                    raise ConnectionError("the hand was closed")
                sent = True
                self._connection.send(json.dumps(message, allow_nan=False).encode(), deadline - time.monotonic())
                while (left := deadline - time.monotonic()) > 0:
                    line = self._connection.receive(left)
                    if line is not None and _acknowledges(line, event, number):
                        return
        except OSError as e:
            if self._closed.is_set():
                raise HandError("closed", f"the hand was closed during {event.kind!r}") from e
            why = e.strerror or str(e) or type(e).__name__
            if not sent:
                raise HandError("unreachable", f"no connection to the hand at {self._address}: {why}") from e
            ended = f"the connection to the hand at {self._address} ended during {event.kind!r}: {why}"
            raise HandError("connection lost", f"{ended}; whether the hand did it is not known") from e
        silent = f"the hand at {self._address} did not answer {event.kind!r} within {seconds:g} s"
        raise HandError("no answer", f"{silent}; whether it did it is not known")

    def close(self) -> None:
        """Hang up, for good."""
        self._closed.set()
        if connection := self._connection:
            connection.close()


def _acknowledges(line: bytes, event: HandEvent, number: int) -> bool:
    """Whether a line acknowledges the event with this id; not when it is about something else or nothing at all.
    HandError where it refuses it."""
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(reply, dict):
        return False
    if "error" in reply and _same(reply.get("id", number), number):
        words = " ".join(str(reply["error"]).split())[:200]
        raise HandError("refused", f"the hand refuses {event.kind!r}: {words}")
    return "error" not in reply and _same(reply.get("ack"), number)


def _same(value: Any, number: int) -> bool:
    """Whether it is this id, as a whole number: true and 1.0 are equal to 1 in Python."""
    return type(value) is int and value == number
