"""Scenes of LIBERO as scene files: what is written comes out as it was, and what cannot be said is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tamp.backends.libero import tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.scene_conversion import Conversion, SceneState, convert, difference
from tamp.backends.libero.scene_description import Task
from tamp.errors import Refusal
from tamp.model.bodies import world_of
from tamp.model.scene import with_joint_at, with_object_at
from tamp.pddl.domain_file import load
from tamp.perception.predicates import observe
from tamp.runs.episode import Settings
from tests.places import in_libero as run
from tests.places import in_physics as run_in_physics

pytestmark = pytest.mark.episode

TASKS = {
    "libero_spatial/4": ["(in akita_black_bowl_1 wooden_cabinet_1_top_region)", "(open wooden_cabinet_1_top_region)"],
    "libero_spatial/5": ["(on akita_black_bowl_1 glazed_rim_porcelain_ramekin_1)"],
    "libero_object/0": ["(on basket_1 floor)"],
    "libero_10/5": ["(on black_book_1 study_table)"],
    "libero_10/6": ["(on plate_1 living_room_table)"],
    "libero_10/8": ["(turned-on flat_stove_1)"],
    "libero_10/9": ["(open microwave_1_heating_region)", "(on porcelain_mug_1 kitchen_table)"],
}
"""Of every arena, each with some facts that hold in initial state 0."""
OFTEN = ("libero_spatial/5",)
"""One that is quick to build."""
PLATE = """(define (problem LIBERO_Tabletop_Manipulation) (:domain robosuite) (:language move the plate)
(:regions (here (:target main_table) (:ranges ((-0.01 -0.01 0.01 0.01))))
  (corner (:target main_table) (:ranges ((0.4 0.4 0.45 0.45)))))
(:fixtures main_table - table) (:objects plate_1 - plate) (:obj_of_interest plate_1)
(:init (On plate_1 main_table_here)) (:goal (And (On plate_1 main_table_corner))))
"""


def seen(task: Task, seed: int = 0, init_state: int | None = None) -> SceneState:
    environment = LiberoEnvironment(task, seed=seed, init_state=init_state)
    scene = OraclePerceiver(environment).perceive()
    state = observe(scene, world_of(scene, environment.robot_model()))
    environment.close()
    return SceneState(scene, state)


def written(made: Conversion, folder: Path) -> Task:
    (folder / "scene.toml").write_text(made.text)
    return tasks.find(str(folder))


@pytest.mark.parametrize("name", [n if n in OFTEN else pytest.param(n, marks=pytest.mark.thorough) for n in TASKS])
def test_a_converted_task_comes_out_as_it_was(name: str, tmp_path: Path) -> None:
    task = tasks.find(name)
    made = convert(task, 0, 0, load("tabletop"), "Made by a test.")
    own, was = written(made, tmp_path), seen(task, init_state=0)
    now = seen(own, seed=7)
    assert set(TASKS[name]) <= {str(a) for a in was.state.atoms}
    assert now.state.atoms == was.state.atoms and now.state.symbols == was.state.symbols
    assert (own.instruction, own.goal, own.step_limit) == (task.instruction, made.goal, task.step_limit)
    for o in was.scene:
        for part in o.parts:
            there = now.scene.object(o.name).part(part.name)
            assert np.allclose(there.T_world_part, part.T_world_part, atol=2e-3), part.name
            assert part.joint is None or there.joint.value == pytest.approx(part.joint.value, abs=1e-3)
    assert max(metres for metres, _ in made.off.values()) < 1e-3
    assert made.text.startswith("# Made by a test.\n")


def test_a_rectangle_of_the_ground_becomes_the_place_beside_a_thing_and_the_file_says_so() -> None:
    made = convert(tasks.find("libero_goal/5"), 0, 0, load("tabletop"), "")
    assert made.goal == "(on plate_1 front-of-flat_stove_1)"
    assert "# LIBERO's goal is (on plate_1 main_table_stove_front_region)." in made.text and len(made.notes) == 1


def test_what_a_seed_drew_of_a_scene_of_ones_own_is_written_down(tmp_path: Path) -> None:
    task = tasks.find("breakfast")
    own = written(convert(task, 3, None, load("tabletop"), ""), tmp_path)
    assert (own.goal, own.names) == (task.goal, task.names)
    assert max(metres for metres, _ in difference(seen(task, seed=3), seen(own)).values()) < 1e-3


@pytest.mark.thorough
def test_a_converted_scene_is_solved_in_both_physics(tmp_path: Path) -> None:
    own = written(convert(tasks.find("libero_spatial/4"), 0, 0, load("tabletop"), ""), tmp_path)
    for n, carried_out in enumerate((run, partial(run_in_physics, "pybullet"))):
        result = carried_out(own, None, Settings(load("tabletop"), seed=0), tmp_path / str(n), lambda line: None)
        assert result.success and result.goal == own.goal


def test_a_goal_about_ground_that_is_beside_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plate.bddl").write_text(PLATE)
    with pytest.raises(Refusal, match="main_table_corner is a region of the ground, and beside no thing"):
        convert(tasks.find(str(tmp_path / "plate.bddl")), 0, None, load("tabletop"), "")


@pytest.mark.thorough
def test_what_is_falling_over_is_refused() -> None:
    with pytest.raises(Refusal, match=r"a scene\.toml cannot say it: orange_juice_1 falls over"):
        convert(tasks.find("libero_90/54"), 0, 0, load("tabletop"), "")


def test_a_scene_that_differs_is_refused() -> None:
    was = seen(tasks.find("libero_spatial/4"), init_state=0)
    scene, T = was.scene, was.scene.object("cookies_1").T_world_object
    moved = with_object_at(scene, "cookies_1", T + np.pad([[0.006]], ((0, 3), (3, 0))))
    with pytest.raises(Refusal, match="cookies_1 would be off by 6 mm and 0 degrees"):
        difference(was, SceneState(moved, was.state))
    ajar = with_joint_at(scene, "wooden_cabinet_1", "wooden_cabinet_1_cabinet_middle", -0.02)
    with pytest.raises(Refusal, match="wooden_cabinet_1 would be off by 20 mm"):
        difference(was, SceneState(ajar, was.state))
    fact = next(a for a in was.state.atoms if str(a) == "(hand-empty)")
    with pytest.raises(Refusal, match=r"\(hand-empty\) would change"):
        difference(was, SceneState(scene, replace(was.state, atoms=was.state.atoms - {fact})))
