"""Repairs of plans: valid after them, the planner's rest after what can be done, honest answers without any."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tamp.api.judging import RepairBudget, judged
from tamp.files.source import Source
from tamp.pddl.edits import Edit, Repair
from tamp.pddl.judges import judge_of
from tamp.pddl.plan_file import BadPlan
from tamp.pddl.reading import parse, read_problem
from tests import walked_plans
from tests.walked_plans import ROOT, spoilt, walked

pytestmark = pytest.mark.process

SECONDS = 60.0
"""What is found, not how soon, is tested: the machine may be busy."""
DISHES = ROOT / "tests" / "pages" / "dishes" / "problem.pddl"
GOOD = (
    "(open-drawer chest)",
    "(pick cup dish)",
    "(place-on cup bench)",
    "(pick dish bench)",
    "(place-in dish chest)",
    "(close-drawer chest)",
)


def repaired(steps: list[str] | tuple[str, ...], problem: Any = None, seconds: float = SECONDS) -> Repair:
    judge = judge_of(problem or read_problem("tabletop", DISHES)[2])
    try:
        return judged(Source("plan", "\n".join(steps) or "; none"), judge, budget=RepairBudget(seconds)).verdict.repair
    except BadPlan as e:
        return e.repair


@pytest.mark.parametrize(
    ("steps", "edits"),
    [
        (  # one step is not there, another has a wrong argument
            [GOOD[0], GOOD[1], "(place-on cup dish)", GOOD[4], GOOD[5]],
            [Edit("replace", 3, GOOD[2]), Edit("add", None, GOOD[3], 4)],
        ),
        (GOOD[:-1], [Edit("add", None, GOOD[5], 6)]),
        (  # an unknown object and an unknown operator
            [GOOD[0], "(pick cup dsh)", *GOOD[2:5], "(close-drawr chest)"],
            [Edit("replace", 2, GOOD[1]), Edit("replace", 6, GOOD[5])],
        ),
        (["(put the dish away)", *GOOD], [Edit("leave out", 1)]),
        ([*GOOD, "(pick cup dish)"], [Edit("leave out", 7)]),
        ([GOOD[0], "and then", *GOOD[2:]], [Edit("replace", 2, GOOD[1])]),
    ],
)
def test_what_the_planner_does_after_the_steps_that_can_be_done(steps: list[str], edits: list[Edit]) -> None:
    found = repaired(steps)
    assert (found.steps, list(found.edits)) == (list(GOOD), edits)


def test_a_plan_is_begun_again_where_the_goal_is_lost_for_good() -> None:
    """The first step eats what the second one needs."""
    domain = """(define (domain meal) (:predicates (raw) (cooked) (gone))
      (:action eat :parameters () :precondition (raw) :effect (and (gone) (not (raw))))
      (:action cook :parameters () :precondition (raw) :effect (and (cooked) (not (raw)))))"""
    problem = parse(
        Source("d", domain), Source("p", "(define (problem p) (:domain meal) (:init (raw)) (:goal (cooked)))")
    )
    assert repaired(["(eat)", "(cook)"], problem).edits == (Edit("leave out", 1),)
    lost = problem.clone()
    lost.add_goal(lost.fluent("gone"))
    assert repaired(["(eat)", "(cook)"], lost) == Repair(why_none="no repair was found: the goal cannot be reached")


def test_numbers_and_times_get_an_honest_answer() -> None:
    folder = ROOT / "problems" / "cases" / "watering_can"
    garden = read_problem(str(folder), folder / "problem.pddl")[2]
    unsupported = "no repair was found: fast-downward does not support"
    assert repaired(["(water roses)"], garden).why_none.startswith(unsupported)
    oven = ROOT / "tests" / "pages" / "oven"
    timed = judge_of(read_problem(str(oven / "oven.pddl"), oven / "bakery.pddl")[2])
    early = judged(Source("plan", (oven / "early.txt").read_text()), timed).verdict
    assert early.repair == Repair(why_none="no repair is looked for in plans with times")


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.thorough) for n in (1, 2))])
@pytest.mark.parametrize("name", ["tests/walks/many_things.pddl", "problems/xarm/cup_to_bin.pddl"])
def test_any_plan_with_two_mistakes_is_repaired(name: str, seed: int) -> None:
    file, rng = ROOT / name, random.Random(f"{name} {seed}")
    problem, good = walked(walked_plans.domain_of(Path(file)), file, 8, rng)
    bad, _ = spoilt(good, problem, 2, rng)
    found = repaired([str(act) for act in bad], problem)
    after = Source("plan", "\n".join(found.steps or map(str, bad)) or "; none")
    assert judged(after, judge_of(problem), budget=RepairBudget(0)).verdict.valid
