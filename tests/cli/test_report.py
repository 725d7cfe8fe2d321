"""`tamp report`: several results as one table, and what it refuses."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.forked import tamp
from tests.page_episodes import lines, record

pytestmark = pytest.mark.process


def report(*arguments: object) -> subprocess.CompletedProcess[str]:
    return tamp("report", *arguments)


@pytest.fixture
def results(tmp_path: Path) -> tuple[Path, Path]:
    """A run's folder and a compressed file."""
    folder, packed = tmp_path / "run", tmp_path / "other.jsonl.gz"
    folder.mkdir()
    goal = [record("libero_goal", 0, 0), record("libero_goal", 0, 1, success=False, failure_stage="plan")]
    (folder / "results.jsonl").write_text(lines(*goal))
    packed.write_bytes(gzip.compress(lines(record("libero_90", 3, 0)).encode()))
    return folder, packed


def test_several_results_are_one_table(results: tuple[Path, Path]) -> None:
    shown = report(*results).stdout
    cells = [line.split() for line in shown.splitlines()]
    assert [line[:3] for line in cells[1:4]] == [
        ["libero_goal", "2", "50.0"],
        ["libero_90", "1", "100.0"],
        ["all", "3", "66.7"],
    ]
    assert "oracle perception; git tree abc123" in shown
    assert "libero_goal/0" in shown.split("failures")[1]


def test_what_was_asked_for_is_told_beside_liberos_check(tmp_path: Path) -> None:
    some = [record("libero_goal", 0, k, success=k == 0, reached=True) for k in (0, 1)]
    (tmp_path / "results.jsonl").write_text(lines(*some))
    assert "reached, by the oracle of what was asked for: 2 of 2" in report(tmp_path).stdout
    shown = json.loads(report(tmp_path, "--json").stdout)
    assert (shown["reached"], shown["reached_of"], shown["suites"][0]["successes"]) == (2, 2, 1)


def test_the_same_as_data(results: tuple[Path, Path]) -> None:
    shown = json.loads(report(*results, "--json").stdout)
    whole = shown["suites"][-1]
    assert (whole["suite"], whole["successes"], whole["lasting_rate"]) == ("all", 2, pytest.approx(2 / 3))
    assert shown["suites"][0]["contact_steps"] == {"median": 0, "percentile_95": 0}


def test_what_makes_no_table_is_refused(results: tuple[Path, Path], tmp_path: Path) -> None:
    folder, packed = results
    other, twice = tmp_path / "later.jsonl", tmp_path / "twice.jsonl"
    other.write_text(lines(record("libero_90", 4, 0, tree="def456")))
    twice.write_text(lines(record("libero_90", 4, 0)) + other.read_text())
    for arguments, says in (
        ((folder, folder / "results.jsonl"), "run is given twice"),
        ((twice,), "1 episodes are in"),
        ((folder, other), "2 trees"),
        ((packed, "--tree", "999"), "no episode ran on it"),
        ((tmp_path / "none",), "no results at"),
    ):
        done = report(*arguments)
        assert done.returncode == 2 and says in done.stderr, done.stderr
        assert done.stdout == "" and "Traceback" not in done.stderr


@pytest.fixture
def two_runs(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs of the same three episodes, on different trees; the first has one more."""
    for name, verdicts, tree in (("old", (1, 1, 0, 1), "abc123"), ("new", (1, 0, 0), "def456")):
        shown = [record("libero_goal", 0, k, success=bool(ok), tree=tree) for k, ok in enumerate(verdicts)]
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.jsonl").write_text(lines(*shown))
    return tmp_path / "old", tmp_path / "new"


def test_two_runs_of_the_same_episodes_stand_side_by_side(two_runs: tuple[Path, Path]) -> None:
    old, new = map(str, two_runs)
    done = report(old, new)
    assert (done.returncode, done.stderr) == (0, "")
    table, trees, compared, *failed = done.stdout.split("\n\n")
    assert [line.split()[:4] for line in table.splitlines()[1:]] == [
        ["libero_goal", old, "4", "75.0"],
        ["libero_goal", new, "3", "33.3"],
    ]
    assert f"{new}: oracle perception; git tree def456\nthe runs are of different git trees" in trees
    assert compared.splitlines()[2].split() == [old, new, "3", "1", "1", "0", "1", "1"]
    assert [part.splitlines()[0] for part in failed] == [f"failures of {old}", f"failures of {new}"]


def test_two_runs_as_data(two_runs: tuple[Path, Path]) -> None:
    shown = json.loads(report(*two_runs, "--json").stdout)
    assert [(r["run"], r["tree"], r["suites"][0]["successes"]) for r in shown["runs"]] == [
        (str(two_runs[0]), "abc123", 3),
        (str(two_runs[1]), "def456", 1),
    ]
    (pair,) = shown["comparisons"]
    assert (pair["episodes"], pair["both"], pair["neither"], pair["second_only"]) == (3, 1, 1, [])
    assert pair["first_only"] == [{"suite": "libero_goal", "task_id": 0, "init_state": 1, "wording": 0}]
    assert pair["p_value"] == 1.0


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


def test_episodes_as_data_and_for_papers(episodes: Path) -> None:
    shown = json.loads(report(episodes, "--json").stdout)
    assert shown["counts"] == {"success": 1, "no": 2, "interrupted": 1, "error": 1}
    refused = shown["episodes"][1]
    assert (refused["said"], refused["goal"], refused["task"]) == ("put the banana on the plate", None, None)
    assert "| c-failed | (open d), then (in cup_1 d) | no |" in report(episodes, "--format", "markdown").stdout


def test_logs_that_somebody_wrote_are_told_as_far_as_they_go(tmp_path: Path) -> None:
    log = tmp_path / "episode.jsonl"
    log.write_text('{"event": "outcome", "t": "y", "steps": "x", "goal": {"a": 1}, "reason": 3, "task": "yes"}\n')
    done = report(log)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].split()[1:] == ["-", "no", "-", "-", "-", "-", "0.0", "-"]


def test_of_episodes_is_refused(episodes: Path, tmp_path: Path) -> None:
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
