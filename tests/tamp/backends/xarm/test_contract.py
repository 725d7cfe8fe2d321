"""The xArm action plan: what keeps to the contract, and what the schema cannot say."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamp.backends.xarm import arm_steps as s
from tamp.backends.xarm.arm_steps import FIELDS, steps_of
from tamp.backends.xarm.contract import breaches, breaches_in, unread
from tamp.backends.xarm.workcell import Workcell, read_workcell
from tamp.data import data_dir


def shown(*steps: dict[str, Any], known: frozenset[str] | None = None) -> list[str]:
    return [str(b) for b in breaches({"goal": "g", "steps": list(steps)}, known)]


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
    (breach,) = shown(step)
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
    assert shown(step) == [says]


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
    ],
)
def test_what_the_schema_allows_and_the_action_does_not_read_is_a_warning(step: dict[str, Any], says: str) -> None:
    plan = {"goal": "g", "steps": [step]}
    assert breaches(plan) == []
    assert [str(b) for b in unread(plan)] == [says]
    bare = {k: v for k, v in step.items() if k in ("action", "name", "label")}
    assert steps_of(plan) == steps_of({"goal": "g", "steps": [bare]}), "and it changes nothing"


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


# In a world


@pytest.fixture(scope="module")
def bench() -> Workcell:
    return read_workcell(data_dir("problems") / "xarm" / "bench.toml")


def named(name: str = "home") -> dict[str, Any]:
    return {"action": "MOVE_TO_NAMED", "name": name}


def above(name: str, hover: float) -> dict[str, Any]:
    return {"action": "APPROACH_NAMED", "name": name, "hover_mm": hover}


def at(*xyz: float) -> dict[str, Any]:
    return {"action": "MOVE_TO_POSE", "pose": {"xyz_mm": list(xyz), "rpy_deg": [180, 0, 0]}}


def up(dz: float) -> dict[str, Any]:
    return {"action": "RETREAT_Z", "dz_mm": dz}


def touch(**said: Any) -> dict[str, Any]:
    return {"action": "MOVE_TO_OBJECT", "label": "cup", **said}


def hover(**said: Any) -> dict[str, Any]:
    return {"action": "APPROACH_OBJECT", "label": "cup", **said}


SLEEP = {"action": "SLEEP", "seconds": 1}


@pytest.mark.parametrize(
    "steps",
    [
        [hover(), touch(), up(80), named()],
        [hover(labels=["bottle"], ref={"named": "bin_drop"}, index=1) | {"label": "bottle"}],
        [up(500)],  # nobody knows where from
        [at(400, 0, 100), SLEEP, up(400)],
        [above("bin_drop", 400)],
        [hover(hover_mm=600)],  # of a thing on the table
        [touch(offset_mm=[0, 880, 0])],  # of one at the far right
        [at(520, 300, 50)],  # on the edge of a keep-out box
        [hover(hover_mm=200), up(300)],
    ],
)
def test_what_may_be_right_is_left_to_seeing(steps: list[dict[str, Any]], bench: Workcell) -> None:
    assert [str(b) for b in breaches_in({"goal": "g", "steps": steps}, bench)] == []


SPACE = "valid: x 150 to 650, y -450 to 450, z 5 to 600 mm"


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        ([named("hom")], "step 1, name: there is no named pose 'hom'; did you mean 'home'?"),
        ([named("Home")], "step 1, name: there is no named pose 'Home'; did you mean 'home'?"),
        ([named("zzz")], "step 1, name: there is no named pose 'zzz'; valid: above_table, bin_drop, home"),
        (
            [hover(ref={"named": "bin"})],
            "step 1, ref.named: there is no named pose 'bin'; valid: above_table, bin_drop",
        ),
        ([touch() | {"label": "cupp"}], "step 1, label: there is no label of the detector 'cupp'; did you mean 'cup'?"),
        ([hover(labels=["cup"]), hover(labels=["cup", "dog"]) | {"label": "cup"}], "step 2, label: 'label' says 'cup'"),
        ([at(700, 0, 100)], f"step 1, pose.xyz_mm: it ends outside the workspace at (700, 0, 100) mm; {SPACE}"),
        (
            [at(560, 350, 100)],
            "step 1, pose.xyz_mm: it ends in the keep-out box 'camera_post' at (560, 350, 100) mm; val",
        ),
        ([above("bin_drop", 421)], "step 1, hover_mm: it ends outside the workspace at (390, -390, 601) mm; "),
        ([at(400, 0, 100), SLEEP, up(501)], "step 3, dz_mm: it ends outside the workspace at (400, 0, 601) mm; "),
        ([hover(hover_mm=601)], f"step 1, hover_mm: it ends outside the workspace wherever the thing is; {SPACE}"),
        ([touch(offset_mm=[0, 901, 0])], "step 1, offset_mm: it ends outside the workspace wherever the thing is; "),
        ([hover(hover_mm=200), up(401)], "step 2, dz_mm: it ends outside the workspace wherever it begins; "),
        ([up(300), hover(), SLEEP, up(521)], "step 4, dz_mm: it ends outside the workspace wherever it begins; "),
        ([up(-5)], "step 1, dz_mm: -5 is less than or equal to the minimum of 0"),
        ([{"action": "SLEEP", "seconds": 3601}], "step 1, seconds: 3601 seconds; valid: at most 3600"),
    ],
)
def test_what_cannot_be_right_is_refused(steps: list[dict[str, Any]], says: str, bench: Workcell) -> None:
    (shown,) = [str(b) for b in breaches_in({"goal": "g", "steps": steps}, bench)]
    assert shown.startswith(says)


def test_one_wrong_step_does_not_make_the_next_ones_wrong(bench: Workcell) -> None:
    steps = [at(700, 0, 100), up(10), named("nowhere"), up(10), at(400, 0, 5000), up(700)]
    assert [b.step for b in breaches_in({"goal": "g", "steps": steps}, bench)] == [1, 3, 5]


def test_things_are_not_gone_to_without_a_detector(bench: Workcell) -> None:
    blind = replace(bench, detector=replace(bench.detector, source=None))
    (shown,) = [str(b) for b in breaches_in({"goal": "g", "steps": [named(), touch()]}, blind)]
    assert shown.startswith("step 2, label: the world has no detector to see it; valid: [detector] with source")
