"""Problems with goals and effects that are the same in every state are planned for like any other."""

from __future__ import annotations

import pytest

from tamp.files.source import Source
from tamp.pddl.engines import PLANNERS
from tamp.pddl.planner import PlanStatus, solve_problem
from tamp.pddl.reading import parse

DOMAIN = """(define (domain jars) (:requirements :adl) (:types jar - object) (:predicates (open ?j - jar) (never))
 (:action turn :parameters (?j - jar) :precondition () :effect (open ?j))
 (:action look :parameters (?j - jar) :precondition () :effect (when (not (= ?j ?j)) (open ?j)))
 (:action wait :parameters () :precondition () :effect (and)))
"""
PROBLEM = "(define (problem p) (:domain jars) (:objects a b - jar) (:init) (:goal {goal}))"


@pytest.mark.parametrize("engine", PLANNERS)
@pytest.mark.parametrize(
    ("goal", "steps"),
    [
        ("(= a a)", 0),
        ("(and (= a a) (open b))", 1),
        ("(forall (?j - jar) (or (= ?j a) (open ?j)))", 1),
        ("(= a b)", None),
        ("(and (open a) (not (= b b)))", None),
        ("(never)", None),
    ],
)
def test_what_is_decided_beforehand(engine: str, goal: str, steps: int | None) -> None:
    found = solve_problem(parse(Source("d", DOMAIN), Source("p", PROBLEM.format(goal=goal))), engine, timeout=20)
    assert found.status is (PlanStatus.UNSOLVABLE if steps is None else PlanStatus.FOUND), found.message
    assert found.plan is None or len(found.plan.actions) == steps


@pytest.mark.parametrize("engine", PLANNERS)
def test_a_domain_in_which_nothing_can_be_changed(engine: str) -> None:
    domain = DOMAIN.replace(":effect (open ?j)", ":effect (and)")
    found = solve_problem(parse(Source("d", domain), Source("p", PROBLEM.format(goal="(open a)"))), engine, timeout=20)
    assert found.status is PlanStatus.UNSOLVABLE, found.message
