"""`--perception camera` on the command line: what is refused before anything is built, and the policy server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import app


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
        shown = json.loads(server.stdout.readline())
        assert shown["port"] > 0 and shown["perception"] == "camera"
        from tamp.runs.policy.server import connected

        with connected(f"ws://127.0.0.1:{shown['port']}") as (_, metadata):
            assert metadata == {k: v for k, v in shown.items() if k != "port"}
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=10)
    finally:
        server.kill()
    assert server.returncode == 130 and "tamp: interrupted" in errors and "Traceback" not in errors
