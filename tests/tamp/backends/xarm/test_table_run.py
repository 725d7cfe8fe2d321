"""An emulated arm among things, and tasks at a table on it, through the unmodified SDK."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests import forked
from tests.emulated import again_when_late, one_at_a_time, running

pytestmark = pytest.mark.process

GOAL = "(in mug_1 cabinet_1_top_region)"


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Two arms at work at a time would be late, and stop with C31."""
    with one_at_a_time():
        yield


def solve(*options: str) -> subprocess.CompletedProcess[str]:
    return forked.tamp("solve", "--goal", GOAL, "--scene", "mug_in_drawer", "--backend", "xarm", *options)


@again_when_late
def test_the_mug_is_in_the_drawer_in_the_end(tmp_path: Path) -> None:
    body = "xarm6"
    with running(body, "--scene", "mug_in_drawer") as emulator:
        at = ["--host", emulator.host, "--port", str(emulator.port)]
        eyes = f"tcp://{emulator.host}:{emulator.shown['fault_port']}"
        done = solve("--body", body, *at, "--eyes", eyes, "--out", str(tmp_path / "episode"), "--json")
        shown = json.loads(done.stdout)
        assert done.returncode == 0 and shown["success"], done.stderr
        assert shown["perception"] == f"oracle, {body} through its SDK"
        assert shown["seconds"]["second_look"] > 0.1, "PyBullet has looked at the motions before"
        after = emulator.state()
    assert after["state"] == 4 and after["error"] == 0, "it stands still when all is over"


@again_when_late
def test_who_stops_it_finds_the_arm_at_rest_and_the_hand_closed(tmp_path: Path) -> None:
    with running("xarm7", "--scene", "mug_in_drawer") as emulator:
        at = ["--host", emulator.host, "--port", str(emulator.port)]
        at += ["--eyes", f"tcp://{emulator.host}:{emulator.shown['fault_port']}"]
        there = ("--scene", "mug_in_drawer", "--backend", "xarm", "--body", "xarm7", *at)
        run = forked.Begun("solve", "--goal", GOAL, *there, "--out", tmp_path / "episode", "--json")
        assert run.says("(pick mug_1 main_table): done"), run.out.read_text()
        run.send_signal(signal.SIGINT)
        assert run.wait(30) == 130
        assert json.loads(run.out.read_text())["reason"] == "interrupted (Ctrl-C); the arm stands still"
        state, before = emulator.state(), emulator.ask(query="scene")
        time.sleep(1.0)
        after = emulator.ask(query="scene")
    assert state["state"] == 4
    assert after["q"] == pytest.approx(before["q"], abs=1e-3)
    moved = np.subtract(after["poses"]["mug_1"], before["poses"]["mug_1"]).reshape(4, 4)[:3, 3]
    assert np.linalg.norm(moved) < 0.01, "it may swing in the fingers, and is held"


def test_a_dead_man_stops_it(tmp_path: Path) -> None:
    with running("xarm7", "--scene", "mug_in_drawer") as emulator:
        at = ["--host", emulator.host, "--port", str(emulator.port), "--body", "xarm7", "--dead-man", "2.5"]
        eyes = f"tcp://{emulator.host}:{emulator.shown['fault_port']}"
        done = solve(*at, "--eyes", eyes, "--out", str(tmp_path / "episode"), "--json")
        assert done.returncode == 130 and "dead man" in json.loads(done.stdout)["reason"]
        assert emulator.state()["state"] == 4


def test_who_sees_has_to_be_said() -> None:
    done = solve("--body", "xarm7", "--host", "127.0.0.1")
    assert done.returncode == 2 and "no --eyes" in done.stderr


def test_nobody_answers() -> None:
    done = solve("--body", "xarm7", "--host", "127.200.0.1", "--eyes", "tcp://127.200.0.1:9", "--json")
    assert done.returncode == 1 and "127.200.0.1" in json.loads(done.stdout)["reason"]
