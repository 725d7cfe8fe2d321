"""PDDL that unified-planning does not read, or does not follow: bad input that says what, never a verdict."""

from __future__ import annotations

import pytest

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.pddl.judges import judge_of
from tamp.pddl.reading import parse

DOMAIN = """(define (domain d) (:requirements :strips :typing)
 (:types a - object)
 (:predicates (p ?x - a) (q))
{extra}
 (:action go :parameters (?x - {type}) :precondition (p ?x) :effect {effect}))
"""
PROBLEM = "(define (problem p) (:domain d) (:objects o - a{more}) (:init (p o)) (:goal {goal}) {tail})"


def refused(
    extra: str = "", type: str = "a", effect: str = "(q)", more: str = "", goal: str = "(q)", tail: str = ""
) -> str:
    with pytest.raises(InputError) as raised:
        judge_of(
            parse(
                Source("domain.pddl", DOMAIN.format(extra=extra, type=type, effect=effect)),
                Source("problem.pddl", PROBLEM.format(more=more, goal=goal, tail=tail)),
            )
        )
    return str(raised.value)


def test_what_the_parser_does_not_read_is_named_with_its_place() -> None:
    derived = refused(extra=" (:derived (q) (exists (?x - a) (p ?x)))")
    assert derived.startswith("domain.pddl:4:2: ") and derived.endswith("does not read :derived")
    assert "domain.pddl:5:32: unified-planning does not read (either …)" in refused(type="(either a object)")
    assert "unified-planning reads no (probabilistic …)" in refused(effect="(probabilistic 0.5 (q))")
    assert "problem.pddl:1:80: unified-planning reads no (preference …)" in refused(
        goal="(and (q) (preference g (p o)))"
    )
    assert "domain.pddl:4:2: unified-planning does not read :constraints" in refused(
        extra=" (:constraints (always (q)))"
    )


def test_what_is_read_but_cannot_be_followed_is_named() -> None:
    assert "does not support trajectory constraints" in refused(tail="(:constraints (sometime (q)))")


def test_a_name_that_is_declared_twice_is_told_in_plain_words() -> None:
    assert "'o' is declared twice" in refused(more=" o - a")


def test_an_operator_may_have_the_name_of_a_predicate() -> None:
    """As in many published domains; unified-planning refuses it by default."""
    domain = DOMAIN.format(extra="", type="a", effect="(q)").replace(":action go", ":action p")
    problem = PROBLEM.format(more="", goal="(q)", tail="")
    assert [a.name for a in parse(Source("d", domain), Source("p", problem)).actions] == ["p"]
