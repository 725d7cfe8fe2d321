"""A task at a table on an emulated arm, through the unmodified SDK."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

from tests.emulated import TAMP, running

pytestmark = pytest.mark.process

GOAL = "(in mug_1 cabinet_1_top_region)"


def solve(*options: str) -> subprocess.CompletedProcess[str]:
    command = [*TAMP, "solve", "--goal", GOAL, "--scene", "mug_in_drawer", "--backend", "xarm", *options]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=110)


@pytest.mark.parametrize("body", ["xarm6", "xarm7"])
def test_the_mug_is_in_the_drawer_in_the_end(body: str, tmp_path: Path) -> None:
    with running(body, "--scene", "mug_in_drawer") as emulator:
        at = ["--host", emulator.host, "--port", str(emulator.port)]
        eyes = f"tcp://{emulator.host}:{emulator.told['fault_port']}"
        done = solve("--body", body, *at, "--eyes", eyes, "--out", str(tmp_path / "episode"), "--json")
        told = json.loads(done.stdout)
        assert done.returncode == 0 and told["success"], told["reason"]
        assert told["perception"] == f"oracle, {body} through its SDK"
        after = emulator.state()
    assert after["state"] == 4 and after["error"] == 0, "it stands still when all is over"


def test_an_arm_that_stops_is_told(tmp_path: Path) -> None:
    with running("xarm7", "--scene", "mug_in_drawer") as emulator:
        emulator.ask(fault="collision", motion=60)
        at = ["--host", emulator.host, "--port", str(emulator.port)]
        eyes = f"tcp://{emulator.host}:{emulator.told['fault_port']}"
        done = solve("--body", "xarm7", *at, "--eyes", eyes, "--out", str(tmp_path / "episode"), "--json")
        told = json.loads(done.stdout)
        assert done.returncode == 1 and told["stage"] == "execution" and "C31" in told["reason"]


def test_who_stops_it_finds_the_arm_at_rest_and_the_hand_closed(tmp_path: Path) -> None:
    with running("xarm7", "--scene", "mug_in_drawer") as emulator:
        at = ["--host", emulator.host, "--port", str(emulator.port)]
        at += ["--eyes", f"tcp://{emulator.host}:{emulator.told['fault_port']}"]
        command = [*TAMP, "solve", "--goal", GOAL, "--scene", "mug_in_drawer", "--backend", "xarm", "--body", "xarm7"]
        run = subprocess.Popen(
            [*command, *at, "--out", str(tmp_path / "episode"), "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert run.stderr is not None
        while "(pick mug_1 main_table): done" not in run.stderr.readline():
            assert run.poll() is None, run.communicate()[0]
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=30)
        assert run.returncode == 130
        assert "interrupted" in json.loads(out)["reason"]
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
        eyes = f"tcp://{emulator.host}:{emulator.told['fault_port']}"
        done = solve(*at, "--eyes", eyes, "--out", str(tmp_path / "episode"), "--json")
        assert done.returncode == 130 and "dead man" in json.loads(done.stdout)["reason"]
        assert emulator.state()["state"] == 4


def test_who_sees_has_to_be_said() -> None:
    done = solve("--body", "xarm7", "--host", "127.0.0.1")
    assert done.returncode == 2 and "no --eyes" in done.stderr


def test_nobody_answers() -> None:
    done = solve("--body", "xarm7", "--host", "127.200.0.1", "--eyes", "tcp://127.200.0.1:9", "--json")
    assert done.returncode == 1 and "127.200.0.1" in json.loads(done.stdout)["reason"]
