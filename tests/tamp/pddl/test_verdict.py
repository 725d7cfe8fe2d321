"""Verdicts on plans: the step that fails, what it lacks, who took that away, what would help."""

from __future__ import annotations

import pytest

from tamp.files.source import Source
from tamp.pddl.plan_file import resolve
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.reading import parse
from tamp.pddl.verdict import Judge, Unmet, Verdict

SHOP = """(define (domain shop)
  (:requirements :typing :negative-preconditions :disjunctive-preconditions :equality :conditional-effects
                 :existential-preconditions :universal-preconditions :numeric-fluents :action-costs)
  (:types place good - object)
  (:predicates (at ?p - place) (has ?g - good) (open ?p - place) (wet) (umbrella) (sold ?g - good ?p - place))
  (:functions (money) (price ?g - good) (total-cost))
  (:action go :parameters (?a ?b - place) :precondition (and (at ?a) (not (= ?a ?b)))
    :effect (and (not (at ?a)) (at ?b) (when (not (umbrella)) (wet)) (increase (total-cost) 3)))
  (:action buy :parameters (?g - good ?p - place)
    :precondition (and (at ?p) (sold ?g ?p) (or (open ?p) (umbrella)) (>= (money) (price ?g)))
    :effect (and (has ?g) (decrease (money) (price ?g)) (increase (total-cost) 1)))
  (:action rest :parameters () :precondition (not (wet)) :effect ())
  (:action dry :parameters () :precondition () :effect (and (not (wet)) (increase (total-cost) 1)))
  (:action settle :parameters () :precondition (forall (?g - good) (has ?g)) :effect (umbrella)))
"""
TRIP = """(define (problem trip) (:domain shop)
  (:objects home market - place tea rice - good)
  (:init (at home) (open market) (sold tea market) (sold rice market)
         (= (money) 5) (= (price tea) 3) (= (price rice) 4) (= (total-cost) 0))
  (:goal (and (has tea) (at home) (not (wet)))) (:metric minimize (total-cost)))
"""


def verdict(plan: str, old: str = "", new: str = "", trace: bool = False) -> Verdict:
    assert old in TRIP
    problem = parse(Source("shop", SHOP), Source("trip", TRIP.replace(old, new) if old else TRIP))
    return Judge.of(problem).judge(resolve(read_plan(Source("plan", plan)), problem), trace)


def test_a_valid_plan_has_its_cost() -> None:
    told = verdict("(go home market)\n(buy tea market)\n(go market home)\n(dry)")
    assert (told.valid, told.length, told.cost, told.unmet) == (True, 4, 8.0, ())


def test_the_step_that_took_a_condition_away_is_named() -> None:
    told = verdict("(go home market)\n(buy tea market)\n(go home market)")
    assert (told.valid, told.failed_at) == (False, 3)
    assert told.unmet == (Unmet("(at home)", 1, "(go market home) makes it true and can be done there"),)


def test_what_was_never_true_says_so() -> None:
    told = verdict("(buy tea market)")
    assert told.unmet == (Unmet("(at market)", None, "(go home market) makes it true and can be done there"),)


def test_a_goal_that_is_missed_is_told_like_a_step() -> None:
    told = verdict("(go home market)\n(buy tea market)\n(go market home)")
    assert (told.failed_at, [u.literal for u in told.unmet]) == (None, ["(not (wet))"])
    assert told.unmet[0].lost_at == 1 and "(dry)" in told.unmet[0].hint
    assert told.message == "needs (not (wet)), which does not hold then"


@pytest.mark.parametrize(
    ("plan", "old", "new", "literal"),
    [
        ("(go home market)\n(buy tea market)\n(buy rice market)", "", "", "(<= (price rice) (money))"),
        ("(go home market)\n(buy tea market)", "(open market) ", "", "(or (open market) (umbrella))"),
        ("(go home home)", "", "", "(not (= home home))"),
        ("(settle)", "", "", "(has tea)"),
    ],
)
def test_every_kind_of_condition_is_written_in_pddl(plan: str, old: str, new: str, literal: str) -> None:
    told = verdict(plan, old, new)
    assert not told.valid
    assert literal in [u.literal for u in told.unmet]


def test_a_number_that_was_enough_once_was_lost_at_a_step() -> None:
    told = verdict("(go home market)\n(buy tea market)\n(buy rice market)")
    assert [u.lost_at for u in told.unmet] == [2]


def test_what_no_operator_brings_about_says_so() -> None:
    told = verdict("(go home market)\n(buy tea market)", "(sold tea market) ", "")
    assert told.unmet == (Unmet("(sold tea market)", None, "no operator makes it true"),)


def test_a_step_that_changes_nothing_can_be_taken() -> None:
    assert verdict("(rest)\n(go home market)\n(buy tea market)\n(go market home)\n(dry)").valid
    wet = verdict("(go home market)\n(rest)")
    assert (wet.failed_at, [u.literal for u in wet.unmet]) == (2, ["(not (wet))"])


def test_an_empty_plan_is_judged_by_the_goal() -> None:
    assert verdict("; nothing", "(has tea) ", "").valid
    assert not verdict("; nothing").valid


def test_the_trace_says_what_each_step_changed() -> None:
    told = verdict("(go home market)\n(buy tea market)\n(rest)", trace=True)
    assert told.failed_at == 3
    assert [set(c) for c in told.changes] == [
        {"(not (at home))", "(at market)", "(wet)"},
        {"(has tea)", "(= (money) 2)"},
    ]


def test_a_judge_serves_any_number_of_plans() -> None:
    problem = parse(Source("shop", SHOP), Source("trip", TRIP))
    judge = Judge.of(problem)
    good = resolve(read_plan(Source("p", "(go home market)\n(buy tea market)\n(go market home)\n(dry)")), problem)
    assert [judge.judge(good[:n]).valid for n in (4, 3, 4)] == [True, False, True]
