"""Verdicts on plans: the step that fails, what it lacks, who took that away, what would help."""

from __future__ import annotations

import pytest

from tamp.files.source import Source
from tamp.pddl.judges import judge_of, verdict_on
from tamp.pddl.plan_file import resolve
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.reading import parse
from tamp.pddl.verdict import Judge, Verdict

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
    shown = verdict("(go home market)\n(buy tea market)\n(go market home)\n(dry)")
    assert (shown.valid, shown.length, shown.cost, shown.unmet) == (True, 4, 8.0, ())


def test_a_goal_that_is_missed_is_told_like_a_step() -> None:
    shown = verdict("(go home market)\n(buy tea market)\n(go market home)")
    assert (shown.failed_at, [u.literal for u in shown.unmet]) == (None, ["(not (wet))"])
    assert shown.unmet[0].lost_at == 1 and "(dry)" in shown.unmet[0].hint
    assert shown.message == "needs (not (wet)), which does not hold then"


def test_the_trace_says_what_each_step_changed() -> None:
    shown = verdict("(go home market)\n(buy tea market)\n(rest)", trace=True)
    assert shown.failed_at == 3
    assert [set(c) for c in shown.changes] == [
        {"(not (at home))", "(at market)", "(wet)"},
        {"(has tea)", "(= (money) 2)"},
    ]


LAMPS = """(define (domain lamps) (:requirements :strips :typing :adl :fluents)
 (:types lamp - object) (:predicates (lit ?l - lamp) (never)) (:functions (power))
 (:action on :parameters (?l - lamp) :precondition () :effect (and (lit ?l) (decrease (power) 1)))
 (:action off :parameters (?l - lamp) :precondition () :effect (not (lit ?l)))
 (:action cut :parameters () :precondition () :effect (forall (?l - lamp) (when (lit ?l) (not (lit ?l)))))
 (:action same :parameters (?l - lamp) :precondition () :effect (when (never) (not (lit ?l)))))
"""
LIGHTS = "(define (problem p) (:domain lamps) (:objects a b - lamp) (:init (= (power) 2)) (:goal {goal}))"


@pytest.mark.parametrize(
    ("plan", "goal", "lost_at"),
    [
        ("(on a)(off a)(on b)(off b)", "(lit a)", 2),
        ("(on a)(off a)(on a)(off a)(off a)", "(lit a)", 4),
        ("(on b)(off b)", "(lit a)", None),
        ("(on a)(same a)(cut)(same a)(off a)", "(lit a)", 3),
        ("(on a)(on b)(off a)", "(forall (?l - lamp) (lit ?l))", 3),
        ("(on a)(off b)(off a)", "(exists (?l - lamp) (lit ?l))", 3),
        ("(on a)(on b)(off a)", "(>= (power) 1)", 2),
        ("(off b)(on a)", "(not (lit a))", 2),
        ("(on a)(off a)", "(never)", None),
    ],
)
def test_the_last_step_that_took_it_away(plan: str, goal: str, lost_at: int | None) -> None:
    judge = judge_of(parse(Source("domain", LAMPS), Source("problem", LIGHTS.format(goal=goal))))
    (unmet, *_) = verdict_on(read_plan(Source("plan", plan.replace(")(", ")\n("))), judge).unmet
    assert unmet.lost_at == lost_at
