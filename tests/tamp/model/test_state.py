"""The symbolic state as text: stable, limited to the domain's words, and read back by the planner."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tamp.files.source import Source
from tamp.model.atoms import Atom
from tamp.model.state import WorldState, problem_of, problem_text
from tamp.pddl.domain_file import load
from tamp.pddl.reading import parse

DOMAIN = load("tabletop")
SYMBOLS = {"cup": "item", "bench": "surface", "chest": "drawer", "lamp": "appliance"}
ATOMS = [
    Atom("hand-empty"),
    Atom("on", ("cup", "bench")),
    Atom("in", ("cup", "chest")),
    Atom("closed", ("chest",)),
    Atom("turned-off", ("lamp",)),
]


def test_a_problem_does_not_depend_on_the_order_of_things() -> None:
    forwards = WorldState(SYMBOLS, frozenset(ATOMS))
    backwards = WorldState(dict(reversed(SYMBOLS.items())), frozenset(reversed(ATOMS)))
    assert problem_text(DOMAIN, forwards, "(open chest)") == problem_text(DOMAIN, backwards, "(open chest)")


@settings(max_examples=12)
@given(st.frozensets(st.sampled_from(ATOMS)))
def test_a_problem_that_is_built_is_the_one_that_is_written(atoms: frozenset[Atom]) -> None:
    state, goal = WorldState(SYMBOLS, atoms), Atom("open", ("chest",))
    assert problem_of(DOMAIN, state, [goal], whole=True) == parse(
        Source("domain.pddl", DOMAIN.text), Source("problem.pddl", problem_text(DOMAIN, state, str(goal)))
    )
