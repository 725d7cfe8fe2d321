"""Why there is no plan, on problems of which it is known."""

from __future__ import annotations

import pytest

from tamp.files.source import Source
from tamp.pddl.reading import parse
from tamp.pddl.unsolvable import Why, explain

pytestmark = pytest.mark.process

DOMAIN = """(define (domain errands) (:requirements :adl :typing) (:types place parcel)
  (:predicates (road ?a ?b - place) (at ?a - place) (lies ?x - parcel ?a - place) (carried ?x - parcel)
    (free) (stuck ?x - parcel) (sunny) (blessed ?x - parcel))
  (:action drive :parameters (?a ?b - place) :precondition (and (at ?a) (or (road ?a ?b) (road ?b ?a)))
    :effect (and (at ?b) (not (at ?a))))
  (:action load :parameters (?x - parcel ?a - place)
    :precondition (and (at ?a) (lies ?x ?a) (free) (not (stuck ?x)))
    :effect (and (carried ?x) (not (lies ?x ?a)) (not (free))))
  (:action unload :parameters (?x - parcel ?a - place) :precondition (and (at ?a) (carried ?x))
    :effect (and (lies ?x ?a) (not (carried ?x)) (free))))"""
INIT = "(at home) (road home shop) (lies letter home) (lies crate shop) (free)"


def why(goal: str, init: str = INIT, engine: str = "fast-downward", seconds: float = 60.0, domain: str = DOMAIN) -> Why:
    problem = f"""(define (problem p) (:domain errands) (:objects home shop island - place letter crate - parcel)
        (:init {init}) (:goal {goal}))"""
    return explain(parse(Source("domain.pddl", domain), Source("problem.pddl", problem)), engine, seconds)


def test_a_static_fact_that_is_missing() -> None:
    found = why("(and (lies letter island) (at home))")
    assert found.never[0] == "(lies letter island)"
    assert "(at island)" in found.never
    (road,) = found.add
    assert road.startswith("(road ") and "island" in road and road in found.never
    assert (found.drop, found.complete) == (("(lies letter island)",), True)


def test_all_static_facts_of_which_one_is_enough_are_reported() -> None:
    oneway = DOMAIN.replace("(or (road ?a ?b) (road ?b ?a))", "(road ?a ?b)")
    found = why("(lies letter shop)", "(at home) (road shop home) (lies letter home) (free)", domain=oneway)
    assert found.add == ("(road home shop)",)
    assert found.additions == (("(road home shop)",),)
    far = why(
        "(lies letter island)", "(at home) (road shop home) (road home shop) (lies letter home) (free)", domain=oneway
    )
    assert set(far.additions) == {("(road home island)",), ("(road shop island)",)}


def test_a_fact_that_lets_two_goals_hold_together_is_reported() -> None:
    oneway = DOMAIN.replace("(or (road ?a ?b) (road ?b ?a))", "(road ?a ?b)")
    found = why("(and (at home) (carried crate))", "(at home) (road home shop) (lies crate shop) (free)", domain=oneway)
    assert found.exclusive == (("(at home)", "(carried crate)"),)
    assert found.additions == (("(road shop home)",),)


def test_a_goal_that_no_operator_brings_about() -> None:
    found = why("(and (at shop) (sunny) (carried letter))")
    assert (found.never, found.add, found.drop) == (("(sunny)",),) * 3


def test_a_fact_that_has_to_go() -> None:
    found = why("(lies crate home)", f"{INIT} (stuck crate)")
    assert found.never == ("(lies crate home)", "(carried crate)", "(not (stuck crate))")
    assert found.add == ("(not (stuck crate))",)


def test_goals_that_never_hold_together_are_told_in_pairs() -> None:
    found = why("(and (at home) (at shop) (carried letter))")
    assert found.exclusive == (("(at home)", "(at shop)"),)
    assert (found.never, found.complete) == ((), True)
    assert found.drop in (("(at home)",), ("(at shop)",))


def test_the_smallest_set_is_found_after_a_larger_one() -> None:
    """Goals are taken in their order first; the first of these shuts out two others."""
    found = why("(and (carried crate) (lies letter home) (free) (lies crate shop))")
    assert (found.drop, found.complete) == (("(carried crate)",), True)


def test_without_time_nothing_is_claimed() -> None:
    assert why("(sunny)", seconds=0.0) == Why()
