"""Plans as JSON."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.pddl.plan_formats import read_plan


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


@pytest.mark.parametrize("text", ["[]", '{"status": "found", "plan": []}', '{"plans": [{"cost": 0, "actions": []}]}'])
def test_an_empty_list_is_an_empty_plan(text: str) -> None:
    assert read_plan(Source("plan", text)).steps == ()


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
