"""`tamp live` as a user, a script and a program run it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tamp.runs.episode_log import read
from tests import forked
from tests.emulated import LIFE, TAMP

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("real_time")]

FAKE = ("live", "--backend", "fake", "--json")


def tamp(*options: str, says: str = "", cwd: Path) -> subprocess.CompletedProcess[str]:
    return forked.tamp(*options, given=says, cwd=cwd)


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_session_from_standard_input_ends_with_its_end(tmp_path: Path) -> None:
    orders = '{"start": "(pick box_1 table)"}\nstart (pick box_2 table)\ndance\nskip -1\n'
    done = tamp(*FAKE, "--out", "run", says=orders, cwd=tmp_path)
    shown = lines(done)
    assert shown[-1]["event"] == "outcome" and shown[-1]["success"] and shown[-1]["out"] == "run"
    stages = [e["stage"] for e in shown if e.get("name") == "(pick box_1 table)"]
    assert stages == ["moving", "acting", "done"]
    refused = [e for e in shown if e["event"] == "command" and not e["taken"]]
    assert refused[0]["why"].endswith("which (pick box_1 table) has; valid: stop (pick box_1 table)")
    assert "tamp: no: -1.0 is nothing to skip; valid: seconds from 0 to 3600" in done.stderr
    assert {"order", "activity", "result", "outcome"} <= {e["event"] for e in read(tmp_path / "run" / "episode.jsonl")}


def test_a_script_with_the_clock_paused_is_the_same_every_time(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text(
        '{"start": "(pick box_1 table)"}\n{"at": 4, "start": "(place-on box_1 tray)"}\n'
        '{"at": 9, "disturb": {"thing": "box_2", "by": [0, 0.02, 0]}}\n{"at": 9.5, "end": true}\n'
    )
    shown = []
    for n in range(2):
        done = tamp(*FAKE, "--script", str(script), "--clock", "paused", "--out", str(n), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        shown.append(lines(done)[:-1])
    assert shown[0] == shown[1]
    assert [e["stage"] for e in shown[0] if e.get("name") == "(place-on box_1 tray)"] == ["moving", "acting", "done"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--backend", "fake", "--scene", "libero_goal/3"], "no scene 'libero_goal/3' for --backend fake; valid:"),
        (["--backend", "fake", "--scene", "packed/99"], "valid: packed or blocked/1 to 30"),
        (["--scene", "mug_in_draw"], "did you mean 'mug_in_drawer'"),
        (["--script", "none.jsonl"], "cannot read none.jsonl"),
        (["--decider", "script"], "--decider script needs a --script FILE.jsonl"),
        (["--backend", "fake", "--host", "127.0.0.1"], "--host, --port and --world are for --backend xarm"),
        (["--backend", "xarm", "--host", "127.0.0.1"], "no world: give --world FILE"),
        (["--backend", "xarm", "--scene", "x"], "are for simulated scenes, not for --backend xarm"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(options: list[str], says: str, tmp_path: Path) -> None:
    done = tamp("live", *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "") and says in done.stderr.splitlines()[-1], done.stderr
    assert list(tmp_path.iterdir()) == []


def begun(folder: Path, *options: str) -> subprocess.Popen[str]:
    """A session that takes orders over a Unix socket, once it does."""
    process = subprocess.Popen(
        [*TAMP, *FAKE, "--out", "run", "--listen", "orders", "--seconds", LIFE, *options],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return process


def connected(process: subprocess.Popen[str], folder: Path) -> socket.socket:
    """A connection to the session, once it listens."""
    assert process.stderr is not None
    assert any("orders at unix:orders" in line for line in process.stderr)
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(30)
    connection.connect(str(folder / "orders"))
    return connection


def test_a_session_that_is_killed_leaves_a_log_that_reads_to_the_end_and_no_process(tmp_path: Path) -> None:
    process = begun(tmp_path)
    with connected(process, tmp_path) as connection:
        connection.sendall(b'{"start": "(pick box_1 table)"}\n')
        heard = connection.makefile("r")
        while json.loads(heard.readline()).get("stage") != "moving":
            pass
        time.sleep(1.0)
        children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False)
        os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
    log = read(tmp_path / "run" / "episode.jsonl")
    assert [e["event"] for e in log][:1] == ["start"] and any(e["event"] == "order" for e in log)
    pids = [int(p) for p in children.stdout.split()]
    end = time.monotonic() + 60
    while any(Path(f"/proc/{p}").exists() for p in pids):
        assert time.monotonic() < end, "what thinks beside it ends with it"
        time.sleep(0.1)


def test_ctrl_c_stops_and_says_where_the_log_is(tmp_path: Path) -> None:
    process = begun(tmp_path)
    connected(process, tmp_path).close()
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    stdout, _ = process.communicate(timeout=30)
    outcome = json.loads(stdout.splitlines()[-1])
    assert (process.returncode, outcome["out"]) == (130, "run")
    assert outcome["reason"] == "interrupted (Ctrl-C); the robot stands still"
