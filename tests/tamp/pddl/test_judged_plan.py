"""Plans of engines are judged before they are told, those with times too."""

from __future__ import annotations

from fractions import Fraction

import pytest
from unified_planning.plans import ActionInstance, TimeTriggeredPlan

from tamp.files.source import Source
from tamp.pddl.ask import FoundPlan, judged_plan
from tamp.pddl.reading import parse

DOMAIN = """(define (domain oven) (:requirements :strips :typing :durative-actions :negative-preconditions)
 (:predicates (hot) (baked))
 (:durative-action heat :parameters () :duration (= ?duration 5)
  :condition (at start (not (hot))) :effect (and (at start (hot)) (at end (not (hot)))))
 (:durative-action bake :parameters () :duration (= ?duration 3) :condition (over all (hot)) :effect (at end (baked))))
"""
PROBLEM = "(define (problem p) (:domain oven) (:init) (:goal (baked)))"


@pytest.mark.parametrize(
    ("bake", "says"),
    [
        (Fraction(1), (("0.000", "5.000"), ("1.000", "3.000"))),
        (Fraction(1, 8192), (("0.000", "5.000"), ("0.000122070", "3.000"))),
        (Fraction(3), "step 2 needs (hot), which does not hold then"),
    ],
)
def test_a_plan_with_times_is_judged_by_the_clock(bake: Fraction, says: object) -> None:
    problem = parse(Source("d", DOMAIN), Source("p", PROBLEM))
    heating, baking = (ActionInstance(problem.action(name)) for name in ("heat", "bake"))
    plan = TimeTriggeredPlan([(Fraction(0), heating, Fraction(5)), (bake, baking, Fraction(3))])
    found = judged_plan(problem, plan)
    assert (found.times if isinstance(found, FoundPlan) else found) == says
