"""A detector that a test publishes through: lines of JSON to everything that connects."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Mapping
from typing import Any

SENDING = 0.2
"""Seconds that a listener may take for a line; a slower one is dropped."""


class JsonLinesServer:
    """Listens on loopback, at `port` (0: any that is free), until it is closed."""

    def __init__(self, port: int = 0) -> None:
        """OSError when the port is taken."""
        self._door = socket.create_server(("127.0.0.1", port))
        self._listeners: list[socket.socket] = []
        self.address = f"tcp://127.0.0.1:{self._door.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def publish(self, said: Mapping[str, Any]) -> int:
        """Send a line to all listeners; how many took it."""
        line, taken = json.dumps(said, allow_nan=False).encode() + b"\n", 0
        for listener in list(self._listeners):
            try:
                listener.sendall(line)
                taken += 1
            except OSError:
                listener.close()
                self._listeners.remove(listener)
        return taken

    def close(self) -> None:
        """Stop listening and hang up."""
        with contextlib.suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        for listener in self._listeners:
            listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                listener, _ = self._door.accept()
                listener.settimeout(SENDING)
                self._listeners.append(listener)
