"""Says lines of JSON to whoever connects: a detector that a test speaks through."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Mapping
from typing import Any

from tamp.line_socket import hang_up

LOOKING, SENDING = 0.2, 0.2
"""Seconds between looks at whether to stop, and that a listener may take a line; a slower one is dropped."""
MOST = 32
"""Listeners at once."""


class JsonLinesServer:
    """Listens on `host` and `port` (0: any that is free) until it is closed."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """OSError when the port is taken."""
        self._door = socket.create_server((host, port))
        self._door.settimeout(LOOKING)
        self._listeners: list[socket.socket] = []
        self._lock, self._ended = threading.Lock(), threading.Event()
        self.address = f"tcp://{host}:{self._door.getsockname()[1]}"
        self._thread = threading.Thread(target=self._accept, name=f"lines at {self.address}", daemon=True)
        self._thread.start()

    def publish(self, said: Mapping[str, Any]) -> int:
        """Send a line to all listeners; how many took it."""
        line = json.dumps(said, allow_nan=False).encode() + b"\n"
        with self._lock:
            listeners = list(self._listeners)
        return sum(self._send(listener, line) for listener in listeners)

    def close(self) -> None:
        """Stop listening and hang up; at most about a second."""
        self._ended.set()
        self._thread.join(5 * LOOKING)
        self._door.close()
        with self._lock:
            for listener in self._listeners:
                hang_up(listener)
            self._listeners.clear()

    def _accept(self) -> None:
        while not self._ended.is_set():
            try:
                listener, _ = self._door.accept()
            except TimeoutError:  # nobody came
                continue
            except OSError:  # such as too many open files
                self._ended.wait(LOOKING)
                continue
            listener.settimeout(SENDING)
            with self._lock:
                self._listeners.append(listener)
                for late in self._listeners[:-MOST]:
                    hang_up(late)
                del self._listeners[:-MOST]

    def _send(self, listener: socket.socket, line: bytes) -> bool:
        try:
            listener.sendall(line)
            return True
        except OSError:
            hang_up(listener)
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)
            return False
