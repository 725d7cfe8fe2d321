"""Plans as text, as planners and people write them, and what planners print around them."""

from __future__ import annotations

import itertools

import pytest

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.pddl.plan_file import PlanFile
from tamp.pddl.plan_formats import read_plan

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


def test_a_step_has_the_line_on_which_it_begins() -> None:
    assert [step.line for step in read("; c\n(a)(b\n c) (d)\n\n(e)").steps] == [2, 2, 3, 5]


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
    "POPF": """Number of literals: 7
Constructing lookup tables: [10%] [20%]
b (2.000 | 0.000)b (1.000 | 0.001);;;; Solution Found
; Cost: 0.002
0.000: (pick a b)  [0.001]
0.001: (put a c)  [0.001]

 * All goal deadlines now no later than 0.002
""",
    "LPG": """Number of actions             :       4
 solution found:
Plan computed:
   Time: (ACTION) [action Duration; action Cost]
 0.0000: (PICK A B) [D:1.00; C:1.00]
 1.0000: (PUT A C) [D:1.00; C:1.00]


Solution number: 1
Actions:         2
     Plan file:       plan.SOL
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
