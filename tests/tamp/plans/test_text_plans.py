"""Plans of a step a line, as the planners write them."""

from __future__ import annotations

import pytest

from tamp.errors import InputError
from tamp.pddl.source import Source
from tamp.plans.formats import read_plan

WRITTEN = {
    "Fast Downward": "(pick a b)\n(put a c)\n; cost = 2 (unit cost)\n",
    "Fast Downward's log": "pick a b (1)\nput a c (1)\n",
    "FF": "ff: found legal plan as follows\n\nstep    0: PICK A B\n        1: PUT A C\n",
    "LPG": "; Version LPG-td-1.0\n0.0003:   (PICK A B)[D:1.0000; C:0.1000]\n1.0003:   (PUT A C)[D:1.0; C:0.1]\n",
    "OPTIC": "; Plan found with metric 2.0\n0.000: (pick a b)  [1.000]\n1.001: (put a c)  [1.000] ; [done]\n",
    "ENHSP": "Found Plan:\n0.0: (pick a b)\n1.0: (put a c)\n",
    "unified-planning": "SequentialPlan:\n    pick(a, b)\n    put(a, c)\n",
    "unified-planning, timed": "TimeTriggeredPlan:\n    0.0: pick(a, b) [4.0]\n    4.5: put(a, c) [1.0]\n",
    "by hand": "1. (PICK a b) ; first\r\n\r\n2. (put A c)\r\n",
    "with a great number": "1.5E+01: (pick a b)\n2e+1: (put a c)\n",
}


@pytest.mark.parametrize("who", WRITTEN)
def test_every_way_of_writing_a_plan_reads_the_same(who: str) -> None:
    assert [str(step) for step in read_plan(Source("plan", WRITTEN[who])).steps] == ["(pick a b)", "(put a c)"]


@pytest.mark.parametrize("who", ["LPG", "OPTIC", "unified-planning, timed", "with a great number"])
def test_times_are_told_from_numbers_of_steps(who: str) -> None:
    plan = read_plan(Source("plan", WRITTEN[who]))
    assert plan.format == "timed"
    assert plan.steps[0].start is not None and plan.steps[0].start < (plan.steps[1].start or 0)
    assert read_plan(Source("plan", WRITTEN[who]), "pddl").format == "pddl"  # when that is asked for
    assert read_plan(Source("plan", WRITTEN["ENHSP"])).format == "pddl"


@pytest.mark.parametrize(
    "line", ["pick a b", "(pick a b", "(pick, a)", "1e999999999: (pick)", f"{'9' * 5000}: (pick)", "()"]
)
def test_what_is_no_step_is_bad_input_with_its_place(line: str) -> None:
    with pytest.raises(InputError, match=r"plan:2:1: not a step"):
        read_plan(Source("plan", f"(put a c)\n{line}\n"))
