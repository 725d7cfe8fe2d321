"""Before any test imports mujoco: it needs a GL library for pictures only. Generated examples are always the same."""

from __future__ import annotations

import importlib.util
import json
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from hypothesis import settings

from tamp.backends.libero import rendering
from tests.priority import in_real_time

rendering.prepare(video=False, may=True)
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=50, database=None)
settings.load_profile("repeatable")

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # Started in the background of a script: the commands under test are to heed Ctrl-C all the same.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", type=int, default=2, metavar="N", help="of each scene under problems/")
    parser.addoption("--record", action="store_true", help="ask the real model, and keep its replies for later runs")


NO_PYBULLET = sys.version_info >= (3, 12) and importlib.util.find_spec("pybullet") is None
"""On Python 3.11, which has a wheel of it, a test that lacks it fails."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What fails for want of PyBullet, in this process or a command, is skipped where there is no wheel of it."""
    report = yield
    wanting = ("No module named 'pybullet'", "no package 'pybullet_data'", "needs pybullet: pip install")
    if NO_PYBULLET and report.failed and any(words in report.longreprtext + report.capstderr for words in wanting):
        path, line, _ = item.location
        report.outcome, report.longrepr = "skipped", (path, line or 0, "PyBullet has no wheel for this Python")
    return report


@pytest.fixture
def real_time() -> Iterator[None]:
    """The test and what it starts come before other work of the machine."""
    with in_real_time():
        yield


Answer = Callable[[Any, Any], None]
Serving = Callable[..., AbstractContextManager[tuple[str, list[tuple[str, dict[str, str], Any]]]]]


@pytest.fixture
def serving() -> Serving:
    """`serving(answer, models)`: a chat server on loopback; its address, and the requests as they come.

    A question is answered by `answer(handler, body)`, which has `handler.send`. `models` None: it keeps no list.
    """
    return _serving


@contextmanager
def _serving(
    answer: Answer, models: tuple[str, ...] | None = ("qwen",)
) -> Iterator[tuple[str, list[tuple[str, dict[str, str], Any]]]]:
    seen: list[tuple[str, dict[str, str], Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def send(self, content: Any, code: int = 200, kind: str = "application/json") -> None:
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            if models is None:
                self.send({"detail": "Not Found"}, 404)
            else:
                self.send({"object": "list", "data": [{"id": m, "object": "model"} for m in models]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            answer(self, body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
