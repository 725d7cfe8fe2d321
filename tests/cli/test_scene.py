"""`tamp scene`: what there is, and what an instruction can name."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tamp.model.goal import parse_goal
from tamp.pddl.domain_file import load
from tests.forked import tamp

pytestmark = pytest.mark.process


def scene(*arguments: str) -> subprocess.CompletedProcess[str]:
    return tamp("scene", *arguments)


def test_every_suite_is_known_and_what_lacks_files_is_listed_when_asked_for() -> None:
    answer = json.loads(scene("list", "--json").stdout)
    assert "mug_in_drawer" in [s["name"] for s in answer["scenes"]]
    suites = {s["name"]: s for s in answer["suites"]}
    assert len(suites) > 80
    for name in ("libero_spatial", "libero_object", "libero_goal", "libero_10"):
        assert (suites[name]["tasks"], suites[name]["usable"]) == (10, True)
    assert suites["libero_90"]["tasks"] == 90
    lost = suites["libero_goal_object_ood"]
    assert (lost["usable"], lost["missing"]) == (False, lost["tasks"])
    assert "libero_goal_object_ood" not in scene("list").stdout
    assert "libero_goal_object_ood/0 to 17  not usable" in scene("list", "--all").stdout


@pytest.mark.episode
def test_a_scene_is_shown_with_all_that_can_be_said_of_it(tmp_path: Path) -> None:
    page = tmp_path / "scene.html"
    done = scene("show", "libero_goal/3", "--init-state", "0", "--html", str(page), "--json")
    assert "on the stove" in page.read_text() and page.read_text().count("data:image/png;base64,") == 1
    answer = json.loads(done.stdout)
    assert answer["instruction"] == "open the top drawer and put the bowl inside"
    bowl = next(o for o in answer["objects"] if o["name"] == "akita_black_bowl_1")
    assert 0.8 < bowl["position"][2] < 1.0 and 0.09 < bowl["extent"][0] < 0.12
    assert sum(q * q for q in bowl["quaternion"]) == pytest.approx(1, abs=1e-3)
    assert answer["symbols"]["wooden_cabinet_1_top_region"] == "drawer"
    assert "(closed wooden_cabinet_1_top_region)" in answer["atoms"]
    assert answer["names"]["black bowl"] == ["akita_black_bowl_1"]
    shown = answer["referring_expressions"]
    assert shown.keys() == answer["symbols"].keys()
    assert shown["flat_stove_1_cook_region"] == shown["flat_stove_1"] == "stove", "their types tell them apart"
    for kind in set(answer["symbols"].values()):
        alike = [shown[s] for s, t in answer["symbols"].items() if t == kind]
        assert len(alike) == len(set(alike)), f"two of type {kind} with one name"
    for atom in answer["atoms"]:
        assert str(parse_goal(atom, load("tabletop"), answer["symbols"])) == atom


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["mug_in_draw"], "did you mean 'mug_in_drawer'"),
        (["libero_goal/3", "--init-state", "50"], "--init-state 50; valid: 0 to 49"),
        (["mug_in_drawer", "--init-state", "0"], "no stored initial states: draw one with --seed"),
        (["libero_goal_object_ood/0"], "the installed LIBERO lacks its BDDL file"),
        (["./mug_in_draw"], "no scene at ./mug_in_draw"),
    ],
)
def test_bad_input_exits_2(arguments: list[str], says: str) -> None:
    done = scene("show", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
