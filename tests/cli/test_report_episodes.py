"""`tamp report` of episodes that `tamp solve` and others left behind."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.forked import tamp

pytestmark = pytest.mark.process

START = {"event": "start", "instruction": None, "perception": "oracle"}
OUTCOME = {"event": "outcome", "goal": "(on cup_1 plate_1)", "steps": 51, "perception": "oracle"}
EPISODES: dict[str, list[dict[str, Any]]] = {
    "a-done": [START, {**OUTCOME, "success": True, "reached": True, "task": None}],
    "b-refused": [
        START,
        {"event": "instruction", "text": "put the banana on the plate"},
        {"event": "refused", "why": "absent", "message": "the scene has no banana"},
        {**OUTCOME, "goal": None, "success": False, "reached": False, "task": None, "steps": 0}
        | {"stage": "goal", "reason": "the scene has no banana"},
    ],
    "c-failed": [
        START,
        {**OUTCOME, "success": False, "reached": False, "task": False, "goal": ["(open d)", "(in cup_1 d)"]}
        | {"stage": "refinement", "reason": "the door is in the way"},
    ],
    "d-killed": [START, {"event": "goal", "goal": "(open d)"}, {"event": "command", "step": 7}],
    "e-wrong": [START, {"event": "error", "message": "no 'cup_9' in the scene"}],
}


@pytest.fixture
def episodes(tmp_path: Path) -> Path:
    for name, events in EPISODES.items():
        folder = tmp_path / "episodes" / name
        folder.mkdir(parents=True)
        lines = [json.dumps({"event": e["event"], "t": float(n), **e}) for n, e in enumerate(events)]
        (folder / "episode.jsonl").write_text("\n".join(lines) + "\n" + '{"event": "comm' * (name == "d-killed"))
    return tmp_path / "episodes"


def report(*arguments: object) -> subprocess.CompletedProcess[str]:
    return tamp("report", *arguments)


def test_a_row_an_episode_and_a_count(episodes: Path) -> None:
    done = report(episodes)
    assert (done.returncode, done.stderr) == (0, "")
    table, count = done.stdout.split("\n\n")
    assert [" ".join(line.split()) for line in table.splitlines()] == [
        "episode asked verdict reached task perception steps seconds failure",
        "a-done (on cup_1 plate_1) success yes not asked oracle 51 1.0 -",
        "b-refused put the banana on the plate no no not asked oracle 0 3.0 goal: the scene has no banana",
        "c-failed (open d), then (in cup_1 d) no no no oracle 51 1.0 refinement: the door is in the way",
        "d-killed (open d) interrupted - - oracle 7 2.0 -",
        "e-wrong - error - - oracle - 1.0 no 'cup_9' in the scene",
    ]
    assert count == "5 episodes: 2 no, 1 success, 1 interrupted, 1 error\n"


def test_the_same_as_data_and_for_papers(episodes: Path) -> None:
    told = json.loads(report(episodes, "--json").stdout)
    assert told["counts"] == {"success": 1, "no": 2, "interrupted": 1, "error": 1}
    refused = told["episodes"][1]
    assert (refused["said"], refused["goal"], refused["task"]) == ("put the banana on the plate", None, None)
    assert "| c-failed | (open d), then (in cup_1 d) | no |" in report(episodes, "--format", "markdown").stdout


def test_logs_that_somebody_wrote_are_told_as_far_as_they_go(tmp_path: Path) -> None:
    log = tmp_path / "episode.jsonl"
    log.write_text('{"event": "outcome", "t": "y", "steps": "x", "goal": {"a": 1}, "reason": 3, "task": "yes"}\n')
    done = report(log)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].split()[1:] == ["-", "no", "-", "-", "-", "-", "0.0", "-"]


def test_what_is_refused(episodes: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "half" / "results.jsonl").mkdir(parents=True)
    (tmp_path / "results.jsonl").write_text('{"suite": "libero_goal"}\n')
    for arguments, says in (
        ((tmp_path / "empty",), "empty holds no episode's log; valid: a folder of tamp bench, an episode's folder"),
        ((episodes, tmp_path / "results.jsonl"), "report them one by one"),
        ((episodes, "--tree", "abc"), "--tree is for the results of tamp bench"),
        ((episodes.parent / "half",), "results.jsonl: Is a directory"),
    ):
        done = report(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert says in done.stderr and "Traceback" not in done.stderr
