"""`--perception camera` on the command line: what is refused before anything is built, and the policy server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import app
from tamp.api import camera_policies
from tamp.api.bench import common
from tamp.api.configs import BenchConfig, SolveConfig
from tamp.errors import InputError


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the library of objects had been built."""
    monkeypatch.setattr("tamp.perception.library.read_index", lambda: None)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["solve", "x", "--perception", "camera"], "tamp objects build"),
        (["bench", "libero_goal", "--perception", "camera"], "tamp objects build"),
        (["policy", "serve"], "tamp objects build"),
    ],
)
def test_what_cannot_be_is_said_first(
    args: list[str], message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TAMP_OBJECTS", str(tmp_path))
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 2 and message in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--stage", "goal"], "--stage goal is for --perception oracle; valid with camera: --stage plan or all"),
        (["--clock", "real"], "--clock real is for --perception oracle"),
    ],
)
def test_what_cameras_are_not_for_is_said(options: list[str], message: str, library: None, tmp_path: Path) -> None:
    args = ["bench", "libero_goal", "--perception", "camera", "--out", str(tmp_path / "out"), *options]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 2 and message in done.stderr


def test_a_results_folder_holds_one_kind_of_perception() -> None:
    config = BenchConfig(suites=("libero_goal",))
    assert "perception" not in common(config), "older folders go on"
    assert common(replace(config, perception="camera", noise="all"))["noise"] == "all"


def test_perception_that_does_not_go_with_a_backend_is_refused() -> None:
    assert camera_policies.noise("clean", 1)(()) == ()
    with pytest.raises(InputError, match="--noise: not with --backend pybullet; valid: --backend libero"):
        BenchConfig(suites=("libero_goal",), simulator="pybullet", perception="camera", noise="depth")
    with pytest.raises(InputError, match="--perception: for simulated scenes, or an arm at a table with --body"):
        SolveConfig("x", simulator="xarm", perception="camera", host="127.0.0.1")
    at_table = {"body": "xarm7", "host": "127.0.0.1", "eyes": "tcp://127.0.0.1:7002"}
    SolveConfig("x", simulator="xarm", perception="camera", searches=False, **at_table)  # type: ignore[arg-type]


@pytest.mark.process
def test_a_server_says_where_it_is_and_ends_at_ctrl_c(tmp_path: Path) -> None:
    """With the command as it is typed; the library is an empty one, which is needed only once there is a scene."""
    code = (
        "import tamp.api.camera_policies as c, tamp.perception.library as e\n"
        "e.read_index = lambda: None\n"
        "import dataclasses\n"
        "recipe = c.recipe\n"
        "c.recipe = lambda *a, **k: dataclasses.replace(recipe(*a, **k), perceivers=lambda: None)\n"
        "import sys; sys.argv = ['tamp', 'policy', 'serve', '--port', '0', '--json']\n"
        "from cli.main import main; main()\n"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    try:
        assert server.stdout is not None
        told = json.loads(server.stdout.readline())
        assert told["port"] > 0 and told["perception"] == "camera"
        from tamp.runs.policy.server import connected

        with connected(f"ws://127.0.0.1:{told['port']}") as (_, metadata):
            assert metadata == {k: v for k, v in told.items() if k != "port"}
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=10)
    finally:
        server.kill()
    assert server.returncode == 130 and "tamp: interrupted" in errors and "Traceback" not in errors
