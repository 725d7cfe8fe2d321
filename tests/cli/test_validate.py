"""`tamp validate`: verdicts, and input that is no plan."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.forked import tamp

pytestmark = pytest.mark.process

PROBLEM = """(define (problem p) (:domain tabletop)
  (:objects cup dish - item bench - surface chest - drawer)
  (:init (hand-empty) (on dish bench) (on cup dish) (clear cup) (closed chest))
  (:goal (and (in dish chest) (closed chest))))
"""
PLANS = {
    "good.txt": "(open-drawer chest)\n(pick cup dish)\n(place-on cup bench)\n(pick dish bench)\n"
    "(place-in dish chest)\n(close-drawer chest)\n",
    "bad.txt": "; first\n(open-drawer chest)\n(pick cup dish)\n(pick dish bench)\n",
    "short.json": '[{"skill": "open-drawer", "args": {"d": "chest"}}]',
    "other.txt": "(fly cup)\n",
    "arm.json": '{"goal": "lift", "steps": [{"action": "RETREAT_Z", "dz_mm": 80}]}',
    "wrong.json": '{"goal": "lift", "steps": [{"action": "RETREAT_Z", "dz_mm": -80}]}',
}
BAD = """bad.txt:4: invalid at step 3, (pick dish bench): needs (hand-empty), which does not hold then
  (hand-empty): made false by step 2, (pick cup dish); (place-on cup bench) makes it true and can be done there
  valid with 3 changes:
    …
      2 (pick cup dish)
    +   (place-in cup chest)
      3 (pick dish bench)
    +   (place-in dish chest)
    +   (close-drawer chest)
  if (pick dish bench) were done all the same:
    bad.txt: the goal needs (in dish chest) and (closed chest), which do not hold then
"""
OTHER = "tamp: error: other.txt:1: step 1, (fly cup): there is no operator 'fly'; valid: "


def validate(folder: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    for name, text in {**PLANS, "problem.pddl": PROBLEM}.items():
        (folder / name).write_text(text)
    patience = () if "--mend-seconds" in arguments else ("--mend-seconds", "60")  # the machine may be busy
    return tamp("validate", *arguments, *patience, cwd=folder, given=given)


def test_every_plan_gets_its_verdict_and_the_worst_is_the_exit_code(tmp_path: Path) -> None:
    done = validate(tmp_path, "tabletop", "problem.pddl", "bad.txt", "other.txt", "good.txt", "--trace")
    assert done.stdout.startswith(f"{BAD}  (open-drawer chest): ") and "\ngood.txt: valid, 6 steps\n" in done.stdout
    assert "\n  (close-drawer chest): (closed chest) (not (open chest))\n" in done.stdout
    assert done.returncode == 2 and done.stderr.startswith(OTHER)
    assert "\ntamp: note: valid with 6 changes:\n  - 1 (fly cup)\n" in done.stderr


def test_all_mistakes_of_a_plan_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "wrong.txt").write_text("(pick cup dsh)\nand then\n(open-drawer cup)\n")
    done = validate(tmp_path, "tabletop", "problem.pddl", "wrong.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert [line.split(": ")[2:4] for line in done.stderr.splitlines()[:3]] == [
        ["wrong.txt:1", "step 1, (pick cup dsh)"],
        ["wrong.txt:2:1", "not a step of a plan"],
        ["wrong.txt:3", "step 3, (open-drawer cup)"],
    ]
    (shown,) = json.loads(validate(tmp_path, "tabletop", "problem.pddl", "wrong.txt", "--json").stdout)["plans"]
    assert len(shown["errors"]) == 3 and shown["error"] == f"{shown['errors'][0]} (and 2 more)"
    (tmp_path / "wrong.txt").write_text("(fly)\n" * 30)
    done = validate(tmp_path, "tabletop", "problem.pddl", "wrong.txt")
    assert done.stderr.count("tamp: error: ") == 21
    assert "\ntamp: error: … and 10 more like these\ntamp: note: " in done.stderr


def test_a_verdict_as_data(tmp_path: Path) -> None:
    done = validate(tmp_path, "tabletop", "problem.pddl", "bad.txt", "short.json", "--json")
    answer = json.loads(done.stdout)
    judged, short = answer["plans"]
    assert (done.returncode, answer["valid"], judged["plan"]) == (1, False, "bad.txt")
    assert judged["failed"] == {"step": 3, "line": 4, "action": "(pick dish bench)"}
    assert judged["unmet"] == [
        {
            "literal": "(hand-empty)",
            "lost_at": 2,
            "lost_time": None,
            "lost_by": "(pick cup dish)",
            "values": {},
            "hint": "(place-on cup bench) makes it true and can be done there",
        }
    ]
    assert [e["kind"] for e in judged["edits"]] == ["add"] * 3 and len(judged["mended"]) == 6
    assert [f["step"] for f in judged["further"]] == [None]
    assert (short["format"], short["failed"], len(short["edits"])) == ("skills", None, 5)


def test_a_problem_for_another_domain_is_noted_and_judged_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "other.pddl").write_text(PROBLEM.replace("(:domain tabletop)", "(:domain kitchen)"))
    done = validate(tmp_path, "tabletop", "other.pddl", "good.txt", "--json")
    assert (done.returncode, json.loads(done.stdout)["valid"]) == (0, True)
    assert done.stderr == "tamp: note: the problem is for 'kitchen', the domain is 'tabletop'\n"


def test_an_empty_plan_of_tamp_is_read_where_it_was_printed_and_written(tmp_path: Path) -> None:
    (tmp_path / "done.pddl").write_text(PROBLEM.replace("(:goal (and (in dish chest)", "(:goal (and (on cup dish)"))
    planned = tamp("plan", "tabletop", "done.pddl", "--out", "plan.txt", cwd=tmp_path)
    done = validate(tmp_path, "tabletop", "done.pddl", "plan.txt", "-", given=planned.stdout)
    assert (done.returncode, done.stdout) == (0, "plan.txt: valid, 0 steps\n<stdin>: valid, 0 steps\n")
    done = validate(tmp_path, "tabletop", "problem.pddl", "-", "--mend-seconds", "0")
    assert done.returncode == 1 and done.stdout.startswith("<stdin>: invalid, 0 steps: the goal needs")


@pytest.mark.parametrize(("plan", "code", "says"), [("arm.json", 0, "valid, 1 step\n"), ("wrong.json", 1, "invalid\n")])
def test_an_arms_plan_needs_no_domain(plan: str, code: int, says: str, tmp_path: Path) -> None:
    done = validate(tmp_path, plan)
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.startswith(f"{plan}: {says}")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("good.txt",), "good.txt is no xArm action plan; for others give DOMAIN PROBLEM PLAN..."),
        (("tabletop", "none.pddl", "good.txt"), "cannot read none.pddl: No such file"),
        (("tabletop", "problem.pddl", "."), "cannot read .: Is a directory"),
        (("problem.pddl", "problem.pddl", "good.txt"), "problem.pddl:1:"),
        (("tabletop", "good.txt", "good.txt"), "good.txt:1:"),
        (("tabletop", "-", "-"), "<stdin>:1:1: there is nothing in it"),
    ],
)
def test_bad_input_is_never_a_bad_plan(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    done = validate(tmp_path, *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert says in done.stderr


BENCH = str(Path(__file__).parents[2] / "problems" / "xarm" / "bench.toml")


def test_an_arms_plan_is_judged_in_its_world(tmp_path: Path) -> None:
    (tmp_path / "lost.json").write_text('{"goal": "g",\n "steps": [{"action": "MOVE_TO_NAMED", "name": "hom"}]}')
    done = validate(tmp_path, "lost.json", "--world", BENCH)
    says = "  2:40: step 1, name: there is no named pose 'hom'; did you mean 'home'?\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, f"lost.json: invalid\n{says}", "")
    assert validate(tmp_path, "lost.json").returncode == 0  # without a world any name will do
    (shown,) = json.loads(validate(tmp_path, "lost.json", "--world", BENCH, "--json").stdout)["plans"]
    assert [(b["step"], b["path"], b["line"], b["column"]) for b in shown["breaches"]] == [(1, "name", 2, 40)]


def test_a_world_that_cannot_be_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "world.toml").write_text('arm = "ur5"\n')
    done = validate(tmp_path, "arm.json", "--world", "world.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tamp: error: world.toml:1: there is no arm 'ur5'; valid: xarm5, ")
    done = validate(tmp_path, "tabletop", "problem.pddl", "good.txt", "--world", BENCH)
    assert done.returncode == 2
    assert done.stderr == "tamp: error: good.txt is no xArm action plan, and --world is for those\n"
