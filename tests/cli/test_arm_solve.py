"""`tamp solve --backend xarm` as a user runs it: the port, and what its folder says of language."""

from __future__ import annotations

import contextlib
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from llm.models.language_model import Completion, Prompt, fits
from llm.reader.arm import ArmNames, plan_of
from tamp.backends.xarm.workcell import read_workcell
from tamp.data import data_dir
from tamp.errors import Refusal
from tamp.runs.episode_log import read
from tests import forked
from tests.emulated import running

pytestmark = pytest.mark.process

BENCH = data_dir("problems") / "xarm" / "bench.toml"
TEXT = "wait 0.1 s and hover over bin_drop"
PROGRAM = "wait(; seconds 0.1)\ngo above(bin drop)"


@dataclass
class Scripted:
    """Always says the same."""

    program: str
    name: str = "scripted"
    sees: bool = False
    taught: bool = True

    def complete(self, prompt: Prompt, grammar: str) -> Completion:
        assert fits(self.program, grammar)
        return Completion(self.program)


def recorded(path: Path, text: str, program: str) -> Path:
    """A recording of what a model makes of an instruction."""
    events = list[dict[str, object]]()

    class Kept:
        def event(self, kind: str, /, **data: object) -> None:
            events.append({"event": kind, "t": 0.0, **data})

    with contextlib.suppress(Refusal):
        plan_of(text, ArmNames.of(read_workcell(BENCH)), Scripted(program), Kept())
    path.write_text("".join(json.dumps(e) + "\n" for e in events))
    return path


def solve(folder: Path, text: str, *options: str, program: str = PROGRAM) -> subprocess.CompletedProcess[str]:
    model = recorded(folder / "model.jsonl", text, program)
    to = ("--backend", "xarm", "--world", BENCH, "--out", "run", "--json", "--llm", model)
    return forked.tamp("solve", text, *to, *options, cwd=folder)


def test_a_refusal_leaves_a_folder_that_says_why(tmp_path: Path) -> None:
    done = solve(tmp_path, "touch the fork", program='touch("fork")')
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["success"], answer["stage"], answer["out"]) == (1, False, "goal", "run")
    shown = read(tmp_path / "run" / "episode.jsonl")
    assert [e["event"] for e in shown] == ["instruction", "prompt", "reply", "program", "refused", "outcome"]
    assert shown[-2]["message"] == shown[-1]["reason"] == answer["reason"]
    assert 'the world has no "fork"; it has: home' in answer["reason"]


def test_a_run_on_another_port_keeps_what_was_asked_and_answered(tmp_path: Path) -> None:
    with running("xarm6", "--port", "20777") as emulator:
        done = solve(tmp_path, TEXT, "--host", emulator.host, "--port", "20777")
    assert done.stdout, done.stderr
    assert (done.returncode, json.loads(done.stdout)["steps"]) == (0, 2), done.stderr
    shown = read(tmp_path / "run" / "episode.jsonl")
    kinds = [e["event"] for e in shown]
    assert kinds[:4] == ["instruction", "prompt", "reply", "program"] and shown[3]["text"] == PROGRAM
    assert (tmp_path / "run" / "plan.json").exists()
