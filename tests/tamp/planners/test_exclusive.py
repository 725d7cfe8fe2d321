"""Goals that never hold together: what is proven, and that nothing is said of goals that can."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.pddl.conditions import written
from tamp.pddl.reading import parse, read_problem
from tamp.planners.exclusive import MORE_ROUNDS, MOST_GOALS, exclusive
from tamp.planning.engine import PlanStatus, solve_problem
from tests.random_pddl import Task, facts, tasks

CASES = Path(__file__).parents[3] / "problems" / "cases"

LAMPS = """(define (domain lamps) (:requirements :adl :typing) (:types lamp switch room)
  (:predicates (lit ?l - lamp) (dark ?l - lamp) (in ?r - room) (next ?a ?b - room) (of ?s - switch ?l - lamp)
    (broken ?l - lamp) (seen ?l - lamp) (warm ?l - lamp))
  (:action on :parameters (?s - switch ?l - lamp) :precondition (of ?s ?l)
    :effect (and (lit ?l) (not (dark ?l))))
  (:action off :parameters (?s - switch ?l - lamp) :precondition (of ?s ?l)
    :effect (and (dark ?l) (not (lit ?l))))
  (:action all-off :parameters () :effect (forall (?l - lamp) (and (dark ?l) (not (lit ?l)))))
  (:action look :parameters (?l - lamp) :precondition (lit ?l) :effect (seen ?l))
  (:action heat :parameters (?l - lamp) :precondition (lit ?l) :effect (warm ?l))
  (:action hit :parameters (?l - lamp) :precondition (dark ?l)
    :effect (and (broken ?l) (when (warm ?l) (not (warm ?l)))))
  (:action go :parameters (?a ?b - room) :precondition (and (in ?a) (next ?a ?b))
    :effect (and (in ?b) (not (in ?a)))))"""


def lamps(goal: str, domain: str = LAMPS) -> list[list[str]]:
    return in_words(parse(Source("domain.pddl", domain), Source("problem.pddl", problem_of(goal))))


def problem_of(goal: str) -> str:
    return f"""(define (problem p) (:domain lamps) (:objects l m - lamp s - switch hall loft - room)
      (:init (dark l) (dark m) (of s l) (in hall) (next hall loft)) (:goal (and {goal})))"""


def in_words(problem: Any, rounds: int = MORE_ROUNDS) -> list[list[str]]:
    return [[written(a), written(b)] for a, b in exclusive(problem, rounds)]


def test_what_each_of_two_goals_takes_from_the_other() -> None:
    assert lamps("(lit l) (dark l)") == [["(lit l)", "(dark l)"]]
    assert lamps("(lit l) (dark m)") == []
    assert lamps("(dark l) (seen l)") == []


def test_a_goal_that_one_operator_leaves_as_it_is_excludes_nothing() -> None:
    spared = LAMPS.replace(
        "(:action all-off", "(:action flash :parameters (?l - lamp) :effect (lit ?l)) (:action all-off"
    )
    assert lamps("(lit l) (dark l)", spared) == []


def test_two_places_at_once_for_what_is_in_one() -> None:
    assert lamps("(in hall) (in loft)") == [["(in hall)", "(in loft)"]]


def test_a_literal_and_its_opposite() -> None:
    assert lamps("(seen l) (not (seen l)) (dark l)") == [["(seen l)", "(not (seen l))"]]


def test_what_an_effect_takes_away_wherever_it_was() -> None:
    """To break a lamp cools it, if it was warm; after that it cannot be lit and heated again."""
    dead = LAMPS.replace(
        "(:action heat :parameters (?l - lamp) :precondition (lit ?l)",
        "(:action heat :parameters (?l - lamp) :precondition (and (lit ?l) (not (broken ?l)))",
    )
    assert lamps("(warm l) (broken l)", dead) == [["(warm l)", "(broken l)"]]
    assert lamps("(warm l) (broken l)") == []


def test_a_goal_that_never_holds_excludes_no_other() -> None:
    """That is another reason, which is told for itself."""
    assert lamps("(lit m) (in loft)") == []
    assert lamps("(seen m) (in loft)") == []


def test_a_problem_with_times_is_left_alone() -> None:
    timed = """(define (domain d) (:requirements :durative-actions :typing) (:predicates (p) (q))
      (:durative-action a :parameters () :duration (= ?duration 1) :condition () :effect (at end (p))))"""
    problem = "(define (problem x) (:domain d) (:init) (:goal (and (p) (q))))"
    assert exclusive(parse(Source("d", timed), Source("p", problem))) == []


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(task=tasks(numeric=False), seed=st.integers(0, 1000))
def test_nothing_that_is_said_to_exclude_each_other_holds_together_in_any_state(task: Task, seed: int) -> None:
    some = random.Random(seed).sample([*facts(), *(f"(not {f})" for f in facts())], MOST_GOALS)
    try:
        problem = parse(Source("d", task.domain), Source("p", task.problem))
    except InputError:
        assume(False)
    asked = Task(task.operators, task.init, f"(and {' '.join(some)})")
    _ask_for(problem, parse(Source("d", task.domain), Source("p", asked.problem)).goals)
    pairs = exclusive(problem, MORE_ROUNDS)
    for state in _states(problem, 30):
        held = [(a, b) for a, b in pairs if state(a) and state(b)]
        assert not held


def test_no_engine_is_asked_for_goals_that_never_hold_together(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = parse(Source("d", LAMPS), Source("p", problem_of("(lit l) (dark l)")))
    monkeypatch.setattr("tamp.planning.engine._engine", lambda name: pytest.fail(f"{name} is asked"))
    assert solve_problem(problem).status is PlanStatus.UNSOLVABLE


@pytest.mark.process
@pytest.mark.parametrize("case", ["drawer_first", "all_tidy", "bowl_beneath", "back_at_the_dock"])
def test_an_engine_finds_no_plan_either(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random goals of the repository's problems; the engine is asked without what is tested here."""
    monkeypatch.setattr("tamp.planners.exclusive.exclusive", lambda problem: [])
    domain = CASES / case / "domain.pddl"
    _, _, problem = read_problem(domain if domain.exists() else "tabletop", CASES / case / "problem.pddl")
    atoms = [a for f in _made(problem) for a in _all_of(problem, f)]
    some = random.Random(0).sample(sorted(atoms, key=str), min(MOST_GOALS, len(atoms)))
    _ask_for(problem, some)
    pairs = exclusive(problem, MORE_ROUNDS)
    assert pairs
    for pair in random.Random(1).sample(pairs, min(3, len(pairs))):
        _ask_for(problem, pair)
        engine = "pyperplan" if domain.exists() else "fast-downward"
        assert solve_problem(problem, engine).status is PlanStatus.UNSOLVABLE, pair


def _made(problem: Any) -> list[Any]:
    changed = {e.fluent.fluent().name for a in problem.actions for e in a.effects if not e.value.is_false()}
    return [f for f in problem.fluents if f.name in changed and f.type.is_bool_type()]


def _all_of(problem: Any, fluent: Any) -> Any:
    from unified_planning.model.fluent import get_all_fluent_exp

    return get_all_fluent_exp(problem, fluent)


def _ask_for(problem: Any, goals: Any) -> None:
    problem.clear_goals()
    for goal in goals:
        problem.add_goal(goal)


def _states(problem: Any, most: int) -> Any:
    """What evaluates conditions in states that can be reached, nearest first."""
    from unified_planning.engines import UPSequentialSimulator
    from unified_planning.exceptions import UPException
    from unified_planning.model.walkers import StateEvaluator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        simulator = UPSequentialSimulator(problem, error_on_failed_checks=False)
    evaluator = StateEvaluator(problem)
    left, seen = [simulator.get_initial_state()], set()
    for n, state in enumerate(left):
        if n == most:
            return
        yield lambda c, s=state: evaluator.evaluate(c, s).bool_constant_value()
        for action, arguments in simulator.get_applicable_actions(state):
            try:
                after = simulator.apply_unsafe(state, action(*arguments))
            except UPException:
                continue
            if str(after) not in seen:
                seen.add(str(after))
                left.append(after)
