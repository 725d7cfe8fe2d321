"""Asking an engine: what it answers, and that the time limit holds."""

from __future__ import annotations

import os
import random
from fractions import Fraction
from pathlib import Path

import pytest

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.model.atoms import GroundAction
from tamp.pddl import engines
from tamp.pddl.ask import Question, ask, judged_plan
from tamp.pddl.planner import Plan, PlanResult, PlanStatus
from tamp.pddl.reading import parse
from tamp.pddl.subprocess_worker import descendants

pytestmark = pytest.mark.process

ROADS = """(define (domain roads) (:requirements :strips :typing :action-costs)
  (:types place)
  (:predicates (road ?a ?b - place) (at ?a - place))
  (:functions (toll ?a ?b - place) - number (total-cost) - number)
  (:action drive :parameters (?a ?b - place) :precondition (and (at ?a) (road ?a ?b))
    :effect (and (at ?b) (not (at ?a)) (increase (total-cost) (toll ?a ?b)))))"""
TOLLS = """(define (problem tolls) (:domain roads) (:objects a b c d - place)
  (:init (at a) (road a d) (road a b) (road b c) (road c d) (road c b)
    (= (toll a d) 10) (= (toll a b) 2) (= (toll b c) 3) (= (toll c d) 4) (= (toll c b) 1) (= (total-cost) 0))
  (:goal (at d)) (:metric minimize (total-cost)))"""
CHEAPEST = 9
SLIDING = """(define (domain sliding) (:requirements :strips :typing) (:types cell tile)
  (:predicates (at ?t - tile ?c - cell) (empty ?c - cell) (next ?a ?b - cell))
  (:action move :parameters (?t - tile ?a ?b - cell) :precondition (and (at ?t ?a) (empty ?b) (next ?a ?b))
    :effect (and (at ?t ?b) (empty ?a) (not (at ?t ?a)) (not (empty ?b)))))"""
CONDITIONAL = """(define (domain lamps) (:requirements :adl) (:predicates (on ?x) (linked ?x ?y))
  (:action press :parameters (?x) :precondition (not (on ?x))
    :effect (and (on ?x) (forall (?y) (when (linked ?x ?y) (on ?y))))))"""
LAMPS = """(define (problem lamps) (:domain lamps) (:objects a b c) (:init (linked b a) (linked b c))
  (:goal (forall (?x) (on ?x))))"""
NUMBERS = """(define (domain tank) (:requirements :fluents) (:predicates (full)) (:functions (level))
  (:action pour :parameters () :effect (increase (level) 1))
  (:action check :parameters () :precondition (>= (level) 3) :effect (full)))"""
TANK = "(define (problem tank) (:domain tank) (:init (= (level) 0)) (:goal (full)))"


def puzzle(size: int) -> str:
    """A sliding puzzle in disorder, always the same."""
    cells = [(i, j) for i in range(size) for j in range(size)]
    order = list(range(1, size * size))
    random.Random(1).shuffle(order)
    near = [(a, b) for a in cells for b in cells if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1]
    name = {c: f"c{c[0]}-{c[1]}" for c in cells}
    init = [f"(at t{t} {name[c]})" for t, c in zip(order, cells, strict=False)] + [f"(empty {name[cells[-1]]})"]
    init += [f"(next {name[a]} {name[b]})" for a, b in near]
    goal = [f"(at t{n} {name[c]})" for n, c in enumerate(cells[:-1], 1)]
    objects = f"{' '.join(name.values())} - cell {' '.join(f't{t}' for t in order)} - tile"
    return f"""(define (problem p) (:domain sliding) (:objects {objects})
        (:init {" ".join(init)}) (:goal (and {" ".join(goal)})))"""


def answer(domain: str, problem: str, question: Question) -> PlanResult:
    parsed = parse(Source("domain.pddl", domain), Source("problem.pddl", problem))
    return ask(parsed, question)


@pytest.mark.parametrize(("start", "before"), [("", 0), ("(= (total-cost) 5)", 5), ("(= total-cost 0)", 0)])
@pytest.mark.parametrize("metric", ["(total-cost)", "total-cost"])
def test_costs_are_planned_and_judged_from_any_start(start: str, before: int, metric: str) -> None:
    problem = TOLLS.replace("(= (total-cost) 0)", start).replace("minimize (total-cost)", f"minimize {metric}")
    plan = answer(ROADS, problem, Question("fast-downward-opt")).plan
    assert plan is not None and plan.cost == CHEAPEST + before


@pytest.mark.parametrize("engine", ["fast-downward-opt", "pyperplan-opt"])
def test_without_a_metric_the_optimal_plan_is_the_shortest(engine: str) -> None:
    """Engines that cannot handle quantifiers and conditional effects get the problem without them."""
    found = answer(CONDITIONAL, LAMPS, Question(engine))
    assert found.plan is not None
    assert (found.optimal, found.plan.steps, found.plan.cost) == (True, ["(press b)"], 1)


def test_the_time_limit_holds_and_nothing_is_left() -> None:
    """A proof that no computer finds in two seconds."""
    before = set(descendants(os.getpid()))
    found = answer(SLIDING, puzzle(4), Question("fast-downward-opt", 2.0))
    assert (found.status, found.plan, found.message) == (PlanStatus.TIMEOUT, None, "no plan within 2 s")
    assert found.seconds < 60  # without an end to it: for ever
    assert set(descendants(os.getpid())) <= before


def test_unsupported_names_the_features_and_who_can() -> None:
    found = answer(NUMBERS, TANK, Question("fast-downward"))
    assert found.status is PlanStatus.UNSUPPORTED
    assert "INCREASE_EFFECTS" in found.features and "ACTION_BASED" not in found.features
    assert "no installed engine can; pip install up-enhsp" in found.message or found.able
    without_costs = answer(ROADS, TOLLS, Question("pyperplan-opt"))
    assert (without_costs.status, without_costs.optimal) == (PlanStatus.FOUND, False)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("magic", "unknown planner 'magic'; valid: fast-downward"),
        ("fast-donward", "did you mean 'fast-downward'"),
        ("enhsp", "planner 'enhsp' is not installed: pip install up-enhsp"),
    ],
)
def test_an_engine_that_is_not_there_is_named(name: str, says: str) -> None:
    with pytest.raises(InputError) as raised:
        engines.check(name)
    assert says in str(raised.value)


def test_plans_with_times_say_when_and_how_long() -> None:
    from unified_planning.plans import ActionInstance, TimeTriggeredPlan

    domain = """(define (domain d) (:requirements :durative-actions) (:predicates (done))
      (:durative-action work :parameters () :duration (= ?duration 5) :condition () :effect (at end (done))))"""
    parsed = parse(Source("d", domain), Source("p", "(define (problem p) (:domain d) (:init) (:goal (done)))"))
    timed = TimeTriggeredPlan([(Fraction(1, 2), ActionInstance(parsed.actions[0]), Fraction(5))])
    plan = judged_plan(parsed, timed)
    assert isinstance(plan, Plan)
    assert (plan.actions, str(plan)) == ((GroundAction("work"),), "0.500: (work) [5.000]\n")
    assert ask(parsed, Question("fast-downward")).features == ("CONTINUOUS_TIME", "INT_TYPE_DURATIONS")


def test_quantifiers_over_facts_that_never_change_do_not_keep_it_from_ending() -> None:
    """Of each `(imply (eats ?a ?b) …)` Fast Downward would make all the ways in which it can hold: too many."""
    folder = Path(__file__).parents[3] / "problems" / "cases" / "goat_and_cabbage"
    found = answer(
        (folder / "domain.pddl").read_text(), (folder / "problem.pddl").read_text(), Question("fast-downward")
    )
    assert found.plan is not None
    assert (found.status, len(found.plan.actions)) == (PlanStatus.FOUND, 7)
