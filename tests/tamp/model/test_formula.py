"""Ground formulas: what is simplified stays what it says, in every state."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamp.model.atoms import Atom
from tamp.model.formula import (
    FALSE,
    TRUE,
    And,
    Formula,
    Not,
    Or,
    alternatives,
    conjunction,
    disjunction,
    holds,
    mapped,
    negation,
    renamed,
    ways,
)

A, B, C = (Atom("lit", (name,)) for name in "abc")
STATES = [frozenset(some) for n in range(4) for some in itertools.combinations((A, B, C), n)]

LITERALS: st.SearchStrategy[Formula] = st.sampled_from([A, B, C, Not(A), Not(B), Not(C)])
RAW = st.recursive(
    LITERALS | st.sampled_from([TRUE, FALSE]),
    lambda inner: st.lists(inner, max_size=3).flatmap(
        lambda parts: st.sampled_from([And(tuple(parts)), Or(tuple(parts))])
    ),
    max_leaves=8,
)


def simplified(formula: Formula) -> Formula:
    return mapped(formula, lambda literal: literal)


@given(RAW)
def test_what_is_simplified_holds_in_the_same_states(formula: Formula) -> None:
    short = simplified(formula)
    assert [holds(short, s) for s in STATES] == [holds(formula, s) for s in STATES]
    assert simplified(short) == short
    assert short in (TRUE, FALSE) or ("(and)" not in str(short) and "(or)" not in str(short))


@given(RAW)
def test_a_negation_holds_where_the_formula_does_not(formula: Formula) -> None:
    assert [holds(negation(formula), s) for s in STATES] == [not holds(formula, s) for s in STATES]


@given(RAW)
def test_one_of_the_alternatives_holds_where_the_formula_does(formula: Formula) -> None:
    found = alternatives(simplified(formula))
    assert len(found) <= ways(simplified(formula))
    for s in STATES:
        assert any(all(holds(x, s) for x in some) for some in found) == holds(formula, s)
    assert not any(set(a) < set(b) for a in found for b in found), "none asks for more than another"


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (conjunction([A, conjunction([B, A])]), "(and (lit a) (lit b))"),
        (conjunction([A]), "(lit a)"),
        (conjunction([A, TRUE]), "(lit a)"),
        (conjunction([A, Not(A)]), "(or)"),
        (disjunction([A, Not(A)]), "(and)"),
        (disjunction([A, FALSE, Not(B)]), "(or (lit a) (not (lit b)))"),
        (negation(conjunction([A, disjunction([B, Not(C)])])), "(or (not (lit a)) (and (not (lit b)) (lit c)))"),
        (renamed(conjunction([A, Not(B)]), {"a": "x", "b": "y"}), "(and (lit x) (not (lit y)))"),
    ],
)
def test_it_is_written_as_pddl(formula: Formula, text: str) -> None:
    assert str(formula) == text
