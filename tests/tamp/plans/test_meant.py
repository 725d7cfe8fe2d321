"""What a step means that names nothing there: the action that is written most like it."""

from __future__ import annotations

import pytest

from tamp.files.source import Source
from tamp.pddl.reading import parse
from tamp.plans.formats import read_plan
from tamp.plans.meant import MOST, meant
from tamp.plans.repair import shown

PROBLEM = parse(
    Source(
        "d",
        """(define (domain d) (:requirements :typing) (:types room thing - object box - thing)
        (:predicates (in ?t - thing ?r - room) (lit ?r - room))
        (:action bring :parameters (?t - thing ?r - room) :precondition () :effect (in ?t ?r))
        (:action move-over :parameters (?t - thing ?from ?to - room) :precondition () :effect (in ?t ?to))
        (:action light :parameters (?r - room) :precondition () :effect (lit ?r)))""",
    ),
    Source(
        "p",
        """(define (problem p) (:domain d) (:objects Den attic hall - room big-box small-box - box lamp - thing)
        (:init) (:goal (in lamp den)))""",
    ),
)


def most_alike(step: str) -> str:
    (read,) = read_plan(Source("plan", step)).steps
    return shown(meant(PROBLEM, read)[0][1])


@pytest.mark.parametrize(
    ("step", "action"),
    [
        ("(brng lamp den)", "(bring lamp den)"),
        ("(bring lmap den)", "(bring lamp den)"),
        ("(BRING smallbox atic)", "(bring small-box attic)"),
        ("(light hal)", "(light hall)"),
        ("(bring den lamp den)", "(bring lamp den)"),
        ("(move lamp den hall)", "(move-over lamp den hall)"),
        ('[{"skill": "brin", "args": {"r": "dn", "t": "lamp"}}]', "(bring lamp den)"),
        ('[{"skill": "bring", "args": {"what": "lmp", "where": "den"}}]', "(bring lamp den)"),
    ],
)
def test_the_action_that_is_written_most_like_it_comes_first(step: str, action: str) -> None:
    assert most_alike(step) == action


def test_a_word_that_is_missing_can_be_any_object_of_the_type() -> None:
    (read,) = read_plan(Source("plan", "(bring lamp)")).steps
    found = [shown(action) for _, action in meant(PROBLEM, read)]
    assert {"(bring lamp den)", "(bring lamp attic)", "(bring lamp hall)"} <= set(found[:4])


def test_many_words_do_not_take_long() -> None:
    (read,) = read_plan(Source("plan", f"(bring {' '.join(['lamp'] * 200)} den)")).steps
    assert meant(PROBLEM, read) == []
    (read,) = read_plan(Source("plan", "(brng lamp dn)")).steps
    found = meant(PROBLEM, read)
    assert 0 < len(found) <= MOST and [d for d, _ in found] == sorted(d for d, _ in found)


@pytest.mark.parametrize("step", ["(fly)", "(xyz qqq www)", "(bring a b c d e f)"])
def test_a_step_that_is_nothing_like_any_action_means_nothing(step: str) -> None:
    (read,) = read_plan(Source("plan", step)).steps
    assert meant(PROBLEM, read) == []
