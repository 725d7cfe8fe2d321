"""What can never come true: said only when it is so."""

from __future__ import annotations

import pytest

from tamp.files.source import Source
from tamp.pddl.reach import Reached, reach
from tamp.pddl.reading import parse

DOMAIN = """
(define (domain rooms)
  (:requirements :strips :typing :equality :negative-preconditions :disjunctive-preconditions
    :existential-preconditions :conditional-effects)
  (:types room thing)
  (:predicates (at ?r - room) (door ?a ?b - room) (in ?t - thing ?r - room) (have ?t - thing) (lit) (dark))
  (:action go :parameters (?a ?b - room) :precondition (and (at ?a) (door ?a ?b)) :effect (and (at ?b) (not (at ?a))))
  (:action take :parameters (?t - thing ?r - room) :precondition (and (at ?r) (in ?t ?r)) :effect (have ?t))
  (:action light :parameters () :precondition (or (dark) (exists (?t - thing) (have ?t))) :effect (lit))
  (:action swap :parameters (?a ?b - room) :precondition (and (at ?a) (not (= ?a ?b)))
    :effect (forall (?t - thing) (when (in ?t ?a) (and (in ?t ?b) (not (in ?t ?a)))))))
"""


def reached(
    init: str, goal: str, objects: str = "hall attic cellar - room lamp - thing", domain: str = DOMAIN
) -> Reached:
    problem = f"(define (problem p) (:domain rooms) (:objects {objects}) (:init {init}) (:goal {goal}))"
    found = reach(parse(Source("d", domain), Source("p", problem)))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("init", "goal", "hopeless", "blocked"),
    [
        ("(at hall) (in lamp hall)", "(at attic)", ("(at attic)",), {"go"}),
        ("(at hall) (door attic hall) (in lamp hall)", "(at attic)", ("(at attic)",), {"go"}),
        ("(at hall) (door hall attic)", "(lit)", ("(lit)",), {"take", "light"}),
        ("(door hall attic)", "(at attic)", ("(at attic)",), {"go", "take", "light", "swap"}),
    ],
)
def test_what_keeps_an_operator_from_being_done_is_found(
    init: str, goal: str, hopeless: tuple[str, ...], blocked: set[str]
) -> None:
    found = reached(init, goal)
    assert (found.hopeless, set(found.blocked)) == (hopeless, blocked)


def test_conditions_of_which_each_may_hold_are_reported_together() -> None:
    two = "(:action two :parameters (?r ?s - room) :precondition (and (door ?r ?s) (door ?s ?r)) :effect (dark)) "
    found = reached(
        "(at hall) (door hall attic)", "(lit)", domain=DOMAIN.replace("(:action swap", f"{two}(:action swap")
    )
    assert found.blocked["two"] == "it needs (door ?r ?s) and (door ?s ?r), which never hold together"


def test_a_goal_that_is_out_of_reach_is_found_without_grounding() -> None:
    rooms = " ".join(f"r{n}" for n in range(400))
    doors = " ".join(f"(door r{n} r{n + 1})" for n in range(398))
    found = reached(f"(at r0) {doors} (in lamp r0)", "(and (at r398) (at r399))", f"{rooms} - room lamp - thing")
    assert found.hopeless == ("(at r399)",)
