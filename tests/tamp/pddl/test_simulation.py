"""Plans followed in symbols: what is missing, in PDDL, and what gets nowhere."""

from __future__ import annotations

import pytest

from tamp.model.atoms import Atom, GroundAction
from tamp.model.state import WorldState, problem_of
from tamp.pddl.domain_file import load
from tamp.pddl.simulation import Course, Fault, Simulator

DOMAIN = load("tabletop")
STATE = WorldState(
    {"cup": "item", "dish": "item", "bench": "surface", "chest": "drawer", "lamp": "appliance"},
    frozenset(
        {
            *(Atom("hand-empty"), Atom("closed", ("chest",)), Atom("turned-off", ("lamp",))),
            *(Atom("on", ("dish", "bench")), Atom("on", ("cup", "dish")), Atom("clear", ("cup",))),
        }
    ),
)
GOAL = [Atom("in", ("dish", "chest")), Atom("closed", ("chest",))]


def follow(*shown: str, state: WorldState = STATE) -> Course | Fault:
    course = Course.of(problem_of(DOMAIN, state, GOAL))
    for name, *args in map(str.split, shown):
        followed = course.follow(GroundAction(name, tuple(args)))
        if isinstance(followed, Fault):
            return followed
        course = followed
    return course


@pytest.mark.parametrize(
    ("shown", "literals"),
    [
        ("place-in cup chest", ("(holding cup)", "(open chest)")),
        ("pick dish bench", ("(clear dish)",)),
        ("place-on cup cup", ("(holding cup)", "(not (= cup cup))")),
        ("turn-off lamp", ("(not (turned-off lamp))",)),
    ],
)
def test_what_a_step_lacks_is_named(shown: str, literals: tuple[str, ...]) -> None:
    fault = follow(shown)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.literals) == ("precondition", literals)
    assert fault.message.startswith(f"({shown}) needs {literals[0]}")


def test_a_state_that_was_there_before_is_a_loop() -> None:
    back = follow("turn-on lamp", "open-drawer chest", "close-drawer chest")
    assert back == Fault("loop", "(close-drawer chest) leads back to how things were after step 1")
    assert follow("turn-on lamp", "turn-off lamp") == Fault(
        "loop", "(turn-off lamp) leads back to how things were at the start"
    )


def test_what_a_plan_does_for_nothing_is_left_out() -> None:
    problem = problem_of(DOMAIN, STATE, [Atom("in", ("dish", "chest"))])
    there_and_back = ["pick cup dish", "place-on cup bench", "pick cup bench", "place-on cup bench"]
    steps = [*there_and_back, "turn-on lamp", "open-drawer chest", "pick dish bench", "place-in dish chest"]
    instances = [
        problem.action(name)(*(problem.object(a) for a in args)) for name, *args in (step.split() for step in steps)
    ]
    kept = Simulator.of(problem).without_superfluous(instances)
    assert [str(a) for a in kept] == [
        *("pick(cup, dish)", "place-on(cup, bench)", "open-drawer(chest)", "pick(dish, bench)", "place-in(dish, chest)")
    ]
