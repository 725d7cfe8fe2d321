"""Steps with their defaults, in metres, radians and seconds, and as the contract writes them."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamp.backends.xarm import arm_steps as s
from tamp.backends.xarm.arm_steps import steps_of, written
from tamp.backends.xarm.contract import breaches, read_contract
from tamp.files.source import Source


@pytest.mark.parametrize(
    ("said", "step"),
    [
        ({"action": "MOVE_TO_NAMED", "name": "home"}, s.MoveToNamed("home")),
        ({"action": "APPROACH_NAMED", "name": "home"}, s.ApproachNamed("home", 0.08)),
        ({"action": "APPROACH_NAMED", "name": "home", "hover_mm": 0}, s.ApproachNamed("home", 0.0)),
        ({"action": "MOVE_TO_OBJECT", "label": "cup"},
         s.MoveToObject(("cup",), "nearest", None, 0, 0.0, 5.0, (0.0, 0.0, 0.0))),
        ({"action": "MOVE_TO_OBJECT", "labels": ["cup", "mug"], "selector": "highest_conf", "index": 2, "min_conf": 0.5,
          "timeout_sec": 2, "offset_mm": [1, -2, 30]},
         s.MoveToObject(("cup", "mug"), "highest_conf", None, 2, 0.5, 2.0, (0.001, -0.002, 0.03))),
        ({"action": "APPROACH_OBJECT", "label": "cup", "labels": ["cup"], "ref": {"named": "bin"}, "index": 1.0},
         s.ApproachObject(("cup",), "nearest", "bin", 1, 0.0, 5.0, 0.08)),
        ({"action": "RETREAT_Z", "dz_mm": 80}, s.RetreatZ(0.08)),
        ({"action": "SLEEP", "seconds": 0}, s.Sleep(0.0)),
        ({"action": "MOVE_TO_POSE", "pose": {"xyz_mm": [300, 0, 200], "rpy_deg": [180, 0, 90]}},
         s.MoveToPose((0.3, 0.0, 0.2), (math.pi, 0.0, math.pi / 2))),
    ],
)  # fmt: skip
def test_a_step_says_all_that_is_left_out(said: dict[str, Any], step: s.Step) -> None:
    plan = {"goal": "g", "steps": [said]}
    assert breaches(plan) == []
    assert steps_of(plan) == (step,)


def test_a_numeric_pose_is_roll_pitch_and_yaw_as_the_arm_has_them() -> None:
    (step,) = steps_of(
        {"steps": [{"action": "MOVE_TO_POSE", "pose": {"xyz_mm": [300, 10, 200], "rpy_deg": [180, 0, 90]}}]}
    )
    assert isinstance(step, s.MoveToPose)
    expected = [[0, 1, 0, 0.3], [1, 0, 0, 0.01], [0, 0, -1, 0.2], [0, 0, 0, 1]]
    assert np.allclose(step.T_base_tool, expected, atol=1e-12)


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


def test_defaults_are_left_out() -> None:
    assert written([s.ApproachObject(("cup",))], "g")["steps"] == [
        {"action": "APPROACH_OBJECT", "labels": ["cup"], "selector": "nearest"}
    ]
