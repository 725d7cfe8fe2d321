"""A policy behind a websocket, as policy servers for robots have it: see `tamp.runs.policy.remote` for the messages.

One client is served at a time, and its policy is called in the thread that called `serve`. As openpi's clients expect,
the first message says what is served, and an error is text, then the end of the connection with code 1011: openpi's
clients raise RuntimeError with that text.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tamp.errors import InputError
from tamp.ports import LOCAL, Places, bound_sending, refusal
from tamp.runs.policy.remote import Answering
from tamp.wire import LARGEST, MOST_ENTRIES, pack, unpack

IDLE = 600.0
"""Seconds after which a client that says nothing is disconnected."""
PONG = 120.0
"""Seconds that a client or a server may be too busy to answer a ping: one that builds a scene, or plans."""
OPENING, CLOSING = 5.0, 1.0
"""Seconds that a handshake may take, and the other side to agree to the end."""
MOST = 16
"""Connections at once: one is served, others are refused or ask for `HEALTH`."""
QUEUED = 2
"""Frames of the next messages that are read while one is answered."""
POLLED = 0.2
"""Seconds between two looks for the next client."""
LEAVING = 2.0
"""Seconds that a client which is just leaving is given before the next one is sent away."""
HEALTH = "/healthz"
EXPECTED = (
    "expected: a websocket and msgpack maps, arrays as openpi_client packs them: first "
    '{"reset": {"instruction": TEXT, "calibration": MAP}}, then observations as LIBERO names them, '
    "with the depth of each picture (docs/policy.md)"
)
"""What a client of another format is to send instead."""
GRPC = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
"""How a client of gRPC begins, such as LeRobot's of its policy server."""
HEADERS, FRAME, MOST_FRAMES = 1, 9, 1 << 16
"""HTTP/2: the kind of frame with which a call begins, bytes before a frame's own, and bytes up to the first call."""
BUSY = "another client is being served; try again later"
NAMES = LOCAL | {"0.0.0.0"}
"""Names of the server; the last one is what openpi's clients call this machine by default."""


@dataclass(eq=False)
class _Socket:
    """A websocket as a channel: see `tamp.wire.Channel`. `idle`: seconds that a client may be silent; None at the
    client's end. `sent`: messages to the other side, of which the first is what is served."""

    connection: Any
    idle: float | None = None
    sent: int = 0

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message."""
        from websockets.exceptions import ConnectionClosed

        try:
            if "error" in message:
                lines = [message[k] for k in ("error", "traceback") if k in message]
                if self.sent == 1 and "traceback" not in message:
                    lines.append(EXPECTED)
                self.connection.send("\n".join(lines))
                self.connection.close(1011, "the error is in the text before")
                raise EOFError("the connection is closed")
            self.connection.send(pack(message))
            self.sent += 1
        except ConnectionClosed as e:
            raise EOFError(f"the connection is closed: {e}") from e

    def receive(self) -> dict[str, Any]:
        """The next message."""
        from websockets.exceptions import ConnectionClosed

        try:
            data = self.connection.recv(timeout=self.idle)
        except ConnectionClosed as e:
            raise EOFError(f"the connection is closed: {e}") from e
        except TimeoutError as e:
            raise EOFError(f"the client sent nothing for {self.idle:g} s") from e
        if self.idle is None and isinstance(data, str):
            return {"error": data}
        return unpack(data, MOST_ENTRIES)


def serve(
    answering: Answering,
    metadata: Mapping[str, Any],
    host: str,
    port: int,
    ready: Callable[[int], None],
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Serve until `stop`, or Ctrl-C; `ready` gets the port (0: any free one). InputError when it is taken."""
    from websockets.sync.server import ServerConnection
    from websockets.sync.server import serve as listening

    class Patient(ServerConnection):
        def __init__(self, accepted: socket.socket, *args: Any, **options: Any) -> None:
            bound_sending(accepted)
            super().__init__(accepted, *args, **options)

    waiting: queue.Queue[tuple[Any, threading.Event]] = queue.Queue()
    busy, ended, places = threading.Lock(), threading.Event(), Places(MOST)

    def connected(connection: Any) -> None:
        if not busy.acquire(timeout=LEAVING):  # two came at the same time
            connection.close(1013, BUSY)
            return
        try:
            served = threading.Event()
            waiting.put((connection, served))
            while not (served.wait(POLLED) or ended.is_set()):
                pass
        finally:
            busy.release()

    def requested(connection: Any, request: Any) -> Any:
        if refused := refusal(request.headers, {host, *NAMES}, connection.local_address[1]):
            return connection.respond(403, f"{refused}\n")
        if request.path == HEALTH:
            return connection.respond(200, "OK\n")
        if "Upgrade" not in request.headers:
            return connection.respond(426, f"{EXPECTED}\n")
        if not busy.acquire(timeout=LEAVING):
            return connection.respond(503, f"{BUSY}\n")
        busy.release()
        return None

    try:
        server = listening(
            connected,
            host,
            port,
            max_size=LARGEST,
            max_queue=QUEUED,
            open_timeout=OPENING,
            close_timeout=CLOSING,
            ping_timeout=PONG,
            compression=None,
            process_request=requested,
            create_connection=Patient,
            logger=logging.Logger("policy server", logging.CRITICAL),  # what is no websocket is no news
        )
    except OSError as e:
        raise InputError(f"cannot listen at {host}:{port}: {e.strerror}; choose another --port") from e
    answered = server.handler

    def placed(accepted: socket.socket, address: Any) -> None:
        with places.one() as free, accepted:
            if free and _is_http_get(accepted):
                answered(accepted, address)

    server.handler = placed
    thread = threading.Thread(target=server.serve_forever, name="policy server", daemon=True)
    thread.start()
    try:
        ready(server.socket.getsockname()[1])
        while not stop():
            with contextlib.suppress(queue.Empty):
                connection, served = waiting.get(timeout=POLLED)
                _converse(answering, metadata, connection)
                served.set()
    finally:
        ended.set()
        server.shutdown()
        thread.join(timeout=2.0)


def _is_http_get(accepted: socket.socket) -> bool:
    """Whether a client begins as a websocket does; one that does not gets to know what is expected."""
    accepted.settimeout(OPENING)
    with contextlib.suppress(OSError):
        first = accepted.recv(4, socket.MSG_PEEK)
        if b"GET ".startswith(first):
            return bool(first)
        if first == GRPC[: len(first)]:
            _refuse_call(accepted)
        else:
            accepted.sendall(f"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n{EXPECTED}\n".encode())
        accepted.shutdown(socket.SHUT_WR)
        accepted.recv(1 << 16)  # what is unread would reset the connection, and the answer with it
    return False


def _refuse_call(accepted: socket.socket) -> None:
    """Answer the first call of a client of gRPC: it is not implemented, with what is expected as the message."""
    accepted.sendall(bytes((0, 0, 0, 4)) + bytes(5))  # settings, none of them another than the default
    read, at, ends = b"", len(GRPC), time.monotonic() + OPENING
    while len(read) < at + FRAME or read[at + 3] != HEADERS:
        if len(read) >= at + FRAME:
            at += FRAME + int.from_bytes(read[at : at + 3], "big")
        elif not (more := accepted.recv(4096)) or len(read) > MOST_FRAMES or time.monotonic() > ends:
            return
        else:
            read += more
    fields = {b"content-type": b"application/grpc", b"grpc-status": b"12", b"grpc-message": EXPECTED.encode()}
    block = b"\x88" + b"".join(b"\0" + _sized(name) + _sized(text) for name, text in fields.items())
    accepted.sendall(len(block).to_bytes(3, "big") + bytes((HEADERS, 5)) + read[at + 5 : at + FRAME] + block)


def _sized(text: bytes) -> bytes:
    """Text of up to 254 bytes as a header's name or value."""
    n = len(text)
    return (bytes((n,)) if n < 127 else bytes((127, n - 127))) + text


def _converse(answering: Answering, metadata: Mapping[str, Any], connection: Any) -> None:
    channel = _Socket(connection, IDLE)
    with contextlib.suppress(EOFError):
        channel.send(metadata)
        answering.run(channel)
    connection.close()


@contextlib.contextmanager
def connected(address: str, seconds: float = 10.0) -> Any:
    """A channel to a policy server, `ws://HOST:PORT`, and what it says of itself. InputError when none answers."""
    from websockets.exceptions import InvalidStatus, WebSocketException
    from websockets.sync.client import connect

    try:
        connection = connect(address, max_size=LARGEST, compression=None, open_timeout=seconds, ping_timeout=PONG)
    except InvalidStatus as e:
        said = e.response.body.decode(errors="replace").strip()
        raise InputError(f"{address}: HTTP {e.response.status_code}: {said}") from e
    except (OSError, ValueError, WebSocketException, TimeoutError) as e:
        raise InputError(f"no policy server at {address}: {e}") from e
    try:
        channel = _Socket(connection)
        yield channel, channel.receive()
    finally:
        connection.close()
