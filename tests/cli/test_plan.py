"""`tamp plan`: files in, a plan out, and three kinds of no."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tamp.atoms import Atom
from tamp.domain import load
from tamp.state import WorldState, problem_text

TAMP = Path(sys.executable).with_name("tamp")
STATE = WorldState(
    {"cup": "item", "bench": "surface", "chest": "drawer"},
    frozenset(
        {
            Atom("hand-empty"),
            Atom("clear", ("cup",)),
            Atom("on", ("cup", "bench")),
            Atom("closed", ("chest",)),
        }
    ),
)
PLAN = ["(open-drawer chest)", "(pick cup bench)", "(place-in cup chest)"]


def plan(
    folder: Path, goal: str, *options: str, state: WorldState = STATE
) -> subprocess.CompletedProcess[str]:
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    domain.write_text(load("tabletop").text)
    problem.write_text(problem_text(load("tabletop"), state, goal))
    command = [TAMP, "plan", str(domain), str(problem), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("planner", ["fast-downward", "pyperplan"])
def test_a_plan_is_printed_an_action_a_line(planner: str, tmp_path: Path) -> None:
    done = plan(tmp_path, "(in cup chest)", "--planner", planner, "--out", str(tmp_path / "plan.txt"))
    assert (done.returncode, sorted(done.stdout.splitlines())) == (0, sorted(PLAN)), done.stderr
    assert (tmp_path / "plan.txt").read_text() == done.stdout


def test_json_says_the_same(tmp_path: Path) -> None:
    answer = json.loads(plan(tmp_path, "(in cup chest)", "--json").stdout)
    assert (answer["status"], sorted(answer["plan"])) == ("found", sorted(PLAN))
    assert answer["seconds"] > 0


def test_unsolvable_is_an_honest_no(tmp_path: Path) -> None:
    stuck = STATE.with_facts(frozenset({Atom("unreachable", ("chest",))}))
    done = plan(tmp_path, "(in cup chest)", "--json", state=stuck)
    assert (done.returncode, json.loads(done.stdout)["status"]) == (1, "unsolvable")


@pytest.mark.parametrize(
    ("goal", "options", "says"),
    [
        ("(in cup chests)", (), "problem.pddl:"),
        ("(in cup chest)", ("--planner", "magic"), "unknown planner 'magic'; valid: fast-downward"),
        ("(in cup chest)", ("--planner", "qwen", "--llm", "none.gguf"), "no model file none.gguf"),
        ("(in cup chest)", ("--out", "no/such/folder/plan.txt"), "cannot write no/such/folder/plan.txt"),
    ],
)
def test_bad_input_exits_2(goal: str, options: tuple[str, ...], says: str, tmp_path: Path) -> None:
    done = plan(tmp_path, goal, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr and done.stderr.count("\n") == 1


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    command = [TAMP, "plan", str(tmp_path / "d.pddl"), str(tmp_path / "p.pddl")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"cannot read {tmp_path / 'd.pddl'}: No such file" in done.stderr
