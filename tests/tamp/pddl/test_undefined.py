"""Numbers without a value, and divisions by zero: a step that needs them cannot be done, and others can."""

from __future__ import annotations

import pytest

from tamp.files.source import Source
from tamp.pddl.judges import judge_of, verdict_on
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.reading import parse

DOMAIN = """(define (domain roads) (:requirements :strips :typing :fluents)
 (:types place - object) (:predicates (at ?p - place)) (:functions (far ?a ?b - place) (fuel))
 (:action drive :parameters (?a ?b - place) :precondition (and (at ?a) (>= (fuel) (far ?a ?b)))
  :effect (and (not (at ?a)) (at ?b) (decrease (fuel) (far ?a ?b))))
 (:action split :parameters (?a - place) :precondition (>= (/ 4 (- (fuel) 5)) 0) :effect (and (at ?a))))
"""
PROBLEM = """(define (problem r) (:domain roads) (:objects a b c - place)
 (:init (at a) (= (fuel) 5) (= (far a b) 2)) (:goal (at b)))
"""


def test_one_judge_goes_on_after_a_number_without_a_value() -> None:
    judge = judge_of(parse(Source("domain.pddl", DOMAIN), Source("problem.pddl", PROBLEM)))

    def told(plan: str) -> tuple[bool, int | None, str]:
        verdict = verdict_on(read_plan(Source("plan", plan)), judge)
        return verdict.valid, verdict.failed_at, verdict.message

    for _ in range(2):
        assert told("(drive a b)\n") == (True, None, "")
        assert told("(drive a c)\n") == (False, 1, "needs the value of (far a c), which has none then")
        assert told("(split b)\n") == (False, 1, "divides by zero")


@pytest.mark.parametrize("goal", ["(> (far b c) 0)", "(> (/ 1 (- (fuel) 3)) 0)"])
def test_a_goal_about_a_number_without_a_value_is_missed(goal: str) -> None:
    judge = judge_of(parse(Source("domain.pddl", DOMAIN), Source("problem.pddl", PROBLEM.replace("(at b)", goal))))
    verdict = verdict_on(read_plan(Source("plan", "(drive a b)\n")), judge)
    assert (verdict.valid, verdict.failed_at, len(verdict.unmet)) == (False, None, 1)
    assert verdict.unmet[0].values == (("(far b c)", None) if "far" in goal else ("(fuel)", 3),)


def test_a_condition_about_all_things_is_told_with_the_number_of_each() -> None:
    goal = "(exists (?p - place) (and (at ?p) (> (far a ?p) 3)))"
    judge = judge_of(parse(Source("domain.pddl", DOMAIN), Source("problem.pddl", PROBLEM.replace("(at b)", goal))))
    verdict = verdict_on(read_plan(Source("plan", "(drive a b)\n")), judge)
    assert verdict.unmet[0].values == (("(far a a)", None), ("(far a b)", 2), ("(far a c)", None))
    assert verdict.message.endswith(": (far a a) has no value, (far a b) is 2, (far a c) has no value")
