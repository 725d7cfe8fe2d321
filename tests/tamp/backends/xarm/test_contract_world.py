"""A plan in a world: what is refused before anything moves, and what only seeing can tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tamp.backends.xarm.contract import read_contract
from tamp.backends.xarm.contract_world import breaches_in
from tamp.backends.xarm.workcell import Workcell, read_workcell
from tamp.data import data_dir
from tamp.files.source import read


@pytest.fixture(scope="module")
def bench() -> Workcell:
    return read_workcell(data_dir("problems") / "xarm" / "bench.toml")


@pytest.mark.parametrize("name", ["touch_cup", "closest_cup", "second_nearest_bottle"])
def test_the_contracts_examples_are_for_the_shipped_world(name: str, bench: Workcell) -> None:
    assert breaches_in(read_contract(read(data_dir("problems") / "xarm" / f"{name}.json")), bench) == []


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
    (told,) = [str(b) for b in breaches_in({"goal": "g", "steps": steps}, bench)]
    assert told.startswith(says)


def test_one_wrong_step_does_not_make_the_next_ones_wrong(bench: Workcell) -> None:
    steps = [at(700, 0, 100), up(10), named("nowhere"), up(10), at(400, 0, 5000), up(700)]
    assert [b.step for b in breaches_in({"goal": "g", "steps": steps}, bench)] == [1, 3, 5]


def test_things_are_not_gone_to_without_a_detector(bench: Workcell) -> None:
    blind = replace(bench, detector=replace(bench.detector, source=None))
    (told,) = [str(b) for b in breaches_in({"goal": "g", "steps": [named(), touch()]}, blind)]
    assert told.startswith("step 2, label: the world has no detector to see it; valid: [detector] with source")
