"""`tamp validate` with plans by the clock, several at once."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.forked import tamp

pytestmark = pytest.mark.process

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
PLANS = {
    "good.txt": "0: (heat) [9]\n1: (bake rye) [3]\n4.5: (bake oat) [3]\n",
    "early.txt": "0: (heat) [6]\n1: (bake rye) [3]\n4.5: (bake oat) [3]\n",
    "alien.txt": "0: (heat) [9]\n1: (fry rye) [3]\n",
    "crossed.txt": "0: (heat) [9]\n1: (bake rye) [3]\n4: (bake oat) [3]\n",
}


def validate(folder: Path, *words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    for name, text in {"oven.pddl": OVEN, "bakery.pddl": BAKERY, **PLANS}.items():
        (folder / name).write_text(text)
    return tamp("validate", "oven.pddl", "bakery.pddl", *words, cwd=folder, given=stdin or "")


def test_plans_by_the_clock_are_judged_each_for_itself(tmp_path: Path) -> None:
    done = validate(tmp_path, "good.txt", "early.txt", "crossed.txt")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == (
        "good.txt: valid, 3 steps\n"
        "early.txt:3: invalid at step 3, (bake oat): needs (hot), which does not hold then\n"
        "  (hot): made false by step 1, (heat)\n"
        "  no repair is looked for in plans with times\n"
        "crossed.txt:3: invalid at step 3, (bake oat): cannot happen at the same time as step 2, because of (free)\n"
        "  no repair is looked for in plans with times\n"
    )


@pytest.mark.parametrize(("plan", "code"), [("good.txt", 0), ("early.txt", 1), ("alien.txt", 2), ("none.txt", 2)])
def test_the_exit_code_is_the_verdict(plan: str, code: int, tmp_path: Path) -> None:
    done = validate(tmp_path, plan)
    assert done.returncode == code
    assert (done.stdout == "") is (code == 2)


def test_a_plan_that_cannot_be_read_does_not_keep_the_others_from_being_judged(tmp_path: Path) -> None:
    done = validate(tmp_path, "alien.txt", "-", "--json", stdin=PLANS["early.txt"])
    answer = json.loads(done.stdout)
    assert (done.returncode, [p["valid"] for p in answer["plans"]]) == (2, [None, False])
    assert "there is no operator 'fry'" in answer["plans"][0]["error"]
    assert answer["plans"][1]["failed"] == {"step": 3, "line": 3, "action": "(bake oat)"}
    assert answer["plans"][1]["unmet"] == [
        {"literal": "(hot)", "lost_at": 1, "hint": "", "lost_time": None, "values": {}, "lost_by": "(heat)"}
    ]


def test_times_that_are_taken_as_rounded_are_printed(tmp_path: Path) -> None:
    third = OVEN.replace("(= ?duration 3)", "(= ?duration (/ 10 3))").replace(":typing", ":typing :fluents")
    (tmp_path / "third.pddl").write_text(third)
    (tmp_path / "bakery.pddl").write_text(BAKERY)
    (tmp_path / "third.txt").write_text("0: (heat) [9]\n1.000: (bake rye) [3.333]\n4.334: (bake oat) [3.333]\n")
    done = tamp("validate", "third.pddl", "bakery.pddl", "third.txt", cwd=tmp_path)
    told = "  within the rounding of the printed times: steps 2, 3\n"
    assert (done.returncode, done.stdout) == (0, f"third.txt: valid, 3 steps\n{told}")
