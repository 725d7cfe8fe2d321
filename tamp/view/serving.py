"""The page served to browsers on this machine: the page, what changes as it changes, and orders given on it."""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
import socket
import sys
import threading
import time
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tamp.errors import InputError
from tamp.ports import LOCAL, NUMBERS, Places, refusal
from tamp.view.live_page import LivePage

MOST_VIEWERS, MOST = 32, 64
"""Viewers, and connections, at one time."""
ALIVE = 5.0
"""Seconds after which a viewer without news gets an empty message, by which a closed connection is noticed."""
PATIENCE = 20.0
"""Seconds for which a viewer that does not read is waited for, and in which a request has come."""
LONGEST = 10_000
"""Bytes of an order."""


class PageServer(ThreadingHTTPServer):
    """Serves one page, under a path that cannot be guessed: other users of this machine reach the port, too.

    `serve_forever` runs until `shutdown`.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, live: LivePage, host: str, port: int) -> None:
        """Listens at once; port 0 is any free one. InputError where nothing can listen."""
        try:
            super().__init__((host, port), _Asked)
        except OSError as e:
            why = "the port is in use" if e.errno == 98 else os.strerror(e.errno) if e.errno and e.errno > 0 else str(e)
            valid = "another --page-port (0: any free one), or 127.0.0.1 for --page-host"
            raise InputError(f"cannot serve the page at {host}:{port}: {why}; valid: {valid}") from e
        self.live, self.secret = live, f"/{secrets.token_urlsafe(24)}/"
        self.places, self.viewers = Places(MOST), Places(MOST_VIEWERS)
        self.names = {host, *LOCAL} | ({NUMBERS} if host == "0.0.0.0" else set())
        self.due = dict[socket.socket, float]()
        self.page = live.page().encode()
        self.address = f"http://{host}:{self.server_port}{self.secret}"

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a request, where there is a place."""
        with self.places.one() as free:
            if not free:
                self.shutdown_request(request)
                return
            self.due[request] = time.monotonic() + PATIENCE
            super().process_request_thread(request, client_address)
            self.due.pop(request, None)

    def service_actions(self) -> None:
        """Disconnect who takes too long to ask."""
        for request in [r for r, due in list(self.due.items()) if due < time.monotonic()]:
            self.due.pop(request, None)
            with contextlib.suppress(OSError):  # it may be gone already
                request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report anything but a closed connection in a line."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            sys.stderr.write(f"tamp: the page could not answer a request: {type(error).__name__}: {error}\n")


class _Asked(BaseHTTPRequestHandler):
    """One request."""

    server: PageServer
    server_version, sys_version = "tamp", ""
    timeout = PATIENCE

    def do_GET(self) -> None:
        """The page, a picture, or what changes."""
        path = self._path()
        if refused := self._refusal():
            self._answer(HTTPStatus.FORBIDDEN, refused.encode())
        elif path == "":
            self._answer(HTTPStatus.OK, self.server.page, "text/html; charset=utf-8")
        elif path == "events":
            self._events()
        elif (
            path
            and path.startswith("picture/")
            and (picture := self.server.live.picture(path.removeprefix("picture/")))
        ):
            self._answer(HTTPStatus.OK, picture, "image/jpeg")
        else:
            self._answer(HTTPStatus.NOT_FOUND, b"nothing here")

    def do_POST(self) -> None:
        """An order, from this page alone."""
        if "Origin" not in self.headers or self._refusal():
            self._answer(HTTPStatus.FORBIDDEN, b"orders are taken from the page alone")
        elif self._path() != "order":
            self._answer(HTTPStatus.NOT_FOUND, b"nothing here")
        elif not 0 < (size := self._size()) <= LONGEST:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, b"an order is shorter")
        else:
            try:
                order = json.loads(self.rfile.read(size))
            except (ValueError, RecursionError):
                self._answer(HTTPStatus.BAD_REQUEST, b"no JSON")
                return
            answer = json.dumps(self.server.live.order(order)).encode()
            self._answer(HTTPStatus.OK, answer, "application/json")

    def log_message(self, format: str, *args: Any) -> None:
        """Log no requests."""

    def _size(self) -> int:
        with contextlib.suppress(ValueError):
            return int(self.headers.get("Content-Length", "0"))
        return 0

    def _path(self) -> str | None:
        """What is requested below the secret path; None for anything else."""
        with contextlib.suppress(ValueError):
            path, n = urlsplit(self.path).path, len(self.server.secret)
            if hmac.compare_digest(path[:n].encode(), self.server.secret.encode()):
                return path[n:]
        return None

    def _refusal(self) -> str | None:
        if self._path() is None:
            return "open the whole address that tamp printed"
        return refusal(self.headers, self.server.names, self.server.server_port, own_page=True)

    def _head(self, status: HTTPStatus, kind: str) -> None:
        self.server.due.pop(self.connection, None)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Content-Security-Policy", "frame-ancestors 'none'")

    def _answer(self, status: HTTPStatus, body: bytes, kind: str = "text/plain") -> None:
        self._head(status, kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _events(self) -> None:
        """All that there is, and then what changes, as server-sent events, until the viewer goes."""
        with self.server.viewers.one() as free:
            if not free:
                self._answer(HTTPStatus.SERVICE_UNAVAILABLE, b"too many look already")
                return
            self._head(HTTPStatus.OK, "text/event-stream; charset=utf-8")
            self.end_headers()
            seen = dict[str, str]()
            while (news := self.server.live.board.wait(seen, ALIVE)) is not None:
                self.wfile.write(f"data: {news}\n\n".encode() if news else b": nothing new\n\n")
            self.wfile.write(b"event: over\ndata: {}\n\n")


@contextlib.contextmanager
def served(live: LivePage, host: str, port: int, ended: threading.Event) -> Iterator[str]:
    """The page is served, and kept up to date, as long as this lasts; yields its address. `ended` is set then.
    InputError for a port that is taken."""
    server = PageServer(live, host, port)
    keeping = threading.Thread(target=live.run, args=(ended,), name="keeping the page", daemon=True)
    keeping.start()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, name="serving", daemon=True).start()
    try:
        yield server.address
    finally:
        ended.set()
        keeping.join(5.0)
        server.shutdown()
        server.server_close()
