"""Plan files: text, as planners and people write it, JSON, and the names in them."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.pddl.judges import read_for
from tamp.pddl.plan_file import BadPlan, PlanFile, resolve
from tamp.pddl.plan_formats import read_plan
from tamp.pddl.reading import parse

WRITTEN = {
    "Fast Downward": "(pick a b)\n(put a c)\n; cost = 2 (unit cost)\n",
    "LPG": "; Version LPG-td-1.0\n0.0003:   (PICK A B)[D:1.0000; C:0.1000]\n1.0003:   (PUT A C)[D:1.0; C:0.1]\n",
    "OPTIC": "; Plan found with metric 2.0\n0.000: (pick a b)  [1.000]\n1.001: (put a c)  [1.000] ; [done]\n",
    "VAL": "0.00100: (pick a b)\n0.00200: (put a c)",
    "unified-planning": "SequentialPlan:\n    pick(a, b)\n    put(a, c)\n",
    "unified-planning, timed": "TimeTriggeredPlan:\n    0.0: pick(a, b) [4.0]\n    4.5: put(a, c) [1.0]\n",
    "by hand": "1. (PICK a b) ; first\r\n\r\n2. (put A c)\r\n",
    "with a great number": "1.5E+01: (pick a b)\n2e+1: (put a c)\n",
    "over two lines": "( pick ; from\n  a b)  ( put\n\ta\n c )\n",
}


def read(text: str) -> PlanFile:
    return read_plan(Source("plan", text))


@pytest.mark.parametrize("who", WRITTEN)
def test_every_way_of_writing_a_plan_reads_the_same(who: str) -> None:
    assert [str(step) for step in read(WRITTEN[who]).steps] == ["(pick a b)", "(put a c)"]


@pytest.mark.parametrize("who", ["LPG", "OPTIC", "unified-planning, timed", "with a great number"])
def test_times_are_distinguished_from_numbers_of_steps(who: str) -> None:
    plan = read(WRITTEN[who])
    assert plan.format == "timed"
    assert plan.steps[0].start is not None and plan.steps[0].start < (plan.steps[1].start or 0)
    assert read_plan(Source("plan", WRITTEN[who]), "pddl").format == "pddl"  # when that is asked for


@pytest.mark.parametrize(
    "line", ["pick a b", "(pick a b", "(pick, a)", "1e999999999: (pick)", f"{'9' * 5000}: (pick)", "()", "(a) b", "a(b"]
)
def test_what_is_no_step_is_bad_input_with_its_place(line: str) -> None:
    with pytest.raises(InputError, match=r"plan:2:\d+: not a step") as raised:
        read(f"(put a c)\n{line}\n(drop)")
    assert len(raised.value.messages) == 1


@pytest.mark.parametrize("text", ["", " \n", "; cost = 0 (unit cost)\n", "SequentialPlan:\n", "[]"])
def test_a_plan_without_steps_is_a_plan(text: str) -> None:
    assert read(text).steps == ()


@pytest.mark.parametrize("text", ["Dear all,\nplease find\nenclosed\nnothing.\n", "(a)\nb\nc\nd\ne\n"])
def test_what_is_mostly_no_plan_is_one_clear_error(text: str) -> None:
    with pytest.raises(InputError, match=r"^plan:\d:1: not a step of a plan: .*and 3 more") as raised:
        read(text)
    assert len(raised.value.messages) == 1


@pytest.mark.parametrize(
    "value",
    [
        {"status": "found", "plan": ["(pick a b)", "(drop)"], "message": ""},  # tamp plan
        {"plan": "(pick a b) (drop)"},
        ["pick a b", "drop"],
        [{"action": "pick", "parameters": ["a", "b"]}, {"name": "drop", "arguments": []}],
        {"success": True, "plan": ["(pick a b)", "(drop)"], "steps": 61},  # tamp solve, which counts other steps
    ],
)
def test_a_plan_is_read_in_every_form_of_json(value: Any) -> None:
    assert [str(s) for s in read(json.dumps(value)).steps] == ["(pick a b)", "(drop)"]


@pytest.mark.parametrize(
    "value",
    [
        {"status": "ok", "result": {"plan": [{"name": "(pick a b)", "action": "(:action …)"}, {"name": "(drop)"}]}},
        {"status": "ok", "result": {"output": {"sas_plan": "(pick a b)\n(drop)\n; cost = 2 (unit cost)\n"}}},
        {"plans": [{"cost": 2, "actions": ["pick a b", "drop"]}]},
    ],
)
def test_the_answers_of_planning_services_are_read(value: Any) -> None:
    assert [str(s) for s in read(json.dumps(value)).steps] == ["(pick a b)", "(drop)"]


PRINTED = {
    "FF": ("ff: found legal plan as follows\n\nstep    0: PICK A B\n        1: DROP\n\n\n0.00 seconds total\n", 3),
    "Fast Downward": ("[t=0.1s, 9 KB] Solution found!\npick a b (1)\ndrop (1)\n[t=0.1s] Plan length: 2 step(s).\n", 2),
    "OPTIC": (
        "b (2.0 | 1.0)\n0.0: (drop) [1.0]\n * All later\n;;;; Solution Found\n0.0: (pick a b) [1.0]\n1.1: (drop) [1.0]",
        5,
    ),
    "LPG": (
        "Plan computed:\n   Time: (ACTION) [D; C]\n 0.0: (PICK A B) [D:1.0; C:9]\n 1.1: (DROP) [D:1.0; C:9]\n\nTotal",
        3,
    ),
}


@pytest.mark.parametrize("who", PRINTED)
def test_of_all_that_a_planner_prints_the_last_plan_is_read_and_which_lines_it_says(who: str) -> None:
    text, line = PRINTED[who]
    plan = read(text)
    assert [(str(s), s.line) for s in plan.steps] == [("(pick a b)", line), ("(drop)", line + 1)]
    assert plan.notes == (f"only lines {line} to {line + 1} were read, the last steps of a plan",)


@pytest.mark.parametrize("text", ["(pick a b)\nthe plan of the day\n(drop)", "No plan was found\n", "plan:\n(drop"])
def test_a_text_is_not_taken_for_what_a_planner_prints(text: str) -> None:
    with pytest.raises(InputError, match="not a step of a plan"):
        read(text)


def test_times_come_with_the_steps_or_as_fields() -> None:
    plan = read('{"items": 0, "plan": ["0.5: (pick a b) [2.25]", {"time": 3.0, "action": "(drop)", "duration": 1.5}]}')
    assert plan.format == "timed"
    assert [(s.start, s.duration) for s in plan.steps] == [(Fraction(1, 2), Fraction(9, 4)), (3, Fraction(3, 2))]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[{]", r"plan:1:3: not JSON"),
        ('[{"skill": "a", "skill": "b", "args": {}}]', "'skill' is said twice"),
        ("[" * 100_000, "nested too deeply"),
        ("[" + "1" * 5000 + "]", "not JSON"),
        ("{}", 'valid: .*"skill"'),
        ("[3]", "step 1 is 3"),
        ('[{"skill": "a", "args": {}}, {"skill": "a"}]', "step 2 is"),
        ('[{"skill": "a", "args": {"x": 1}}]', "step 1: its arguments are names"),
        ('["(a"]', "step 1:1:1: not a step"),
        ('["(a) (b)"]', "step 1 is"),
        ('[""]', "step 1"),
        ('{"status": "unsolvable", "plan": null}', "plan: there is no plan in it: its status is 'unsolvable'"),
        ('{"plan": "(a)\\n(b"}', "plan: plan:2:1: not a step"),
    ],
)
def test_what_is_no_plan_in_json_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read(text)


PROBLEM = parse(
    Source(
        "d",
        """(define (domain d) (:requirements :typing) (:types room thing - object box - thing)
        (:constants HALL - room) (:predicates (in ?t - thing ?r - room))
        (:action bring :parameters (?t - thing ?r - room) :precondition () :effect (in ?t ?r)))""",
    ),
    Source("p", "(define (problem p) (:domain d) (:objects Den - room b - box) (:init) (:goal (in b den)))"),
)


def shown(text: str) -> list[str]:
    return [str(a) for a in resolve(read_plan(Source("plan", text)), PROBLEM)]


def test_cases_subtypes_and_constants_are_known() -> None:
    assert shown("(BRING B den)\n(bring b Hall)") == ["bring(b, den)", "bring(b, hall)"]
    assert shown('[{"skill": "bring", "args": {"R": "den", "t": "b"}}]') == ["bring(b, den)"]


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
        shown(text)


def test_what_cannot_be_read_is_reported_with_what_is_unknown() -> None:
    with pytest.raises(BadPlan) as raised:
        read_for(Source("plan", "(bring x den)\n(bring\n(bring b den)\n(bringg b den)\nnothing at all"), PROBLEM)
    assert [m.message.split(": ")[:2] for m in raised.value.mistakes] == [
        ["plan:1", "step 1, (bring x den)"],
        ["plan:2:1", "not a step of a plan"],
        ["plan:4", "step 4, (bringg b den)"],
        ["plan:5:1", "not a step of a plan"],
    ]
