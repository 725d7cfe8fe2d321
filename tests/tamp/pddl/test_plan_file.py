"""Plan files: text, as planners and people write it, JSON, and the names in them."""

from __future__ import annotations

import itertools
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
    "Fast Downward's log": "pick a b (1)\nput a c (1)\n",
    "FF": "ff: found legal plan as follows\n\nstep    0: PICK A B\n        1: PUT A C\n",
    "LPG": "; Version LPG-td-1.0\n0.0003:   (PICK A B)[D:1.0000; C:0.1000]\n1.0003:   (PUT A C)[D:1.0; C:0.1]\n",
    "OPTIC": "; Plan found with metric 2.0\n0.000: (pick a b)  [1.000]\n1.001: (put a c)  [1.000] ; [done]\n",
    "SGPlan": "; Time 0.01\n; NrActions 2\n; MakeSpan\n\n0.001: (PICK A B) [1.0000]\n1.002: (PUT A C) [1.0000]\n",
    "TFD": "0.00000000: (pick a b) [1.00000000]\n1.01000000: (put a c) [1.00000000]\n",
    "VAL": "0.00100: (pick a b)\n0.00200: (put a c)",
    "CPT": "; Time 0.0\n0: (pick a b) [1]\n1: (put a c) [1]\n",
    "Blackbox": "Begin plan\n1 (pick a b)\n2 (put a c)\nEnd plan\n",
    "Madagascar": "PLAN FOUND: 2 steps\nSTEP 0: pick(a,b)\nSTEP 1: put(a,c)\n2 actions in the plan.\n",
    "ENHSP": "Found Plan:\n0.0: (pick a b)\n1.0: (put a c)\n",
    "LAPKT": "Plan found with cost: 2\n1. (pick a b)\n2. (put a c)\nTime: 0.01\nGenerated: 4\n",
    "unified-planning": "SequentialPlan:\n    pick(a, b)\n    put(a, c)\n",
    "unified-planning's log": "  *** Credits ***\n\nSequentialPlan:\n    pick(a, b)\n    put(a, c)\n",
    "unified-planning, timed": "TimeTriggeredPlan:\n    0.0: pick(a, b) [4.0]\n    4.5: put(a, c) [1.0]\n",
    "unified-planning, written": "0: (pick a b)[4]\n4.5: (put a c)[1]\n",
    "by hand": "1. (PICK a b) ; first\r\n\r\n2. (put A c)\r\n",
    "with a great number": "1.5E+01: (pick a b)\n2e+1: (put a c)\n",
    "on one line": "(pick a b)(put a c)",
    "over two lines": "( pick ; from\n  a b)  ( put\n\ta\n c )\n",
    "a time above its step": "0.5:\n  (pick a b)\n  [2.0]\n3: (put a c) [1]",
    "a language model's answer": "Here is the plan:\n\n```pddl\n(pick a b)\n(put a c)\n```\nIt has two steps.\n",
}


def read(text: str) -> PlanFile:
    return read_plan(Source("plan", text))


@pytest.mark.parametrize("who", WRITTEN)
def test_every_way_of_writing_a_plan_reads_the_same(who: str) -> None:
    assert [str(step) for step in read(WRITTEN[who]).steps] == ["(pick a b)", "(put a c)"]


@pytest.mark.parametrize("who", ["LPG", "OPTIC", "unified-planning, timed", "with a great number"])
def test_times_are_told_from_numbers_of_steps(who: str) -> None:
    plan = read(WRITTEN[who])
    assert plan.format == "timed"
    assert plan.steps[0].start is not None and plan.steps[0].start < (plan.steps[1].start or 0)
    assert read_plan(Source("plan", WRITTEN[who]), "pddl").format == "pddl"  # when that is asked for
    assert read(WRITTEN["ENHSP"]).format == "pddl"


@pytest.mark.parametrize(
    "line", ["pick a b", "(pick a b", "(pick, a)", "1e999999999: (pick)", f"{'9' * 5000}: (pick)", "()", "(a) b", "a(b"]
)
def test_what_is_no_step_is_bad_input_with_its_place(line: str) -> None:
    with pytest.raises(InputError, match=r"plan:2:1: not a step"):
        read(f"(put a c)\n{line}\n")


FOUND = {
    "Fast Downward": """INFO     planner time limit: None
Parsing: [0.000s CPU, 0.010s wall-clock]
14 relevant atoms
[t=0.0001s, 9988 KB] f(n) = 3.0 (1 evaluated)
[t=0.0002s, 9988 KB] Solution found!
pick a b (1)
put a c (1)
[t=0.0002s, 9988 KB] Plan length: 2 step(s).
[t=0.0002s, 9988 KB] Expanded 3 state(s).
Completely explored state space -- no solution!
""",
    "FF": """ff: parsing domain file
domain 'D' defined
Cueing down from goal distance:    2 into depth [1]
                                   1            [1]
ff: found legal plan as follows
step    0: PICK A B
        1: PUT A C
plan cost: 2.000000

time spent:    0.00 seconds instantiating 8 easy, 0 hard action templates
               0.00 seconds total time
""",
    "ENHSP": """Domain parsed
h(n = s_0)=2.0
f(n) = 2.0 (Expanded Nodes: 0, Evaluated States: 0, Time: 0.0)
Problem Solved

0.0: (pick a b)
1.0: (put a c)

Plan-Length:2
Planning Time (msec): 20
""",
}


@pytest.mark.parametrize("who", FOUND)
def test_a_planners_whole_output_is_read_and_what_is_skipped_is_said(who: str) -> None:
    plan = read(FOUND[who])
    assert [str(step) for step in plan.steps] == ["(pick a b)", "(put a c)"]
    (note,) = plan.notes
    said = [n for n, line in enumerate(FOUND[who].split("\n"), 1) if line.strip() and line[0] != ";"]
    words = [n for n in said if n not in {s.line for s in plan.steps}]
    assert note.startswith(f"skipped {len(words)} lines that are no steps: {words[0]}")


def test_of_several_plans_the_last_one_is_read() -> None:
    once = "Solution found!\n(pick a b)\nPlan cost: 1\n"
    plan = read(f"{once}Solution found!\n(put a c)\n(put a b)\nPlan cost: 2\nSolution found.\n")
    assert [str(step) for step in plan.steps] == ["(put a c)", "(put a b)"]
    assert plan.notes == ("the last of 2 plans", "skipped 5 lines that are no steps: 1, 3-4, 7-8")
    symk = (
        "[t=0.1s, 9 KB] New plan 1 found with cost 1\n(a) (1)\n[t=0.2s, 9 KB] New plan 2 found with cost 1\n(b) (1)\n"
    )
    assert [str(step) for step in read(symk).steps] == ["(b)"]
    assert len(read("; plan 1: 1 step\n(a)\n; plan 2: 1 step\n(b)\n").steps) == 1


@pytest.mark.parametrize(("who", "broken"), itertools.product(FOUND, ["(put a", "put a d", "and then", "1: PUT (A"]))
def test_a_broken_step_in_a_planners_output_is_not_skipped(who: str, broken: str) -> None:
    lines = FOUND[who].split("\n")
    place = next(s.line for s in read(FOUND[who]).steps[1:])
    assert place is not None
    with pytest.raises(InputError, match=f"^plan:{place}:1: not a step of a plan"):
        read("\n".join((*lines[: place - 1], broken, *lines[place - 1 :])))
    if broken != "and then":
        with pytest.raises(InputError, match=f"^plan:{place + 1}:1: not a step of a plan"):
            read("\n".join((*lines[:place], broken, *lines[place:])))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "; cost = 0 (unit cost)\n",
        "SequentialPlan:\n",
        "ff: parsing problem file\n\nff: goal can be simplified to TRUE. The empty plan solves it\n",
        "INFO     planner time limit: None\n[t=0.1s, 9 KB] Solution found!\n[t=0.1s, 9 KB] Plan length: 0 step(s).\n",
        "Goals found: 1\nPlan found with cost: 0\n",
        "Number of literals: 2\n;;;; Solution Found\n; States evaluated: 0\n; Cost: 0.000\n; Time 0.00\n",
    ],
)
def test_an_empty_plan_is_one_that_is_said_to_be_empty(text: str) -> None:
    assert read(text).steps == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("INFO     search\nCompletely explored state space -- no solution!\n", "plan:2: there is no plan"),
        ("Literals: 2\n;; Problem unsolvable!\n;;;; Solution Found\n; Time 0.00\n", "plan:2: there is no plan"),
        ("ff: goal can be simplified to FALSE. No plan will solve it\n", "plan:1: there is no plan"),
        ("Search stopped without finding a solution.", "plan:1: there is no plan"),
        ("Nodes generated: 2\nPlan found with cost: 0.5\nBFS search completed\n", "plan:2: no step of a plan in it"),
        ("; Plan found with metric 5.0\n; Time 0.0\n", "plan:1: no step of a plan in it"),
        ("Dear all,\nplease find\nenclosed nothing.\n", "plan:1:1: not a step of a plan: 'Dear all,'.*and 2 more"),
        ("(define (domain d)\n (:predicates (p))\n (:action a\n :effect (p)))\n", "plan:1:1: not a step of a plan"),
    ],
)
def test_what_has_no_plan_is_one_clear_error(text: str, says: str) -> None:
    with pytest.raises(InputError, match=f"^{says}") as e:
        read(text)
    assert len(e.value.messages) == 1


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("0: (pick a b)\n1: (drop)\n", "pddl"),
        ("3: (pick a b)\n4: (drop)\n", "pddl"),
        ("0: (pick a b)\n0: (drop)\n", "timed"),
        ("0.5: (pick a b)\n2: (drop)\n", "timed"),
        ("0: (pick a b) [2]\n1: (drop) [1]\n", "timed"),
        ("(pick a b)\n", "pddl"),
        ('[{"skill": "pick", "args": {}}]', "skills"),
    ],
)
def test_numbers_that_count_are_told_from_times(text: str, form: str) -> None:
    assert read_plan(Source("plan", text)).format == form


def test_arguments_come_by_parameter_or_in_order() -> None:
    text = '[{"skill": "Pick", "args": {"o": "Cup", "from": "bench"}}, {"skill": "drop", "args": ["x"]}]'
    first, second = read_plan(Source("plan", text)).steps
    assert (first.name, first.named, str(first)) == ("pick", {"o": "cup", "from": "bench"}, "(pick cup bench)")
    assert (second.named, second.args) == (None, ("x",))


@pytest.mark.parametrize(
    "value",
    [
        {"status": "found", "plan": ["(pick a b)", "(drop)"], "message": ""},  # tamp plan
        {"status": "ok", "result": {"cost": 2, "plan": [{"name": "(pick a b)", "action": "(:action pick"}, "(drop)"]}},
        {"result": {"output": {"plan": "(pick a b)\n(drop)\n"}, "stdout": "solved"}, "status": "ok"},
        {"result": {"output": {"sas_plan": "(pick a b)\n(drop)\n; cost = 2\n"}, "stderr": ""}, "status": "ok"},
        {"result": {"stdout": "ff: found legal plan as follows\nstep 0: PICK A B\n     1: DROP\n\ntime spent: 0\n"}},
        {"plan": "(pick a b) (drop)"},
        {"plans": [{"cost": 2, "actions": ["pick a b", "drop"]}, {"cost": 3, "actions": ["drop"]}]},
        [{"action": "pick", "parameters": ["a", "b"]}, {"name": "drop", "arguments": []}],
        {"success": True, "plan": ["(pick a b)", "(drop)"], "steps": 61},  # tamp solve, which counts other steps
    ],
)
def test_a_plan_is_read_where_planners_put_it(value: Any) -> None:
    plan = read_plan(Source("plan", json.dumps(value)))
    assert [str(s) for s in plan.steps] == ["(pick a b)", "(drop)"]
    assert [n for n in plan.notes if "plans" in n] == (["the first of 2 plans"] if "plans" in value else [])


def test_times_come_with_the_steps_or_beside_them() -> None:
    text = '{"items": 0, "plan": ["0.5: (pick a b) [2.25]", {"time": 3.0, "action": "(drop)", "duration": 1.5}]}'
    plan = read_plan(Source("plan", text))
    assert plan.format == "timed"
    assert [(s.start, s.duration) for s in plan.steps] == [(Fraction(1, 2), Fraction(9, 4)), (3, Fraction(3, 2))]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[{]", r"plan:1:3: not JSON"),
        ("[NaN]", "NaN is no number"),
        ('[{"skill": "a", "skill": "b", "args": {}}]', "'skill' is said twice"),
        ("[" * 100_000, "nested too deeply"),
        ("[" + "1" * 5000 + "]", "not JSON"),
        ("{}", 'valid: .*"skill"'),
        ("[3]", "step 1 is 3"),
        ('[{"skill": "a", "args": {}}, {"skill": "a"}]', "step 2 is"),
        ('[{"skill": "a", "args": {"x": 1}}]', 'step 1: "args" are names'),
        ('["(a"]', "step 1:1:1: not a step"),
        ('["(a) (b)"]', "step 1 is"),
        ('[""]', "step 1"),
        ('{"status": "unsolvable", "plan": null}', "plan: there is no plan in it: the planner says 'unsolvable'"),
        ('{"status": "timeout", "plan": []}', "there is no plan in it: the planner says 'timeout'"),
        ('{"plans": []}', "plan: there is no plan in it: .plans. is empty"),
        ('{"result": {"output": "Search stopped without finding a solution."}}', "result: output:1: there is no plan"),
        ('{"status": "error", "result": {"error": "planner failed"}}', "result: there is no plan .* 'planner failed'"),
        ('{"plan": "(a)\\n(b"}', "plan: plan:2:1: not a step"),
        ('{"result": null, "status": "ok"}', "plan: result: not a plan; valid"),
    ],
)
def test_what_is_no_plan_is_told(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_plan(Source("plan", text))


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
