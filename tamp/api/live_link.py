"""A client of a live session: orders to it, and what it says."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tamp.agent.orders import read_json
from tamp.errors import InputError
from tamp.line_socket import LineSocket

PATIENCE = 5.0
"""Seconds for a session to say whether an order is taken."""
REMEMBERED = 100
"""Events of a session that `state` has."""
Wanted = Callable[[dict[str, Any]], bool]


@dataclass(eq=False)
class LiveLink:
    """A connection with a live session, which is made with the first order."""

    path: Path | None
    _socket: LineSocket | None = None
    _about: dict[str, Any] = field(default_factory=dict)
    _events: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def order(self, order: dict[str, Any]) -> dict[str, Any]:
        """Give an order, and what is said to it first. InputError without a session, and where it could move a real
        arm without its operator's approval: also where the session does not say what it moves."""
        with self._lock:
            self._connect()
            if self._about.get("backend", "xarm") == "xarm" and not self._about.get("approves"):
                raise InputError("this session moves a real arm at once: start it with tamp live --approve")
            try:
                return self._ask(order)
            except OSError as e:
                self._hang_up()
                raise InputError(f"the live session is gone: {e}") from e

    def stop(self) -> dict[str, Any]:
        """Stop everything, over a connection of its own: an order that waits for its answer does not hold it up."""
        at_once = LiveLink(self.path)
        at_once._connect(at_once=True)
        try:
            return at_once._ask({"stop": ""})
        except OSError as e:
            raise InputError(f"the live session is gone: {e}") from e
        finally:
            at_once._hang_up()

    def state(self) -> dict[str, Any]:
        """What the session said of itself at first, and its last events."""
        with self._lock:
            self._connect()
            try:
                self._read(0.0)
            except OSError:
                self._hang_up()
            return {"session": self._about, "events": list(self._events)}

    def _ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """Send an order, and what is said to it: what is said to the orders of other clients is passed over."""
        assert self._socket is not None
        line = json.dumps(order)
        command = str(read_json(line))

        def answers(event: dict[str, Any]) -> bool:
            return event.get("event") in ("command", "approval") and event.get("command", command) == command

        self._read(0.0)
        self._socket.send(line.encode(), PATIENCE)
        why = f"the session has not said within {PATIENCE:g} s whether it is taken"
        return self._read(PATIENCE, answers) or {"event": "none", "why": why}

    def _read(self, seconds: float, wanted: Wanted = lambda event: False) -> dict[str, Any] | None:
        """Read what is there, or comes within some seconds, up to the first event that is wanted: that one."""
        assert self._socket is not None
        end = time.monotonic() + seconds
        while (line := self._socket.receive(max(end - time.monotonic(), 0.0))) is not None:
            event: dict[str, Any] = json.loads(line)
            self._events.append(event)
            if wanted(event):
                return event
        return None

    def _connect(self, at_once: bool = False) -> None:
        """Connect, and hear what the session says of itself, which `at_once` does not wait for."""
        if self.path is None:
            raise InputError("there is no live session; the operator starts one: tamp live --listen PATH")
        if self._socket is not None:
            return
        try:
            self._socket = LineSocket(self.path, PATIENCE)
            self._about = self._read(0.0 if at_once else PATIENCE, lambda event: event.get("event") == "session") or {}
        except OSError as e:
            self._hang_up()
            raise InputError(f"no live session listens at {self.path}: {e.strerror or e}") from e

    def _hang_up(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket, self._about = None, {}
