"""`tamp report --prompts`: failures of the language model by type, and what it refuses."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.forked import tamp

pytestmark = pytest.mark.process

TEXT = "put the bowl on the plate"
PROMPT = {"event": "prompt", "model": "m", "messages": []}
READ: list[dict[str, Any]] = [
    {"event": "instruction", "text": TEXT},
    PROMPT,
    {"event": "reply", "text": "on(bowl, plate)", "probability": 0.9},
    {"event": "language", "goal": "(on bowl_1 plate_1)", "reply": "on(bowl, plate)"},
]
WRONG: dict[str, Any] = {
    "event": "plan_attempt",
    "attempt": 1,
    "error": "precondition",
    "message": "step 1: (hand-empty) does not hold.",
    "reply": "[place(bowl_1, plate_1)]",
}
MENDED = [
    *READ,
    PROMPT,
    {"event": "reply", "text": "[place(bowl_1, plate_1)]", "probability": 0.5},
    WRONG,
    PROMPT,
    {"event": "reply", "text": "[pick(bowl_1), place(bowl_1, plate_1)]", "probability": 0.9},
    {**WRONG, "attempt": 2, "error": None, "message": "", "reply": "[pick(bowl_1), place(bowl_1, plate_1)]"},
]
ABSENT = [
    {"event": "instruction", "text": "put the banana on the plate"},
    {"event": "refused", "why": "absent", "message": "the scene has no banana"},
]


def report(*arguments: object) -> subprocess.CompletedProcess[str]:
    return tamp("report", "--prompts", *arguments)


def log(folder: Path, events: list[dict[str, Any]], half: str = "") -> Path:
    folder.mkdir(parents=True)
    path = folder / "episode.jsonl"
    path.write_text("".join(json.dumps({"t": 0.0, **e}) + "\n" for e in events) + half)
    return path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run's folder with three episodes, the last of which was killed while it wrote."""
    log(tmp_path / "run" / "episodes" / "libero_goal-0-0", MENDED)
    log(tmp_path / "run" / "episodes" / "libero_goal-1-0", ABSENT)
    log(tmp_path / "run" / "episodes" / "libero_goal-2-0", MENDED[:7], half='{"event": "prompt", "t": 1.0, "mes')
    return tmp_path / "run"


def test_failures_by_type_with_examples(run: Path) -> None:
    done = report(run)
    assert (done.returncode, done.stderr) == (0, "")
    totals, _, failures = done.stdout.partition("\n\n")
    assert "3 logs, 3 with an instruction to read" in totals
    assert "asked the model in 2\n" in totals
    assert "a goal in 2\n" in totals
    assert "2 plans asked for: 1 found, at the first attempt 0 of 2 (0 %)" in totals
    assert [line.split() for line in failures.splitlines() if ": " in line and line[4].isdigit()] == [
        ["2", "2", "1", "plan_attempt:", "precondition", "(1", "mended", "by", "attempt", "2)"],
        ["1", "1", "0", "refused:", "absent"],
    ]
    for shown in (TEXT, WRONG["reply"], WRONG["message"], "libero_goal-2-0", "the scene has no banana"):
        assert shown in failures


def test_the_same_as_data(run: Path) -> None:
    told = json.loads(report(run, "--json", "--examples", "1").stdout)
    assert told["language"] == {"episodes": 3, "asked": 2, "goals": 2, "rightly_refused": 0}
    assert told["plans"] == {"asked": 2, "found": 1, "first_try": 0, "first_try_share": 0.0}
    first = told["failures"][0]
    assert {k: first[k] for k in ("event", "error", "times", "episodes", "mended")} == {
        "event": "plan_attempt",
        "error": "precondition",
        "times": 2,
        "episodes": 2,
        "mended": {"attempt 2": 1},
    }
    (example,) = first["examples"]
    assert (example["instruction"], example["episode"], example["mended"]) == (TEXT, "libero_goal-0-0", "attempt 2")
    assert (example["attempt"], example["reply"], example["message"]) == (1, WRONG["reply"], WRONG["message"])


def test_what_fails_for_geometric_reasons_is_told_apart(tmp_path: Path) -> None:
    no_room = {"event": "outcome", "success": False, "stage": "refinement", "reason": "the door is in the way"}
    refused = {"event": "outcome", "success": False, "stage": "goal", "reason": "the scene has no banana"}
    log(tmp_path / "episodes" / "a", [*MENDED, no_room])
    log(tmp_path / "episodes" / "b", [no_room])
    log(tmp_path / "episodes" / "c", [{"event": "outcome", "success": True}])
    log(tmp_path / "episodes" / "d", [{"event": "error", "message": "no 'cup_9'"}])
    only = report(tmp_path / "episodes" / "b").stdout
    assert "no failure lies with the language model\n\n1 episode failed for other reasons" in only
    log(tmp_path / "episodes" / "e", [*ABSENT, refused])
    told = report(tmp_path / "episodes").stdout
    assert told.endswith(
        f"\n3 episodes failed for other reasons (tamp report {tmp_path / 'episodes'}):\n"
        "    2 refinement: the door is in the way\n    1 error: no 'cup_9'\n"
    ), "a refusal and a plan that was mended are told above"
    assert json.loads(report(tmp_path / "episodes", "--json").stdout)["otherwise"] == [
        {"stage": "refinement", "reason": "the door is in the way", "episodes": 2},
        {"stage": "error", "reason": "no 'cup_9'", "episodes": 1},
    ]


def test_what_holds_no_logs_is_refused(run: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    results = tmp_path / "results.jsonl"
    results.write_text('{"suite": "libero_goal"}\n')
    for arguments, says in (
        ((tmp_path / "empty",), "empty holds no episode's log; valid: a folder of tamp bench"),
        ((tmp_path / "none",), "none does not exist; valid: a folder of tamp bench"),
        ((results,), "results.jsonl:1: not an event of an episode's log"),
    ):
        done = report(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert says in done.stderr and "Traceback" not in done.stderr
