"""Which step is told to have made a condition false."""

from __future__ import annotations

import pytest

from tamp.files.source import Source
from tamp.pddl.judges import judge_of, verdict_on
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.reading import parse

DOMAIN = """(define (domain lamps) (:requirements :strips :typing :adl :fluents)
 (:types lamp - object) (:predicates (lit ?l - lamp) (never)) (:functions (power))
 (:action on :parameters (?l - lamp) :precondition () :effect (and (lit ?l) (decrease (power) 1)))
 (:action off :parameters (?l - lamp) :precondition () :effect (not (lit ?l)))
 (:action cut :parameters () :precondition () :effect (forall (?l - lamp) (when (lit ?l) (not (lit ?l)))))
 (:action same :parameters (?l - lamp) :precondition () :effect (when (never) (not (lit ?l)))))
"""
PROBLEM = "(define (problem p) (:domain lamps) (:objects a b - lamp) (:init (= (power) 2)) (:goal {goal}))"


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
    judge = judge_of(parse(Source("domain", DOMAIN), Source("problem", PROBLEM.format(goal=goal))))
    (unmet, *_) = verdict_on(read_plan(Source("plan", plan.replace(")(", ")\n("))), judge).unmet
    assert unmet.lost_at == lost_at
