"""`tamp xarm run` with plans of a domain, as far as no arm is needed."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tamp.data import data_dir
from tamp.runs.episode_log import read
from tests import forked

pytestmark = pytest.mark.process

BENCH = data_dir("problems") / "xarm"
PROBLEM = """(define (problem look) (:domain xarm)
  (:objects home above_table - place bin_drop - dropoff)
  (:init (hand-empty))
  (:goal (tool-at above_table)))
"""
OF = ["--domain", "xarm", "--problem", "p.pddl"]


def run(folder: Path, plan: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "p.pddl").write_text(PROBLEM)
    (folder / "plan.txt").write_text(plan)
    world = BENCH / "bench.toml"
    return forked.tamp("xarm", "run", "plan.txt", "--world", world, "--dry-run", *options, cwd=folder)


def test_a_plan_of_movements_is_gone_through(tmp_path: Path) -> None:
    done = run(tmp_path, "(go-over bin_drop)\n(lower bin_drop)\n(lift)\n(go-to above_table)\n", *OF, "--out", "run")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.endswith("tamp: 4 steps can be done\n")
    begun = next(e for e in read(tmp_path / "run" / "episode.jsonl") if e["event"] == "start")
    named = ["ApproachNamed", "MoveToNamed", "RetreatZ", "MoveToNamed"]
    assert [step.partition("(")[0] for step in begun["steps"]] == named


def test_a_plan_that_is_not_valid_is_told_with_its_step(tmp_path: Path) -> None:
    done = run(tmp_path, "(go-to home)\n(lower bin_drop)\n", *OF, "--json")
    assert done.returncode == 1
    assert "plan.txt:2: invalid at step 2, (lower bin_drop): needs (above bin_drop), which does not" in done.stderr
    said = json.loads(done.stdout)
    assert (said["success"], said["failed"], said["kind"], said["out"]) == (False, 2, "invalid", None)


@pytest.mark.parametrize(
    ("plan", "options", "says"),
    [
        ("(go-to home)\n", [], "plan.txt is no action plan; a plan of a domain needs --domain and --problem"),
        ("(go-to home)\n", OF[:2], "a plan of a domain needs both --domain and --problem"),
        ("(fly home)\n", OF, "plan.txt:1: step 1, (fly home): there is no operator 'fly'"),
        ("(go-to home)\n", ["--domain", "tabletop", *OF[2:]], "the domain 'tabletop' is for libero, not for xarm"),
    ],
)
def test_bad_input_is_one_line(plan: str, options: list[str], says: str, tmp_path: Path) -> None:
    done = run(tmp_path, plan, *options)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert says in done.stderr
