"""A task at a table on an emulated arm, through the unmodified SDK."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

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


def test_who_sees_has_to_be_said() -> None:
    done = solve("--body", "xarm7", "--host", "127.0.0.1")
    assert done.returncode == 2 and "no --eyes" in done.stderr


def test_nobody_answers() -> None:
    done = solve("--body", "xarm7", "--host", "127.200.0.1", "--eyes", "tcp://127.200.0.1:9", "--json")
    assert done.returncode == 1 and "127.200.0.1" in json.loads(done.stdout)["reason"]
