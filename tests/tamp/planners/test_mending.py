"""The fewest changes that make a plan valid: several mistakes at once, unknown names, honest answers without any."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tamp.api.judging import Mending, judged
from tamp.files.source import Source
from tamp.pddl.reading import parse, read_problem
from tamp.planners import mending
from tamp.plans.edits import Edit, Mend
from tamp.plans.judges import judge_of, read_for
from tamp.plans.steps import BadPlan
from tests import walked_plans
from tests.walked_plans import ROOT, spoilt, walked

pytestmark = pytest.mark.process

SECONDS = 60.0
"""What is found, not how soon, is looked at: the machine may be busy."""
DISHES = ROOT / "tests" / "pages" / "dishes" / "problem.pddl"
GOOD = (
    "(open-drawer chest)",
    "(pick cup dish)",
    "(place-on cup bench)",
    "(pick dish bench)",
    "(place-in dish chest)",
    "(close-drawer chest)",
)


def mend(steps: list[str] | tuple[str, ...], problem: Any = None, seconds: float = SECONDS) -> Mend:
    """What the engine says to a plan, valid or not, whose steps may be of another problem."""
    judge = judge_of(problem or read_problem("tabletop", DISHES)[2])
    try:
        plan = read_for(Source("plan", "\n".join(steps)), judge.problem)
    except BadPlan as e:
        plan = e.plan
    return mending.mend(plan, judge, seconds)


@pytest.mark.parametrize(
    ("steps", "edits"),
    [
        (  # one step is not there, another has a wrong argument
            [GOOD[0], GOOD[1], "(place-on cup dish)", GOOD[4], GOOD[5]],
            {Edit("replace", 3, GOOD[2]), Edit("add", None, GOOD[3], 4)},
        ),
        (  # a step is too late, another one is not there
            [GOOD[0], GOOD[2], GOOD[1], GOOD[3], GOOD[5]],
            {Edit("move", 2, GOOD[2], 4), Edit("add", None, GOOD[4], 5)},
        ),
        (  # a step too many, and one is not there
            [*GOOD[:2], "(open-drawer chest)", *GOOD[2:4], GOOD[5]],
            {Edit("leave out", 3), Edit("add", None, GOOD[4], 6)},
        ),
        (  # an unknown object and an unknown operator, and one step is not there
            [GOOD[0], "(pick cup dsh)", *GOOD[2:4], "(close-drawr chest)"],
            {Edit("replace", 2, GOOD[1]), Edit("add", None, GOOD[4], 5), Edit("replace", 5, GOOD[5])},
        ),
        (["(put the dish away)", *GOOD], {Edit("leave out", 1)}),
        ([GOOD[0], "and then", *GOOD[2:]], {Edit("replace", 2, GOOD[1])}),
        ([*GOOD[:2], "(place-on cup)", *GOOD[3:]], {Edit("replace", 3, GOOD[2])}),
    ],
)
def test_the_fewest_changes_are_found(steps: list[str], edits: set[Edit]) -> None:
    found = mend(steps)
    assert (found.steps, set(found.edits), len(found.edits)) == (list(GOOD), edits, len(edits))


def test_more_changes_than_are_looked_for_are_said_to_be_none() -> None:
    found = mend(["(open-drawer chest)"])
    assert (found.words, found.edits, found.steps) == ("", (), [])
    assert found.why_none == "no mend with 3 changes or fewer was found"


def test_the_time_limit_is_kept_and_told() -> None:
    assert mend(GOOD[1:4], seconds=0.01).why_none == "no mend with 3 changes or fewer was found within 0.01 s"
    long = mend(["(open-drawer chest)"] * (mending.LONGEST + 1))
    assert long.why_none == f"several changes are not looked for in plans of more than {mending.LONGEST} steps"


def test_what_the_judge_does_not_find_valid_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {"kind": "end", "edits": [{"kind": "leave out", "step": 1, "action": None, "before": None}]}
    monkeypatch.setattr(mending, "_found", lambda *given: wrong)
    assert mend(GOOD[1:4]) == Mend(why_none="no mend with 3 changes or fewer was found")


def test_an_engine_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: Any) -> Any:
        raise RuntimeError("out of order")

    monkeypatch.setattr(mending, "_found", fails)
    assert mend(GOOD[1:4]).why_none == "the search for several changes failed: out of order"


def test_without_the_engine_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mending, "installed", lambda name: False)
    told = judged(Source("plan", "\n".join(GOOD[1:4])), judge_of(read_problem("tabletop", DISHES)[2])).verdict
    assert told.mended.why_none.endswith("tried: fast-downward is not installed (extra fast-downward)")


def test_numbers_and_times_get_an_honest_answer() -> None:
    folder = ROOT / "problems" / "cases" / "watering_can"
    judge = judge_of(read_problem(str(folder), folder / "problem.pddl")[2])
    (operator, *_) = judge.problem.actions
    objects = " ".join(next(iter(judge.problem.objects(p.type))).name for p in operator.parameters)
    told = judged(Source("plan", f"({operator.name} {objects})\n" * 9), judge).verdict
    assert not told.valid and (told.mend or "does not support" in told.mended.why_none)
    oven = ROOT / "tests" / "pages" / "oven"
    timed = judge_of(read_problem(str(oven / "oven.pddl"), oven / "bakery.pddl")[2])
    early = judged(Source("plan", (oven / "early.txt").read_text()), timed).verdict
    assert early.mended == Mend(why_none="no mend is looked for in plans with times")


def test_names_of_the_problem_are_no_matter() -> None:
    domain = """(define (domain odd) (:requirements :strips :negative-preconditions)
      (:predicates (ready) (free) (next-0) (due-0) (asked-keep-0))
      (:action keep-0 :parameters () :precondition (not (ready)) :effect (ready))
      (:action add--1 :parameters () :precondition (ready) :effect (free))
      (:action keep-0-asked :parameters () :precondition (free) :effect (and (next-0) (not (free)))))"""
    problem = parse(Source("d", domain), Source("p", "(define (problem p) (:domain odd) (:init) (:goal (next-0)))"))
    assert mend(["(keep-0-asked)"], problem).steps == ["(keep-0)", "(add--1)", "(keep-0-asked)"]


def test_one_mistake_is_told_as_ever_and_takes_no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mending, "_found", lambda *given: pytest.fail("asked"))
    judge = judge_of(read_problem("tabletop", DISHES)[2])
    verdict = judged(Source("plan", "\n".join(GOOD[:-1])), judge).verdict
    assert verdict.mend == "valid with (close-drawer chest) at the end"
    assert verdict.mended.edits == (Edit("add", None, "(close-drawer chest)", 6),)
    assert verdict.mended.steps == list(GOOD)


def test_the_time_for_all_plans_of_a_call_is_limited() -> None:
    purse, judge = Mending(SECONDS), judge_of(read_problem("tabletop", DISHES)[2])
    purse._left = SECONDS - 1
    verdict = judged(Source("plan", "\n".join(GOOD[1:4])), judge, mending=purse).verdict
    assert verdict.mended.why_none == "no mend is looked for: the time for it was spent on the plans before"
    assert judged(Source("plan", "\n".join(GOOD[1:4])), judge, mending=Mending(0)).verdict.mended == Mend()


def valid(steps: list[str], problem: Any) -> bool:
    try:
        return judged(Source("plan", "\n".join(steps) or "; none"), judge_of(problem), mending=Mending(0)).verdict.valid
    except BadPlan:
        return False


CHANGES = {"swap": 2}
"""Changes that undo a mistake; one for the others."""


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "name",
    ["tests/walks/many_things.pddl", "problems/meaning/museum_night/problem.pddl", "problems/xarm/cup_to_bin.pddl"],
)
def test_any_plan_with_two_mistakes_is_mended_by_no_more_changes_than_undo_them(name: str, seed: int) -> None:
    file, rng = ROOT / name, random.Random(f"{name} {seed}")
    problem, good = walked(walked_plans.domain_of(Path(file)), file, 8, rng)
    bad, mistakes = spoilt(good, problem, 2, rng)
    if valid([str(act) for act in bad], problem):
        return
    found = mend([str(act) for act in bad], problem)
    undone = sum(CHANGES.get(mistake, 1) for mistake in mistakes)
    if undone <= mending.MOST_CHANGES:
        assert found.words and 0 < len(found.edits) <= undone, (mistakes, found)
    assert valid(found.steps, problem) == bool(found.words)
