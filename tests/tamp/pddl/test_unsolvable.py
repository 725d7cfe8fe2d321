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


def why(goal: str, init: str = INIT, seconds: float = 60.0) -> Why:
    problem = f"""(define (problem p) (:domain errands) (:objects home shop island - place letter crate - parcel)
        (:init {init}) (:goal {goal}))"""
    texts = Source("domain.pddl", DOMAIN), Source("problem.pddl", problem)
    return explain(parse(*texts), "fast-downward", seconds)


@pytest.mark.parametrize(
    ("goal", "init", "never"),
    [
        ("(and (lies letter island) (at home))", INIT, ("(lies letter island)", "(at island)")),
        ("(and (at shop) (sunny) (carried letter))", INIT, ("(sunny)",)),
        (
            "(lies crate home)",
            f"{INIT} (stuck crate)",
            ("(lies crate home)", "(carried crate)", "(not (stuck crate))"),
        ),
    ],
)
def test_what_can_never_hold_is_followed_to_what_it_needs(goal: str, init: str, never: tuple[str, ...]) -> None:
    found = why(goal, init)
    assert (found.never, found.drop, found.complete) == (never, never[:1], True)


def test_goals_that_never_hold_together_are_reported_in_pairs() -> None:
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
