"""Goals from PDDL: what is wrong is said with its column, and writing and reading agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamp.atoms import Atom
from tamp.domain import Domain, load
from tamp.errors import InputError
from tamp.goal import Goal, check_form, parse_goal
from tamp.state import WorldState

SYMBOLS = {"cup": "item", "dish": "item", "bench": "surface", "chest": "drawer", "lamp": "appliance"}
DOMAIN = load("tabletop")


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("", 1, "empty"),
        ("()", 1, "empty atom"),
        ("(and)", 1, "empty atom"),
        ("on cup bench", 1, "expected '(' before 'on'"),
        ("(on cup bench", 1, "never closed"),
        ("(and (on cup bench) (open chest)", 21, "never closed"),
        ("(on cup bench))", 15, "text after the goal"),
        ("(on cup bench) (open chest)", 16, "text after the goal; join atoms with (and"),
        ("(and on)", 6, "expected '(' before 'on'"),
        ("(and (on cup (bench)))", 14, "no nesting"),
        ("(onn cup bench)", 2, "no predicate 'onn' in tabletop; valid: on"),
        ("(on cup)", 2, "on takes 2 arguments (?o - item ?s - surface), got 1"),
        ("(on cop bench)", 5, "no 'cop' in the scene; valid: cup"),
        ("(in cup bench)", 9, "bench is a surface, in wants a interior; valid: chest"),
        ("(turned-on chest)", 12, "chest is a drawer, turned-on wants a appliance; valid: lamp"),
    ],
)
def test_what_is_wrong_is_said_with_its_column(text: str, column: int, says: str) -> None:
    with pytest.raises(InputError) as told:
        parse_goal(text, DOMAIN, SYMBOLS)
    assert str(told.value).startswith(f"goal, column {column}: ")
    assert says in str(told.value)


@pytest.mark.parametrize("text", ["(on cop bench)", "(in cup bench)", "(AND (On any thing) (open it))"])
def test_the_form_is_checked_without_a_scene(text: str) -> None:
    check_form(text, DOMAIN)


@pytest.mark.parametrize("text", ["(onn cup bench)", "(on cup)", "(on cup bench"])
def test_a_bad_form_needs_no_scene_to_be_refused(text: str) -> None:
    with pytest.raises(InputError, match="goal, column"):
        check_form(text, DOMAIN)


def _ground_atoms(domain: Domain, symbols: dict[str, str]) -> list[Atom]:
    def fill(kinds: list[str]) -> list[tuple[str, ...]]:
        if not kinds:
            return [()]
        fitting = [s for s, t in symbols.items() if domain.is_a(t, kinds[0])]
        return [(s, *rest) for s in fitting for rest in fill(kinds[1:])]

    signatures = domain.predicates.values()
    return [Atom(s.name, args) for s in signatures for args in fill([t for _, t in s.parameters])]


@given(st.lists(st.sampled_from(_ground_atoms(DOMAIN, SYMBOLS)), min_size=1, max_size=5, unique=True))
def test_a_goal_that_is_written_is_read_back(atoms: list[Atom]) -> None:
    goal = Goal.of(atoms)
    assert parse_goal(str(goal), DOMAIN, SYMBOLS) == goal


@given(st.text(alphabet="()and on cup bench\n", max_size=40))
def test_any_text_is_a_goal_or_bad_input(text: str) -> None:
    try:
        goal = parse_goal(text, DOMAIN, SYMBOLS)
    except InputError as told:
        assert str(told).startswith("goal, column ")
    else:
        assert goal.atoms


def test_case_spaces_and_repetitions_do_not_matter() -> None:
    goal = parse_goal(" ( AND (On CUP bench)\n(on cup  bench) )", DOMAIN, SYMBOLS)
    assert goal == Goal(Atom("on", ("cup", "bench")))


def test_missing_is_what_does_not_hold() -> None:
    goal = parse_goal("(and (on cup bench) (open chest))", DOMAIN, SYMBOLS)
    state = WorldState(SYMBOLS, frozenset({Atom("on", ("cup", "bench"))}))
    assert goal.missing(state) == (Atom("open", ("chest",)),)
    assert not goal.missing(state.with_facts(frozenset({Atom("open", ("chest",))})))
