"""A policy behind a websocket, as policy servers for robots have it: see `tamp.policy.answering` for the messages.

One client is served at a time, and its policy is asked in the thread that called `serve`. Who connects is told first,
as openpi's clients expect, what is here.
"""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tamp.errors import InputError
from tamp.policy.answering import Answering
from tamp.policy.wire import LARGEST, pack, unpack

IDLE = 600.0
"""Seconds after which a client that says nothing is hung up on."""
POLLED = 0.2
"""Seconds between two looks for the next client."""
LEAVING = 2.0
"""Seconds that a client which is just leaving is given before the next one is sent away."""
HEALTH = "/healthz"


@dataclass(eq=False)
class _Socket:
    """A websocket as a channel: see `tamp.policy.wire.Channel`."""

    connection: Any
    idle: float | None = IDLE

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message."""
        from websockets.exceptions import ConnectionClosed

        try:
            self.connection.send(pack(message))
        except ConnectionClosed as e:
            raise EOFError("the connection is closed") from e

    def receive(self) -> dict[str, Any]:
        """The next message."""
        from websockets.exceptions import ConnectionClosed

        try:
            return unpack(self.connection.recv(timeout=self.idle))
        except ConnectionClosed as e:
            raise EOFError("the connection is closed") from e
        except TimeoutError as e:
            raise EOFError(f"nothing was said for {self.idle:g} s") from e


def serve(
    answering: Answering,
    metadata: Mapping[str, Any],
    host: str,
    port: int,
    ready: Callable[[int], None],
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Serve until `stop`, or Ctrl-C; `ready` is told the port (0: any free one). InputError when it is taken."""
    from websockets.sync.server import ServerConnection
    from websockets.sync.server import serve as listening

    class Patient(ServerConnection):
        def __init__(self, accepted: socket.socket, *told: Any, **options: Any) -> None:
            accepted.settimeout(None)  # the arm's SDK gives all sockets of a process a time-out
            super().__init__(accepted, *told, **options)

    waiting: queue.Queue[tuple[Any, threading.Event]] = queue.Queue()
    busy = threading.Lock()

    def connected(connection: Any) -> None:
        if not busy.acquire(timeout=LEAVING):
            connection.send(pack({"error": "another client is being served; try again later"}))
            return
        try:
            served = threading.Event()
            waiting.put((connection, served))
            served.wait()
        finally:
            busy.release()

    def requested(connection: Any, request: Any) -> Any:
        return connection.respond(200, "OK\n") if request.path == HEALTH else None

    try:
        server = listening(
            connected,
            host,
            port,
            max_size=LARGEST,
            compression=None,
            process_request=requested,
            create_connection=Patient,
        )
    except OSError as e:
        raise InputError(f"cannot listen at {host}:{port}: {e.strerror}; choose another --port") from e
    thread = threading.Thread(target=server.serve_forever, name="policy server", daemon=True)
    thread.start()
    current: threading.Event | None = None
    try:
        ready(server.socket.getsockname()[1])
        while not stop():
            with contextlib.suppress(queue.Empty):
                connection, current = waiting.get(timeout=POLLED)
                _converse(answering, metadata, connection)
                current.set()
    finally:
        if current is not None:
            current.set()
        server.shutdown()
        thread.join(timeout=2.0)


def _converse(answering: Answering, metadata: Mapping[str, Any], connection: Any) -> None:
    channel = _Socket(connection)
    with contextlib.suppress(EOFError):
        channel.send(metadata)
        answering.run(channel)
    connection.close()


@contextlib.contextmanager
def connected(address: str, seconds: float = 10.0) -> Any:
    """A channel to a policy server, `ws://HOST:PORT`, and what it says of itself. InputError when none answers."""
    from websockets.exceptions import WebSocketException
    from websockets.sync.client import connect

    try:
        connection = connect(address, max_size=LARGEST, compression=None, open_timeout=seconds)
    except (OSError, ValueError, WebSocketException, TimeoutError) as e:
        raise InputError(f"no policy server at {address}: {e}") from e
    try:
        channel = _Socket(connection, idle=None)
        metadata = channel.receive()
        if "error" in metadata:
            raise InputError(f"{address}: {metadata['error']}")
        yield channel, metadata
    finally:
        connection.close()
