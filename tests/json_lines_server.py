"""A detector that a test publishes through: lines of JSON to everything that connects."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Mapping
from typing import Any


class JsonLinesServer:
    """Listens on loopback, at `port` (0: any that is free), until it is closed. OSError when the port is taken."""

    def __init__(self, port: int = 0) -> None:
        self._door = socket.create_server(("127.0.0.1", port))
        self._listeners: list[socket.socket] = []
        self.address = f"tcp://127.0.0.1:{self._door.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def publish(self, line: Mapping[str, Any]) -> int:
        """Send a line to all listeners; how many took it."""
        taken = 0
        for listener in self._listeners:
            with contextlib.suppress(OSError):
                listener.sendall(json.dumps(line, allow_nan=False).encode() + b"\n")
                taken += 1
        return taken

    def close(self) -> None:
        """Stop listening and hang up."""
        with contextlib.suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        for each in (self._door, *self._listeners):
            each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                self._listeners.append(self._door.accept()[0])
