"""Steps that a problem does not have."""

from __future__ import annotations

import pytest

from tamp.errors import InputError
from tamp.pddl.reading import parse
from tamp.pddl.source import Source
from tamp.plans.formats import read_plan
from tamp.plans.resolve import resolve

PROBLEM = parse(
    Source(
        "d",
        """(define (domain d) (:requirements :typing) (:types room thing - object box - thing)
        (:constants HALL - room) (:predicates (in ?t - thing ?r - room))
        (:action bring :parameters (?t - thing ?r - room) :precondition () :effect (in ?t ?r)))""",
    ),
    Source("p", "(define (problem p) (:domain d) (:objects Den - room b - box) (:init) (:goal (in b den)))"),
)


def told(text: str) -> list[str]:
    return [str(a) for a in resolve(read_plan(Source("plan", text)), PROBLEM)]


def test_cases_subtypes_and_constants_are_known() -> None:
    assert told("(BRING B den)\n(bring b Hall)") == ["bring(b, den)", "bring(b, hall)"]
    assert told('[{"skill": "bring", "args": {"R": "den", "t": "b"}}]') == ["bring(b, den)"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (";\n(brin b den)", r"^plan:2: step 1, \(brin b den\): there is no operator 'brin'; valid: bring$"),
        ("(bring b dem)", r"there is no object 'dem'; valid: den"),
        ("(bring b)", r"bring takes t, r; given: b"),
        ("(bring)", r"bring takes t, r; given: nothing"),
        ("(bring b den hall)", r"given: b, den, hall"),
        ("(bring den b)", r"den is of type room, but bring's t is of type thing"),
        ('[{"skill": "bring", "args": {"t": "b", "to": "den"}}]', r"^plan: step 1, .*takes t, r; given: t, to"),
    ],
)
def test_a_step_of_another_problem_is_told(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        told(text)
