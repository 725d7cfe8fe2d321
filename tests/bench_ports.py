"""`make bench-ports`: 20,000 drawn frames and lines to the ports that commands open.

Each server of the table `SERVERS` is a process of its own. A batch of 100 goes to one of its ports, over connections of
a few pieces each, some of which are left open with half a piece; then the port is probed. A server that has ended, that
wrote a traceback, or whose probe is not answered within two seconds is a fault, named with the batch's number, which
repeats it with the seed.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, cast
from urllib.parse import urlsplit

import msgpack

from tamp.runs.policy.policy import Policy
from tamp.runs.policy.remote import Answering
from tamp.runs.policy.server import serve
from tests.bench import ROOT, Row
from tests.emulated import TAMP
from tests.page_episodes import success, write
from tests.policies import Fake
from tests.port_pieces import frame, handshake, head, letters, line, message, request

DUE = 1.0
BATCH, TOGETHER = 100, 5
"""Pieces between two probes, and over one connection."""
ANSWER = 2.0
"""Seconds within which a probe is answered."""
PATIENCE, MOMENT, PAUSE = 0.2, 0.01, 0.006
"""Seconds for which a piece may take to be sent, since a server may read no further; in which a server hangs up; and
before a connection, of which servers take a number in a second."""
MOST_LEFT = 10
"""Connections that are left open: fewer than any server takes."""
SIDE = (
    {"query": "state"}, {"query": "history"}, {"query": "scene"}, {"query": "pictures"},
    {"teleport": [0, 0, 0, 0, 0, 0]}, {"fault": "drop", "seconds": 0.1}, {"fault": "freeze", "seconds": 0.1},
    {"fault": "garbage", "bytes": 10}, {"fault": "servo", "joint": 2, "motion": 1, "share": 0.5}, {"fault": "half"},
    {"things": [{"label": "cup", "xyz_mm": [1, 2, 3]}]}, {"put": "mug_1", "pose": [0] * 16}, {"clear": "faults"},
)  # fmt: skip
CONTROL = 502 if os.geteuid() == 0 else 20502
Address = tuple[str, int]
Told = dict[str, Any]
"""The first line of a server: where it listens."""


@dataclass(frozen=True)
class Port:
    """A port of a server: where it is, what is sent to it, what raises where it does not answer as it should, and what
    begins a connection."""

    name: str
    address: Callable[[Told], Address]
    piece: Callable[[Random, Told], bytes]
    probe: Callable[[Address, Told], None]
    opening: Callable[[Random, int], bytes] = lambda rng, port: b""


def answers_policy(address: Address, told: Told) -> None:
    with socket.create_connection(address, timeout=ANSWER) as client:
        client.sendall(handshake(Random(0), address[1]))
        reader = client.makefile("rb")
        assert reader.readline().startswith(b"HTTP/1.1 101"), "no websocket"
        while reader.readline().strip():
            pass
        _, size = reader.read(2)
        assert "policy" in msgpack.unpackb(reader.read(size)), "no metadata"


def answers_page(address: Address, told: Told) -> None:
    connection = http.client.HTTPConnection(*address, timeout=ANSWER)
    connection.request("GET", urlsplit(told["page"]).path)
    answer = connection.getresponse()
    assert answer.status == 200 and b"</html>" in answer.read(), "no page"


def answers_side(address: Address, told: Told) -> None:
    with socket.create_connection(address, timeout=ANSWER) as client:
        client.sendall(b'{"clear": "faults"}\n{"query": "state"}\n')
        reader = client.makefile("rb")
        assert json.loads(reader.readline()) == {"cleared": "faults"}
        assert json.loads(reader.readline())["model"] == told["model"]


def answers_control(address: Address, told: Told) -> None:
    answers_side((told["host"], told["fault_port"]), told)
    with socket.create_connection(address, timeout=ANSWER) as client:
        client.sendall(struct.pack(">HHHB", 7, 2, 1, 13))  # its state
        assert client.recv(100)[:4] == b"\x00\x07\x00\x02", "no state"


def speaks(address: Address, told: Told) -> None:
    answers_side((told["host"], told["fault_port"]), told)
    with socket.create_connection(address, timeout=ANSWER) as client:
        assert client.recv(1), "no report"


def upgrade(rng: Random, told: Told) -> bytes:
    return head("/", rng, Host=f"127.0.0.1:{told['port']}", Upgrade="websocket", Connection="Upgrade")


def page_request(rng: Random, told: Told) -> bytes:
    page = urlsplit(told["page"])
    secret = page.path if rng.random() < 0.9 else "/"
    if rng.random() < 0.4:
        return head(secret + rng.choice(("", "events", "picture/x", "nothing")), rng, Host=page.netloc)
    order = line(({"start": "(hold)"}, {"say": "go"}, {"skip": 1}, {"stop": True}), rng)
    own = {"Host": page.netloc, "Origin": f"http://{page.netloc}"}
    own["Content-Length"] = str(rng.choice((len(order), len(order), 0, 20_000)))
    return head(f"{secret}order", rng, **own).replace(b"GET", b"POST", 1) + order


def anything(rng: Random, told: Told) -> bytes:
    return rng.choice((letters(rng), head("/", rng), line(SIDE, rng)))


def here(told: Told) -> Address:
    return "127.0.0.1", told["port"]


def of_page(told: Told) -> Address:
    page = urlsplit(told["page"])
    return str(page.hostname), int(page.port or 0)


def emulated(folder: Path) -> list[str]:
    n = os.getpid() % 0xFFFF
    host = f"127.{100 + n % 100}.{n >> 8}.{1 + n % 250}"
    there = ["--host", host, "--port", str(CONTROL), "--thing", "cup=400,0,30", "--detections", f"tcp://{host}:5556"]
    return [*TAMP, "xarm", "emulate", "--model", "xarm6", "--json", *there]


def viewed(folder: Path) -> list[str]:
    return [*TAMP, "view", str(write(folder / "episode", success())), "--page-port", "0", "--json"]


def arm_viewed(folder: Path) -> list[str]:
    world = str(ROOT / "problems" / "xarm" / "bench.toml")
    return [*TAMP, "view", "--world", world, "--host", "127.0.64.9", "--page-port", "0", "--json"]


PAGE = Port("page", of_page, page_request, answers_page)
SERVERS: dict[str, tuple[Callable[[Path], list[str]], tuple[Port, ...]]] = {
    "policy": (lambda folder: [sys.executable, "-m", "tests.bench_ports"], (
        Port("messages", here, lambda rng, told: frame(message(rng), rng), answers_policy, handshake),
        Port("handshakes", here, upgrade, answers_policy),
    )),
    "view": (viewed, (PAGE,)),
    "view of an arm": (arm_viewed, (PAGE,)),
    "xarm emulate": (emulated, (
        Port("side", lambda t: (t["host"], t["fault_port"]), lambda rng, told: line(SIDE, rng), answers_side),
        Port("control", lambda t: (t["host"], CONTROL), lambda rng, told: request(rng), answers_control),
        Port("reports", lambda t: (t["host"], t["reports"][0]), anything, speaks),
        Port("detections", lambda t: (t["host"], 5556), anything, speaks),
    )),
}  # fmt: skip
"""Commands that print in a line of JSON where they listen, and their ports."""


@dataclass
class Running:
    """A server that runs, what it told, and what it writes on its standard error."""

    process: subprocess.Popen[str]
    told: Told
    errors: Path
    peak: int = 0

    def wrong(self) -> str:
        """What is wrong with it, empty when nothing is."""
        text = self.errors.read_text(errors="replace")
        if self.process.poll() is not None:
            return f"it ended with {self.process.returncode}: {text[-300:]}"
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        self.peak = int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) // 1024
        if found := re.search(r"Traceback|could not answer|exception", text):
            self.errors.write_text("")
            return text[found.start() : found.start() + 200] + " … " + text[-300:]
        return ""


@contextmanager
def running(command: Callable[[Path], list[str]]) -> Iterator[Running]:
    """A server, begun in a folder of its own."""
    with TemporaryDirectory() as name, Path(name, "errors").open("a") as errors:
        path = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(
            command(Path(name)), stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT, env=path
        )
        try:
            assert process.stdout is not None
            first = process.stdout.readline()
            assert first, Path(name, "errors").read_text()
            yield Running(process, json.loads(first), Path(name, "errors"))
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def send(port: Port, address: Address, told: Told, pieces: Sequence[Random], left: list[socket.socket]) -> None:
    """Pieces over a connection, or over another one where the server has hung up. Some are left open."""
    client: socket.socket | None = None
    for rng in pieces:
        with contextlib.suppress(OSError):
            if client is None or hung_up(client):
                time.sleep(PAUSE)
                client = socket.create_connection(address, timeout=ANSWER)
                left.append(client)
                client.settimeout(PATIENCE)
                client.sendall(port.opening(rng, address[1]))
            piece = port.piece(rng, told)
            client.settimeout(PATIENCE)
            client.sendall(piece if rng.random() < 0.9 else piece[: rng.randrange(len(piece) + 1)])
    while len(left) > MOST_LEFT or (left and rng.random() < 0.6):
        closed = left.pop()
        if rng.random() < 0.3:  # at once, without a word
            closed.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        closed.close()


def hung_up(client: socket.socket) -> bool:
    """Whether the server has closed a connection, which has a moment for that. What it said is dropped."""
    client.settimeout(MOMENT)
    while True:
        try:
            if not client.recv(65_536):
                return True
        except TimeoutError:
            return False
        except OSError:
            return True


def batch(port: Port, server: Running, seed: int, numbers: range) -> str:
    """What is wrong after these pieces, empty when nothing is. A probe that is refused is repeated while there is
    time."""
    address, left = port.address(server.told), list[socket.socket]()
    for first in numbers[::TOGETHER]:
        together = range(first, min(first + TOGETHER, numbers.stop))
        send(port, address, server.told, [Random(f"ports/{seed}/{n}") for n in together], left)
    for client in left:
        client.close()
    end, why = time.monotonic() + ANSWER, ""
    while time.monotonic() < end and server.process.poll() is None:
        try:
            port.probe(address, server.told)
            return server.wrong()
        except (OSError, AssertionError, ValueError, KeyError, http.client.HTTPException) as e:
            why = f"{type(e).__name__}: {e}"
            time.sleep(0.05)
    return f"its probe was not answered: {why}; {server.wrong()}"


def bench(n: int = 20_000, seed: int = 0, only: tuple[str, ...] = tuple(SERVERS)) -> Iterator[Row]:
    """A row a batch, a line a port: each port gets the same share of `n`."""
    share, first = -(-n // sum(len(SERVERS[name][1]) for name in only)), 0
    for name in only:
        command, ports = SERVERS[name]
        with ExitStack() as stack:
            there = stack.enter_context(running(command))
            for port in ports:
                for start in range(first, first + share, BATCH):
                    wrong = batch(port, there, seed, range(start, min(start + BATCH, first + share)))
                    yield Row(f"{name}, {port.name}", not wrong, {"MB": there.peak}, wrong, str(start))
                    if there.process.poll() is not None:
                        there = stack.enter_context(running(command))
                first += share


def serve_policy() -> None:
    """A policy that knows nothing at a free port, until it is ended."""

    def ready(port: int) -> None:
        sys.stdout.write(json.dumps({"port": port}) + "\n")
        sys.stdout.flush()

    fake = Fake()
    serve(Answering(cast(Policy, fake), fake.diary), {"policy": "fake"}, "127.0.0.1", 0, ready)


if __name__ == "__main__":
    serve_policy()
