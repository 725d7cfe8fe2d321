"""Steps as the contract writes them: what is written keeps to the schema and is read as the same steps."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamp.backends.xarm import steps as s
from tamp.backends.xarm.contract import FIELDS, read_contract
from tamp.backends.xarm.plan_json import ACTIONS, written
from tamp.files.source import Source

_names = st.text("abc_ ", min_size=1, max_size=6)
_metres = st.integers(-2000, 2000).map(lambda mm: mm / 1000)
_up = st.integers(1, 500).map(lambda mm: mm / 1000)
_xyz = st.tuples(_metres, _metres, _metres)
_which: dict[str, Any] = {
    "labels": st.lists(_names, min_size=1, max_size=2).map(tuple),
    "selector": st.just("nearest"),
    "ref": st.none() | _names,
    "index": st.integers(0, 5),
    "min_conf": st.sampled_from([0.0, 0.5]),
    "timeout": st.sampled_from([5.0, 2.5]),
}
STEPS = st.one_of(
    st.builds(s.MoveToNamed, _names),
    st.builds(s.ApproachNamed, _names, _up),
    st.builds(s.MoveToObject, **_which, offset=_xyz),
    st.builds(s.ApproachObject, **_which, hover=_up),
    st.builds(s.RetreatZ, _up),
    st.builds(s.MoveToPose, _xyz, st.just((3.0, -0.25, 0.5))),
    st.builds(s.Sleep, st.sampled_from([0.0, 1.5])),
)


@given(st.lists(STEPS, min_size=1, max_size=5))
def test_what_is_written_is_read_as_the_same_steps(steps: list[s.Step]) -> None:
    read = s.steps_of(read_contract(Source("plan.json", json.dumps(written(steps, "why")))))
    assert [type(step) for step in read] == [type(step) for step in steps]
    for after, before in zip(read, steps, strict=True):
        for field in before.__dataclass_fields__:
            value = getattr(before, field)
            exact = value is None or isinstance(value, str) or field == "labels"
            assert getattr(after, field) == (value if exact else pytest.approx(value, abs=1e-9, rel=1e-7))


def test_every_action_of_the_contract_is_written() -> None:
    assert set(ACTIONS.values()) == set(FIELDS)


def test_defaults_are_left_out() -> None:
    assert written([s.ApproachObject(("cup",))], "g")["steps"] == [
        {"action": "APPROACH_OBJECT", "labels": ["cup"], "selector": "nearest"}
    ]
