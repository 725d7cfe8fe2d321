"""Plans as JSON."""

from __future__ import annotations

import json

import pytest

from tamp.errors import InputError
from tamp.pddl.source import Source
from tamp.plans.formats import read_plan


def test_arguments_come_by_parameter_or_in_order() -> None:
    text = '[{"skill": "Pick", "args": {"o": "Cup", "from": "bench"}}, {"skill": "drop", "args": ["x"]}]'
    first, second = read_plan(Source("plan", text)).steps
    assert (first.name, first.named, str(first)) == ("pick", {"o": "cup", "from": "bench"}, "(pick cup bench)")
    assert (second.named, second.args) == (None, ("x",))


def test_what_tamp_plan_prints_is_read() -> None:
    printed = json.dumps({"status": "found", "plan": ["(pick a b)", "(drop)"]})
    assert [str(s) for s in read_plan(Source("plan", printed)).steps] == ["(pick a b)", "(drop)"]


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
        ('[""]', "step 1"),
    ],
)
def test_what_is_no_plan_is_told(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_plan(Source("plan", text))
