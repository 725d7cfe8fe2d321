"""Work of the hand, which is no part of the arm's contract: events to a separate controller, each to be acknowledged.

The arm goes on only after `Acknowledged`. Anything else says that it must not; whether the hand did something then is
not known, unless it refused, and so an event is never sent a second time.
"""

from __future__ import annotations

import itertools
import json
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from tamp.backends.xarm.address import address_of
from tamp.line_socket import LineSocket

LONGEST_WAIT = 3600.0
"""Seconds that an event may take at most, whatever the time-out."""

Reason = Literal["refused", "no answer", "unreachable", "connection lost", "busy", "closed"]


@dataclass(frozen=True)
class HandEvent:
    """What the hand is to do (`open`, `close`, ...), at which step of the plan, from 1, and what else it is told, as
    JSON has it."""

    kind: str
    step: int
    payload: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Acknowledged:
    """The hand has done it, `seconds` after it was told."""

    event: HandEvent
    seconds: float


@dataclass(frozen=True)
class NotAcknowledged:
    """The hand has not said that it has done it: `reason` for programs, `message` for people."""

    event: HandEvent
    reason: Reason
    message: str


class Hand(Protocol):
    """A hand controller."""

    def emit(self, event: HandEvent, timeout: float) -> Acknowledged | NotAcknowledged:
        """Tell the hand and wait until it has done it, at most `timeout` seconds. Never raises."""
        ...

    def close(self) -> None:
        """End it; who waits in `emit` is answered. May be called from another thread."""
        ...


class TcpHand:
    """A hand controller at `tcp://host:port`, by lines of JSON.

    It is sent `{"event": "close", "id": 7, "step": 3, "payload": {}}` and answers `{"ack": 7}` when it has done that,
    or `{"error": "...", "id": 7}`; an error without `id` is about what was sent last. Ids are never used again, and a
    connection on which an answer is owed is closed: a late answer can be taken for no other.
    """

    def __init__(self, address: str) -> None:
        """ValueError for what is no address. Connects when there is something to say."""
        self._address, self._host_port = address, address_of(address)
        self._ids = itertools.count(1 + secrets.randbelow(2**31))
        self._one, self._closed = threading.Lock(), threading.Event()
        self._connection: LineSocket | None = None

    def emit(self, event: HandEvent, timeout: float) -> Acknowledged | NotAcknowledged:
        """Send the event, on a new connection where the old one has ended, and wait for the answer with its id."""
        begin, timeout = time.monotonic(), _bounded(timeout)
        if not self._one.acquire(timeout=timeout):
            return NotAcknowledged(event, "busy", f"the hand is still busy after {timeout:g} s")
        answer: Acknowledged | NotAcknowledged | None = None
        try:
            answer = self._exchange(event, begin, begin + timeout)
            return answer
        finally:
            if answer is None or (isinstance(answer, NotAcknowledged) and answer.reason != "refused"):
                self._hang_up()  # also when Ctrl-C ended the wait
            self._one.release()

    def close(self) -> None:
        """Hang up, for good."""
        self._closed.set()
        if connection := self._connection:
            connection.close()

    def _exchange(self, event: HandEvent, begin: float, deadline: float) -> Acknowledged | NotAcknowledged:
        number = next(self._ids)
        try:
            line = _line(event, number)
        except (ValueError, TypeError, RecursionError) as e:
            return NotAcknowledged(event, "refused", f"{event.kind!r} cannot be told as JSON: {e}")
        try:
            connection = self._connected(deadline)
        except OSError as e:
            return self._failed(event, "unreachable", f"no connection to the hand at {self._address}: {_why(e)}")
        try:
            connection.send(line, deadline - time.monotonic())
            while (left := deadline - time.monotonic()) > 0:
                said = connection.receive(left)
                if said is not None and (answer := _answer(said, event, number, begin)) is not None:
                    return answer
        except OSError as e:
            told = f"the connection to the hand at {self._address} ended during {event.kind!r}: {_why(e)}"
            return self._failed(event, "connection lost", f"{told}; whether the hand did it is not known")
        told = f"the hand at {self._address} did not answer {event.kind!r} within {deadline - begin:g} s"
        return self._failed(event, "no answer", f"{told}; whether it did it is not known")

    def _connected(self, deadline: float) -> LineSocket:
        """The connection, made anew where it has ended. What was said on it while nothing was asked is dropped."""
        if self._connection is not None:
            try:
                while time.monotonic() < deadline and self._connection.receive(0.0) is not None:
                    pass
            except OSError:
                self._hang_up()
        if self._connection is None:
            self._connection = LineSocket(self._host_port, max(deadline - time.monotonic(), 0.001))
        if self._closed.is_set():  # only now: close() hangs up on the connection that it finds
            raise ConnectionError("the hand was closed")
        return self._connection

    def _failed(self, event: HandEvent, reason: Reason, message: str) -> NotAcknowledged:
        if self._closed.is_set():
            return NotAcknowledged(event, "closed", f"the hand was closed during {event.kind!r}")
        return NotAcknowledged(event, reason, message)

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def _line(event: HandEvent, number: int) -> bytes:
    said = {"event": event.kind, "id": number, "step": event.step, "payload": dict(event.payload)}
    return json.dumps(said, allow_nan=False).encode()


def _answer(line: bytes, event: HandEvent, number: int, begin: float) -> Acknowledged | NotAcknowledged | None:
    """What a line answers to the event with this id; None when it is about something else or nothing at all."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    if "error" in said:
        about = said.get("id", number)
        told = " ".join(str(said["error"]).split())[:200]
        refusal = NotAcknowledged(event, "refused", f"the hand refuses {event.kind!r}: {told}")
        return refusal if _same(about, number) else None
    return Acknowledged(event, time.monotonic() - begin) if _same(said.get("ack"), number) else None


def _same(said: Any, number: int) -> bool:
    """Whether it is this id, as a whole number: true and 1.0 are equal to 1 in Python."""
    return type(said) is int and said == number


def _bounded(timeout: float) -> float:
    """Seconds as locks and sockets take them."""
    return min(max(timeout, 0.0), LONGEST_WAIT)


def _why(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__
