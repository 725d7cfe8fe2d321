"""Two emulated arms in one physical world, through their SDK: one of them works, and a fault of either stops both."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tamp.data import data_dir
from tests.emulated import ROOT, one_at_a_time
from tests.forked import Begun

pytestmark = pytest.mark.episode

HOSTS = tuple(f"127.{64 + os.getpid() % 128}.{os.getpid() // 128 % 250}.{n}" for n in (3, 4))
"""Of this process alone."""
PORT = 502 if os.geteuid() == 0 else 20502


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Two arms at work at a time would be late, and stop with C31."""
    with one_at_a_time():
        yield


class Arms:
    """Two emulated arms, by their side channels."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "arms.toml"
        hosts = iter(HOSTS)
        text = (data_dir("problems") / "sorting" / "arms.toml").read_text()
        self.file.write_text(re.sub(r'host = ".*"', lambda _: f'host = "{next(hosts)}"', text))
        there = ["--scene", "sorting", "--arms", str(self.file), "--port", str(PORT), "--json", "--seconds", "110"]
        self.process = Begun("xarm", "emulate", *there, cwd=ROOT)
        self.ports = [json.loads(line)["fault_port"] for line in self.process.first_lines(len(HOSTS))]

    def ask(self, number: int, **order: Any) -> dict[str, Any]:
        with socket.create_connection((HOSTS[number], self.ports[number]), timeout=20) as side:
            side.sendall(json.dumps(order).encode() + b"\n")
            told: dict[str, Any] = json.loads(side.makefile().readline())
        return told

    def solve(self, folder: Path) -> subprocess.CompletedProcess[str]:
        return self._finished(self._solving(folder))

    def solve_with_fault(self, folder: Path, moving: int, number: int, fault: str) -> subprocess.CompletedProcess[str]:
        """The fault of one arm comes as soon as another moves."""
        running, at_rest = self._solving(folder), self.ask(moving, query="state")["joints"]
        while not running.over:
            if self.ask(moving, query="state")["joints"] != pytest.approx(at_rest, abs=0.05):
                self.ask(number, fault=fault)
                break
            time.sleep(0.05)
        return self._finished(running)

    def _finished(self, running: Begun) -> subprocess.CompletedProcess[str]:
        code = running.wait(100)
        return subprocess.CompletedProcess(running.typed, code, running.out.read_text(), running.errors.read_text())

    def _solving(self, folder: Path) -> Begun:
        words = ["--goal", "(in soup_1 tray_1_contain_region)", "--scene", "sorting", "--backend", "xarm"]
        at = ["--arms", str(self.file), "--port", str(PORT), "--eyes", f"tcp://{HOSTS[0]}:{self.ports[0]}"]
        return Begun("solve", *words, *at, "--out", folder, "--json", cwd=ROOT)


@pytest.fixture
def arms(tmp_path: Path) -> Iterator[Arms]:
    made = Arms(tmp_path)
    try:
        yield made
    finally:
        made.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            made.process.wait(10)
        made.process.kill()


@pytest.mark.thorough
def test_one_does_it_and_the_other_stays_out(arms: Arms, tmp_path: Path) -> None:
    done = arms.solve(tmp_path / "episode")
    told = json.loads(done.stdout)
    assert done.returncode == 0 and told["success"], told["reason"]
    assert [name for name, *_ in told["happened"]] == ["near"]
    assert told["least"] >= told["apart"] == 0.05
    states = [arms.ask(n, query="state") for n in (0, 1)]
    assert [(s["state"], s["error"]) for s in states] == [(4, 0), (4, 0)], "both stand still when all is over"
    assert states[1]["joints"] == pytest.approx([0.6, -0.43, 0.0, 0.97, 0.0, 1.4, 0.0], abs=0.02)


def test_a_fault_of_the_one_that_waits_stops_both(arms: Arms, tmp_path: Path) -> None:
    done = arms.solve_with_fault(tmp_path / "episode", moving=0, number=1, fault="collision")
    told = json.loads(done.stdout)
    assert done.returncode == 1 and told["stage"] == "execution"
    assert told["reason"].startswith("far: C31")
    near, far = (arms.ask(n, query="state") for n in (0, 1))
    assert near["state"] == 4 and near["error"] == 0 and far["error"] == 31
    assert near["joints"] != pytest.approx([0.6, -0.43, 0.0, 0.97, 0.0, 1.4, 0.0], abs=0.02), "in the middle of its way"
