"""What else is wrong with a plan, once a step of it cannot be taken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tamp.data import data_dir
from tamp.files.source import Source
from tamp.pddl.plan_file import resolve
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.reading import parse, read_problem
from tamp.pddl.verdict import MOST_FURTHER, Further, Judge
from tests.val import validate

ROADS = """(define (domain roads)
  (:requirements :typing :negative-preconditions :numeric-fluents :conditional-effects)
  (:types place)
  (:predicates (at ?p - place) (road ?a ?b - place) (seen ?p - place) (tired))
  (:functions (fuel) (debt))
  (:action go :parameters (?a ?b - place) :precondition (and (at ?a) (road ?a ?b) (>= (fuel) 1))
    :effect (and (not (at ?a)) (at ?b) (seen ?b) (decrease (fuel) 1) (when (not (seen ?a)) (tired))))
  (:action fill :parameters () :precondition (not (tired)) :effect (increase (fuel) 1))
  (:action borrow :parameters () :precondition () :effect (increase (debt) 1)))
"""
TRIP = """(define (problem trip) (:domain roads) (:objects a b c d - place)
  (:init (at a) (seen a) (road a b) (road b c) (road c d) (= (fuel) 2)) (:goal (and (at d) (seen c))))
"""


@pytest.fixture
def judge() -> Judge:
    return Judge.of(parse(Source("roads", ROADS), Source("trip", TRIP)))


def told(judge: Judge, plan: str) -> tuple[int | None, list[tuple[int | None, tuple[str, ...]]]]:
    verdict = judge.judge(resolve(read_plan(Source("plan", plan)), judge.problem))
    return verdict.failed_at, [(f.step, f.unmet) for f in verdict.further]


def test_each_later_step_is_judged_as_if_those_that_fail_were_done(judge: Judge) -> None:
    leap = "(go a c)\n(go c d)\n(go d b)"  # there is no road a c, and none d b; fuel for two
    assert told(judge, leap) == (1, [(3, ("(road d b)", "(<= 1 (fuel))")), (None, ("(at d)",))])


def test_conditional_effects_and_numbers_are_followed_too(judge: Judge) -> None:
    assert told(judge, "(go b c)\n(fill)\n(go c d)") == (1, [(2, ("(not (tired))",))])


def test_a_plan_without_another_mistake_has_none(judge: Judge) -> None:
    assert told(judge, "(go a b)\n(go b c)\n(go c d)") == (3, []), "one step short of fuel, and nothing else"
    valid = "(go a b)\n(fill)\n(go b c)\n(go c d)"
    assert told(judge, valid) == (None, [])
    assert judge.judge(resolve(read_plan(Source("plan", valid)), judge.problem)).valid


def test_what_cannot_be_done_at_all_leaves_things_as_they_are(judge: Judge) -> None:
    verdict = judge.judge(resolve(read_plan(Source("plan", "(borrow)\n(go b c)\n(borrow)\n(go c d)")), judge.problem))
    assert verdict.failed_at == 1 and "(debt)" in verdict.message
    assert verdict.further[0] == Further(2, "needs (at b), which does not hold then", ("(at b)",))
    assert [f.step for f in verdict.further] == [2, 3]


def test_a_plan_that_is_all_wrong_is_not_told_to_its_end(judge: Judge) -> None:
    failed, rest = told(judge, "(go d a)\n" * 40)
    assert failed == 1 and len(rest) == MOST_FURTHER


@pytest.mark.process
def test_val_lists_the_same_steps_when_it_goes_on(tmp_path: Path) -> None:
    domain = data_dir("domains") / "tabletop" / "domain.pddl"
    problem, plan = tmp_path / "p.pddl", tmp_path / "p.plan"
    problem.write_text(
        "(define (problem p) (:domain tabletop) (:objects cup dish - item bench - surface chest - drawer)"
        "(:init (hand-empty) (on dish bench) (on cup dish) (clear cup) (closed chest)) (:goal (in dish chest)))"
    )
    plan.write_text("(pick cup dish)\n(pick dish bench)\n(place-in dish chest)\n(close-drawer chest)\n")
    judge = Judge.of(read_problem(domain, problem)[2])
    failed, rest = told(judge, plan.read_text())
    said = validate(domain, problem, plan, "-v", "-c").output
    advice = re.findall(r"has an unsatisfied precondition at time (\d+)", said)
    assert [failed, *(step for step, _ in rest)] == [*map(int, advice)] == [2, 3, 4]
