"""Steps that a problem does not have."""

from __future__ import annotations

import pytest

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.pddl.judges import read_for
from tamp.pddl.plan_file import BadPlan, resolve
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.reading import parse

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
        ("(bring den b)", r"den is of type room, but bring's t is of type thing; valid: b "),
        ('[{"skill": "bring", "args": {"t": "b", "to": "den"}}]', r"^plan: step 1, .*takes t, r; given: t, to"),
    ],
)
def test_a_step_of_another_problem_is_told(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        told(text)


def test_all_that_is_wrong_is_told_step_by_step() -> None:
    with pytest.raises(BadPlan) as raised:
        told("(brin c dem)\n(bring b den)\n; well\n(bring c d)\n(bring b)\n(bring den b)")
    assert [(m.step, m.message.split(": ", 2)[2].split(";")[0]) for m in raised.value.mistakes] == [
        (1, "there is no operator 'brin'"),
        (1, "there is no object 'c'"),
        (1, "there is no object 'dem'"),
        (3, "there is no object 'c'"),
        (3, "there is no object 'd'"),
        (4, "bring takes t, r"),
        (5, "den is of type room, but bring's t is of type thing"),
        (5, "b is of type box, but bring's r is of type room"),
    ]
    assert [m.message.split(":")[1] for m in raised.value.mistakes] == ["1", "1", "1", "4", "4", "5", "6", "6"]


def test_what_cannot_be_read_stands_beside_what_is_unknown() -> None:
    with pytest.raises(BadPlan) as raised:
        read_for(Source("plan", "(bring x den)\n(bring\n(bring b den)\n(bringg b den)\nnothing at all"), PROBLEM)
    assert [m.message.split(": ")[:2] for m in raised.value.mistakes] == [
        ["plan:1", "step 1, (bring x den)"],
        ["plan:2:1", "not a step of a plan"],
        ["plan:4", "step 4, (bringg b den)"],
        ["plan:5:1", "not a step of a plan"],
    ]


def test_every_step_of_a_json_plan_that_is_none_is_told() -> None:
    with pytest.raises(BadPlan) as raised:
        read_for(Source("plan", '[{"skill": 1}, "(bring b den)", {"skill": "bring", "args": [1]}]'), PROBLEM)
    assert [m.step for m in raised.value.mistakes] == [1, 3]
