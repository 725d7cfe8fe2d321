"""The xArm action plan: what keeps to the contract, and what the schema cannot say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamp.backends.xarm.arm_steps import FIELDS, steps_of
from tamp.backends.xarm.contract import breaches, unread

CUP = {"labels": ["cup"], "selector": "nearest", "timeout_sec": 5}
BOTTLE = {"labels": ["bottle"], "selector": "nearest", "ref": {"named": "bin_drop"}, "index": 1, "timeout_sec": 5}
LIFT = [{"action": "RETREAT_Z", "dz_mm": 80}, {"action": "MOVE_TO_NAMED", "name": "home"}]
EXAMPLES = {
    "Approach the cup, touch it, lift, and go home": [
        {"action": "APPROACH_OBJECT", "label": "cup", "hover_mm": 80, "timeout_sec": 5},
        {"action": "MOVE_TO_OBJECT", "label": "cup", "offset_mm": [0, 0, 0], "timeout_sec": 5},
        *LIFT,
    ],
    "Approach the closest cup, touch it, lift, and go home": [
        {"action": "APPROACH_OBJECT", **CUP, "hover_mm": 80},
        {"action": "MOVE_TO_OBJECT", **CUP, "offset_mm": [0, 0, 0]},
        *LIFT,
    ],
    "Go above the second-nearest bottle relative to bin, then touch it": [
        {"action": "APPROACH_OBJECT", **BOTTLE, "hover_mm": 60},
        {"action": "MOVE_TO_OBJECT", **BOTTLE, "offset_mm": [0, 0, 0]},
    ],
}
"""The contract's own."""


def told(*steps: dict[str, Any], known: frozenset[str] | None = None) -> list[str]:
    return [str(b) for b in breaches({"goal": "g", "steps": list(steps)}, known)]


@pytest.mark.parametrize("goal", EXAMPLES)
def test_the_contracts_examples_keep_to_it(goal: str) -> None:
    assert breaches({"goal": goal, "steps": EXAMPLES[goal]}) == []


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ({"action": "FLY"}, "step 1, action: there is no 'FLY'; valid: MOVE_TO_NAMED"),
        ({"name": "home"}, "step 1: 'action' is a required property"),
        ({"action": "MOVE_TO_OBJECT"}, "step 1: 'labels' or 'label' is needed"),
        ({"action": "RETREAT_Z", "dz_mm": 0}, "step 1, dz_mm: 0 is less than or equal to the minimum of 0"),
        ({"action": "RETREAT_Z", "dz_mm": "80"}, "step 1, dz_mm: '80' is not of type 'number'"),
        ({"action": "MOVE_TO_NAMED", "name": "home", "speed": 1}, "step 1: Additional properties are not allowed"),
        ({"action": "MOVE_TO_POSE", "pose": {"xyz_mm": [1], "rpy_deg": [0, 0, 0]}}, "step 1, pose.xyz_mm: [1] is"),
    ],
)
def test_what_breaks_the_schema_is_placed(step: dict[str, Any], says: str) -> None:
    (breach,) = told(step)
    assert breach.startswith(says)


@pytest.mark.parametrize(
    ("step", "says"),
    [
        (
            {"action": "MOVE_TO_OBJECT", "label": "cup", "labels": ["mug"]},
            "step 1, label: 'label' says 'cup' and 'labels' ['mug']: give one of them",
        ),
        (
            {"action": "APPROACH_OBJECT", "label": "cup", "ref": {}},
            'step 1, ref: it names nothing; valid: {"named": …}, or no ref for the tool itself',
        ),
        (
            {"action": "APPROACH_OBJECT", "label": "cup", "selector": "highest_conf", "ref": {"named": "bin"}},
            "step 1, ref: only 'nearest' has one; the selector is 'highest_conf'",
        ),
        ({"action": "SLEEP", "seconds": float("inf")}, "step 1, seconds: a number that is not finite"),
    ],
)
def test_what_no_schema_can_say_is_checked(step: dict[str, Any], says: str) -> None:
    assert told(step) == [says]


JSON = st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5), lambda x: st.lists(x, max_size=3))


@given(
    st.fixed_dictionaries(
        {"action": st.sampled_from([*FIELDS, "?"])},
        optional={f: JSON for fields in FIELDS.values() for f in fields},
    )
)
def test_whatever_a_step_holds_is_judged(step: dict[str, Any]) -> None:
    assert all(b.step == 1 for b in breaches({"goal": "g", "steps": [step]}))


@pytest.mark.parametrize(
    ("step", "says"),
    [
        (
            {"action": "MOVE_TO_NAMED", "name": "home", "dz_mm": 5},
            "step 1, dz_mm: MOVE_TO_NAMED does not read it: it belongs to RETREAT_Z",
        ),
        (
            {"action": "MOVE_TO_OBJECT", "label": "cup", "hover_mm": 5},
            "step 1, hover_mm: MOVE_TO_OBJECT does not read it: it belongs to APPROACH_NAMED, APPROACH_OBJECT",
        ),
        (
            {"action": "APPROACH_OBJECT", "label": "cup", "offset_mm": [0, 0, 5]},
            "step 1, offset_mm: APPROACH_OBJECT does not read it: it belongs to MOVE_TO_OBJECT",
        ),
    ],
)
def test_what_the_schema_allows_and_the_action_does_not_read_is_a_warning(step: dict[str, Any], says: str) -> None:
    plan = {"goal": "g", "steps": [step]}
    assert breaches(plan) == []
    assert [str(b) for b in unread(plan)] == [says]
    bare = {k: v for k, v in step.items() if k in ("action", "name", "label")}
    assert steps_of(plan) == steps_of({"goal": "g", "steps": [bare]}), "and it changes nothing"
