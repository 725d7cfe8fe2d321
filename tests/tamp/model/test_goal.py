"""Goals from PDDL: what is wrong is said with its column, and writing and reading agree."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tamp.errors import InputError, Refusal
from tamp.files.source import Source
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.formula import FALSE, TRUE
from tamp.model.goal import Goal, parse_goal
from tamp.model.state import WorldState, problem_of, problem_text
from tamp.pddl.domain_file import load
from tamp.pddl.reading import parse
from tamp.pddl.simulation import Course

SYMBOLS = {"cup": "item", "dish": "item", "bench": "surface", "chest": "drawer", "lamp": "appliance"}
DOMAIN = load("tabletop")
OBSERVED = ("on", "in", "clear", "open", "closed", "turned-on")


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
        ("((on cup bench))", 2, "expected a word after '('; valid: a predicate, and, or, not"),
        ("(or)", 1, "empty atom"),
        ("(not (open chest) (open chest))", 1, "not takes 1 formula, got 2"),
        ("(imply (open chest))", 1, "imply takes 2 formulas, got 1"),
        ("(= cup)", 1, "= takes 2 arguments, got 1"),
        ("(forall (open ?d))", 1, "valid: (forall (?x - type …) (…))"),
        ("(forall (?d drawer) (open ?d))", 13, "expected a variable and its type, not 'drawer'"),
        ("(forall () (open chest))", 9, "no variables"),
        ("(exists (?d - drawr) (open ?d))", 15, "no type 'drawr' in tabletop; valid: drawer"),
        ("(exists (?d - drawer) (open ?e))", 29, "no quantifier says what '?e' is; valid: ?d"),
        ("(exists (?d - item) (open ?d))", 27, "?d is an item, open wants an interior"),
        ("(ore (open chest) (open chest))", 2, "no predicate 'ore' in tabletop; valid: or"),
        ("(" * 200, 101, "more than 100 levels"),
        ("(onn cup bench)", 2, "no predicate 'onn' in tabletop; valid: on"),
        ("(on cup)", 2, "on takes 2 arguments (?o - item ?s - surface), got 1"),
        ("(on cop bench)", 5, "no 'cop' in the scene; valid: cup"),
        ("(in cup bench)", 9, "bench is a surface, in wants an interior; valid: chest"),
        ("(next-to cup cup)", 1, "next-to is between different things, and cup is there twice"),
        ("(turned-on chest)", 12, "chest is a drawer, turned-on wants an appliance; valid: lamp"),
    ],
)
def test_what_is_wrong_is_said_with_its_column(text: str, column: int, says: str) -> None:
    with pytest.raises(InputError) as shown:
        parse_goal(text, DOMAIN, SYMBOLS)
    assert str(shown.value).startswith(f"goal, column {column}: ")
    assert says in str(shown.value)


def _ground_atoms(domain: Domain, symbols: dict[str, str]) -> list[Atom]:
    def fill(kinds: list[str]) -> list[tuple[str, ...]]:
        if not kinds:
            return [()]
        fitting = [s for s, t in symbols.items() if domain.is_a(t, kinds[0])]
        return [(s, *rest) for s in fitting for rest in fill(kinds[1:])]

    signatures = domain.predicates.values()
    every = [Atom(s.name, args) for s in signatures for args in fill([t for _, t in s.parameters])]
    return [a for a in every if len(set(a.args)) == len(a.args)]


FORMULAS = st.recursive(
    st.sampled_from(_ground_atoms(DOMAIN, SYMBOLS)),
    lambda inner: st.one_of(
        inner.map(lambda f: f"(not {f})"),
        st.tuples(st.sampled_from(["and", "or"]), st.lists(inner, min_size=1, max_size=3)).map(
            lambda found: f"({found[0]} {' '.join(map(str, found[1]))})"
        ),
        st.tuples(inner, inner).map(lambda pair: f"(imply {pair[0]} {pair[1]})"),
    ),
    max_leaves=8,
)


@given(FORMULAS.map(str))
def test_a_formula_that_is_written_is_read_back(text: str) -> None:
    goal = parse_goal(text, DOMAIN, SYMBOLS)
    if goal.formula not in (TRUE, FALSE):
        assert parse_goal(str(goal), DOMAIN, SYMBOLS) == goal


QUANTIFIED = (
    "(forall (?o - item) (imply (on ?o bench) (not (clear ?o))))",
    "(exists (?o ?p - item) (and (not (= ?o ?p)) (on ?o ?p)))",
    "(not (exists (?s - surface) (and (on cup ?s) (clear ?s))))",
    "(forall (?o - item) (exists (?i - interior) (in ?o ?i)))",
    "(forall (?x ?o - item) (or (= ?x ?o) (not (on ?x ?o)) (exists (?x - drawer) (closed ?x))))",
    "(imply (exists (?a - appliance) (turned-on ?a)) (and (open chest) (not (in cup chest))))",
)


@settings(max_examples=24, deadline=None)
@given(
    st.sampled_from(QUANTIFIED) | FORMULAS.map(str),
    st.frozensets(st.sampled_from([a for a in _ground_atoms(DOMAIN, SYMBOLS) if a.predicate in OBSERVED])),
)
def test_it_holds_where_unified_planning_says_so(text: str, atoms: frozenset[Atom]) -> None:
    """Read by another parser, its quantifiers evaluated and not spelled out."""
    state = WorldState(SYMBOLS, atoms)
    goal = parse_goal(text, DOMAIN, SYMBOLS)
    problem = parse(Source("domain.pddl", DOMAIN.text), Source("problem.pddl", problem_text(DOMAIN, state, text)))
    assert (not Course.of(problem).missing()) == (not goal.missing(state))
    assert (not Course.of(problem_of(DOMAIN, state, goal.parts)).missing()) == (not goal.missing(state))


def test_what_must_not_be_touched_is_a_fact_that_the_domain_must_have() -> None:
    state = WorldState(SYMBOLS, frozenset())
    goal = Goal(Atom("on", ("cup", "bench")), ("dish", "chest"))
    assert goal.rules(DOMAIN, state) == {Atom("untouchable", ("dish",)), Atom("untouchable", ("chest",))}
    bare = replace(DOMAIN, predicates={k: v for k, v in DOMAIN.predicates.items() if k != "untouchable"})
    with pytest.raises(
        Refusal, match=r"dish cannot be left alone: the domain tabletop has no \(untouchable \?o - item"
    ):
        goal.rules(bare, state)
    assert Goal(goal.formula).rules(bare, state) == frozenset()
    with pytest.raises(InputError, match="no 'dosh' in the scene that could be left alone; valid: dish"):
        parse_goal("(on cup bench)", DOMAIN, SYMBOLS, untouched=["dosh"])
