"""`tamp solve --backend xarm` as a user runs it: the port, and what its folder says of language."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from llm.arm_plan import write_plan
from llm.logged import Logged
from llm.model import Completion, Prompt
from tamp.data import data_dir
from tamp.runs.episode_log import read
from tests import forked
from tests.emulated import running

pytestmark = pytest.mark.process

BENCH = data_dir("problems") / "xarm" / "bench.toml"
TEXT = "wait 0.1 s and hover over bin_drop"


NAMED = ("MOVE_TO_NAMED", "APPROACH_NAMED")


class Scripted:
    """Says the first of its replies that is allowed."""

    name, sees = "scripted", False

    def complete(self, prompt: Prompt, begun: str, pattern: str) -> Completion:
        steps = ({"action": "SLEEP", "seconds": 0.1}, *({"action": a, "name": "bin_drop"} for a in NAMED))
        replies = (f"{json.dumps(step)}]" for step in steps)
        return Completion(next(r for r in replies if re.fullmatch(pattern, r)))


def recorded(path: Path) -> Path:
    """A recording of a model that at first goes to a place instead of above it."""
    events: list[dict[str, object]] = []

    def tell(kind: str, **data: object) -> None:
        events.append({"event": kind, "t": 0.0, **data})

    names = ["home", "above_table", "bin_drop"]
    write_plan(TEXT, names, ["cup"], Logged(Scripted(), tell), tell)
    path.write_text("".join(json.dumps(e) + "\n" for e in events))
    return path


def solve(folder: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    to = ("--backend", "xarm", "--world", BENCH, "--out", "run", "--json", "--llm", recorded(folder / "model.jsonl"))
    return forked.tamp("solve", text, *to, *options, cwd=folder)


def test_a_refusal_leaves_a_folder_that_says_why(tmp_path: Path) -> None:
    done = solve(tmp_path, "touch the fork")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["success"], answer["stage"], answer["out"]) == (1, False, "goal", "run")
    told = read(tmp_path / "run" / "episode.jsonl")
    assert [e["event"] for e in told] == ["instruction", "refused"]
    assert told[1]["message"] == answer["reason"]
    assert "there is no fork here" in answer["reason"]


def test_a_run_on_another_port_keeps_what_was_asked_answered_and_objected(tmp_path: Path) -> None:
    with running("xarm6", "--port", "20777") as emulator:
        done = solve(tmp_path, TEXT, "--host", emulator.host, "--port", "20777")
    assert (done.returncode, json.loads(done.stdout)["steps"]) == (0, 2), done.stderr
    told = read(tmp_path / "run" / "episode.jsonl")
    kinds = [e["event"] for e in told]
    assert kinds[:7] == ["instruction", "prompt", "reply", "reply", "objection", "prompt", "reply"]
    assert told[4]["message"] == "'hover over bin_drop' asks to go above bin_drop"
    assert told[4]["message"] in told[5]["messages"][-1]["content"]
    assert (tmp_path / "run" / "plan.json").exists()


def test_a_plan_can_be_written_and_gone_through_without_an_arm(tmp_path: Path) -> None:
    done = solve(tmp_path, TEXT, "--dry-run")
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["success"], answer["steps"]) == (0, True, 0), done.stderr
    assert len(answer["plan"]["steps"]) == 2
    assert "steps can be done" in done.stderr


def test_options_of_an_arm_are_for_an_arm(tmp_path: Path) -> None:
    done = forked.tamp("solve", "go", "--dry-run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tamp: error: --dry-run: for a real arm, --backend xarm; valid for")
