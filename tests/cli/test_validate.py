"""`tamp validate`: verdicts, and input that is no plan."""

from __future__ import annotations

import html
import json
import subprocess
from pathlib import Path

import pytest

from tamp.data import data_dir
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
SHORT = """short.json: invalid, 1 step: the goal needs (in dish chest) and (closed chest), which do not hold then
  (in dish chest): never true; no action that can be done there makes it true
  (closed chest): made false by step 1, (open-drawer chest); (close-drawer chest) makes it true and can be done there
  valid with 5 changes:
      1 (open-drawer chest)
    +   (pick cup dish)
    +   (place-on cup bench)
    +   (pick dish bench)
    +   (place-in dish chest)
    +   (close-drawer chest)
"""
OTHER = "tamp: error: other.txt:1: step 1, (fly cup): there is no operator 'fly'; valid: "


def validate(folder: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    for name, text in {**PLANS, "problem.pddl": PROBLEM}.items():
        (folder / name).write_text(text)
    patience = () if "--mend-seconds" in arguments else ("--mend-seconds", "60")  # the machine may be busy
    return tamp("validate", *arguments, *patience, cwd=folder, given=given)


def test_every_plan_gets_its_verdict_and_the_worst_is_the_exit_code(tmp_path: Path) -> None:
    done = validate(tmp_path, "tabletop", "problem.pddl", "bad.txt", "other.txt", "good.txt", "short.json")
    assert done.stdout == f"{BAD}good.txt: valid, 6 steps\n{SHORT}"
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
    (told,) = json.loads(validate(tmp_path, "tabletop", "problem.pddl", "wrong.txt", "--json").stdout)["plans"]
    assert len(told["errors"]) == 3 and told["error"] == f"{told['errors'][0]} (and 2 more)"
    (tmp_path / "wrong.txt").write_text("(fly)\n" * 30)
    done = validate(tmp_path, "tabletop", "problem.pddl", "wrong.txt")
    assert done.stderr.count("tamp: error: ") == 21
    assert "\ntamp: error: … and 10 more like these\ntamp: note: " in done.stderr


def test_what_fails_after_the_step_that_fails_is_listed(tmp_path: Path) -> None:
    plan = "(pick dish bench)\n(place-in dish chest)\n(close-drawer chest)\n"
    (tmp_path / "wrong.txt").write_text(plan)
    done = validate(tmp_path, "tabletop", "problem.pddl", "wrong.txt")
    first, rest = done.stdout.split("  if (pick dish bench) were done all the same:\n")
    assert first.startswith("wrong.txt:1: invalid at step 1, (pick dish bench): needs (clear dish)")
    assert rest.startswith("    wrong.txt:2: step 2, (place-in dish chest): needs (open chest), which does not")
    (told,) = json.loads(validate(tmp_path, "tabletop", "problem.pddl", "wrong.txt", "--json").stdout)["plans"]
    assert told["failed"] == {"step": 1, "line": 1, "action": "(pick dish bench)"}
    assert told["further"][0] == {
        "step": 2,
        "line": 2,
        "action": "(place-in dish chest)",
        "message": "needs (open chest), which does not hold then",
        "unmet": ["(open chest)"],
        "values": {},
    }


def test_json_says_the_same(tmp_path: Path) -> None:
    done = validate(tmp_path, "tabletop", "problem.pddl", "bad.txt", "--json")
    answer = json.loads(done.stdout)
    (judged,) = answer["plans"]
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


def test_the_trace_is_printed_when_asked_for(tmp_path: Path) -> None:
    done = validate(tmp_path, "tabletop", "problem.pddl", "good.txt", "--trace")
    assert "\n  (close-drawer chest): (closed chest) (not (open chest))\n" in done.stdout


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
    (told,) = json.loads(validate(tmp_path, "lost.json", "--world", BENCH, "--json").stdout)["plans"]
    assert [(b["step"], b["path"], b["line"], b["column"]) for b in told["breaches"]] == [(1, "name", 2, 40)]


def test_a_world_that_cannot_be_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "world.toml").write_text('arm = "ur5"\n')
    done = validate(tmp_path, "arm.json", "--world", "world.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tamp: error: world.toml:1: there is no arm 'ur5'; valid: xarm5, ")
    done = validate(tmp_path, "tabletop", "problem.pddl", "good.txt", "--world", BENCH)
    assert done.returncode == 2
    assert done.stderr == "tamp: error: good.txt is no xArm action plan, and --world is for those\n"


TRIP = """(define (domain trip) (:requirements :typing :numeric-fluents) (:types place)
  (:predicates (at ?p - place)) (:functions (far ?a ?b - place) (fuel))
  (:action drive :parameters (?a ?b - place) :precondition (and (at ?a) (>= (fuel) (far ?a ?b)))
    :effect (and (not (at ?a)) (at ?b) (decrease (fuel) (far ?a ?b)))))
"""
FAR = """(define (problem far) (:domain trip) (:objects a b c - place)
  (:init (at a) (= (fuel) 5) (= (far a b) 2.5) (= (far b c) 4)) (:goal (and (at c) (>= (fuel) 1))))
"""


def test_a_number_that_is_too_small_is_told_with_its_value(tmp_path: Path) -> None:
    for name, text in (("trip.pddl", TRIP), ("far.pddl", FAR), ("far.txt", "(drive a b)\n(drive b c)\n")):
        (tmp_path / name).write_text(text)
    plan, page = ("trip.pddl", "far.pddl", "far.txt", "--mend-seconds", "0"), tmp_path / "far.html"
    first = "needs (<= (far b c) (fuel)), which does not hold then: (far b c) is 4, (fuel) is 2.5"
    goal = "needs (<= 1 (fuel)), which does not hold then: (fuel) is -1.5"
    said = validate(tmp_path, *plan, "--html", str(page)).stdout
    assert f"far.txt:2: invalid at step 2, (drive b c): {first}\n" in said
    assert f"far.txt: the goal {goal}\n" in said
    (told,) = json.loads(validate(tmp_path, *plan, "--json").stdout)["plans"]
    assert (told["message"], told["unmet"][0]["values"]) == (first, {"(far b c)": 4, "(fuel)": 2.5})
    assert (told["further"][-1]["message"], told["further"][-1]["values"]) == (goal, {"(fuel)": -1.5})
    shown = html.unescape(page.read_text())
    assert first in shown and goal in shown


OVEN = """(define (domain oven)
 (:requirements :strips :typing :durative-actions :negative-preconditions)
 (:types loaf - object)
 (:predicates (hot) (baked ?l - loaf) (free))
 (:durative-action heat :parameters () :duration (and (>= ?duration 2) (<= ?duration 20))
  :condition (and (at start (not (hot)))) :effect (and (at start (hot)) (at end (not (hot)))))
 (:durative-action bake :parameters (?l - loaf) :duration (= ?duration 3)
  :condition (and (at start (free)) (over all (hot)))
  :effect (and (at start (not (free))) (at end (free)) (at end (baked ?l)))))
"""
BAKERY = """(define (problem bakery) (:domain oven) (:objects rye oat - loaf)
 (:init (free)) (:goal (and (baked rye) (baked oat))))
"""
TIMED = {
    "good.txt": "0: (heat) [9]\n1: (bake rye) [3]\n4.5: (bake oat) [3]\n",
    "early.txt": "0: (heat) [6]\n1: (bake rye) [3]\n4.5: (bake oat) [3]\n",
    "crossed.txt": "0: (heat) [9]\n1: (bake rye) [3]\n4: (bake oat) [3]\n",
}


def timed(folder: Path, *plans: str) -> subprocess.CompletedProcess[str]:
    for name, text in {"oven.pddl": OVEN, "bakery.pddl": BAKERY, **TIMED}.items():
        (folder / name).write_text(text)
    return tamp("validate", "oven.pddl", "bakery.pddl", *plans, cwd=folder)


def test_plans_by_the_clock_are_judged_each_for_itself(tmp_path: Path) -> None:
    done = timed(tmp_path, "good.txt", "early.txt", "crossed.txt")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == (
        "good.txt: valid, 3 steps\n"
        "early.txt:3: invalid at step 3, (bake oat): needs (hot), which does not hold then\n"
        "  (hot): made false by step 1, (heat)\n"
        "  no repair is looked for in plans with times\n"
        "crossed.txt:3: invalid at step 3, (bake oat): cannot happen at the same time as step 2, because of (free)\n"
        "  no repair is looked for in plans with times\n"
    )


def test_times_that_are_taken_as_rounded_are_printed(tmp_path: Path) -> None:
    third = OVEN.replace("(= ?duration 3)", "(= ?duration (/ 10 3))").replace(":typing", ":typing :fluents")
    (tmp_path / "third.pddl").write_text(third)
    (tmp_path / "bakery.pddl").write_text(BAKERY)
    (tmp_path / "third.txt").write_text("0: (heat) [9]\n1.000: (bake rye) [3.333]\n4.334: (bake oat) [3.333]\n")
    done = tamp("validate", "third.pddl", "bakery.pddl", "third.txt", cwd=tmp_path)
    told = "  within the rounding of the printed times: steps 2, 3\n"
    assert (done.returncode, done.stdout) == (0, f"third.txt: valid, 3 steps\n{told}")


CONTINUOUS = data_dir("problems") / "continuous"


def test_overlaps_on_one_resource_and_too_short_ones_are_refused(tmp_path: Path) -> None:
    good = (CONTINUOUS / "good.plan").read_text()
    plans = {
        "good.plan": good,
        "overlap.plan": good.replace("8.5: (wipe", "5.0: (wipe"),
        "short.plan": good.replace("(wipe table) [6.0]", "(wipe table) [0.5]"),
    }
    for name, text in plans.items():
        (tmp_path / name).write_text(text)
    done = tamp("validate", "continuous", CONTINUOUS / "problem.pddl", *plans, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "good.plan: valid, 4 steps\n" in done.stdout
    assert "overlap.plan:4: invalid at step 4, (wipe table): needs (arm-free)" in done.stdout
    assert "short.plan:4: invalid at step 4, (wipe table)" in done.stdout
