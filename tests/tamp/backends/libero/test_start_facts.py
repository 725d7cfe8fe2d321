"""Scenes drawn by a seed start as LIBERO draws them, and as their files say, or the file's line is named."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

from motion.standard_action import OPEN
from tamp.backends.libero import tasks
from tamp.backends.libero.environment import SETTLING_STEPS, LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.errors import InputError
from tamp.model.bodies import world_of
from tamp.pddl.domain_file import load
from tamp.perception.predicates import observe
from tamp.runs.episode import Settings
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.episode_runner import EpisodeSetup
from tamp.runs.worlds import goals_in_libero

SCENE = """(define (problem LIBERO_Tabletop_Manipulation) (:domain robosuite) (:language put the butter on the plate)
(:regions (place (:target main_table) (:ranges ((-0.01 -0.31 0.01 -0.29))) (:yaw_rotation ((3.14159 3.14159))))
  (plate (:target main_table) (:ranges ((-0.02 0.1 0.02 0.14))))
  (bottom_region (:target cabinet_1)))
(:fixtures main_table - table cabinet_1 - wooden_cabinet)
(:objects plate_1 - plate butter_1 - butter) (:obj_of_interest butter_1)
(:init (On cabinet_1 main_table_place)
  (On plate_1 main_table_plate)
  (In butter_1 cabinet_1_bottom_region))
(:goal (Or (On butter_1 plate_1) (On plate_1 butter_1))))
"""


def facts(environment: LiberoEnvironment) -> set[str]:
    scene = OraclePerceiver(environment).perceive()
    return {str(a) for a in observe(scene, world_of(scene, environment.robot_model())).atoms}


@pytest.mark.thorough
def test_a_drawn_scene_is_the_one_that_libero_draws() -> None:
    """Two things on a fixture, one of them in a drawer that is open; the second reset of one environment, too."""
    from libero.libero.envs.env_wrapper import ControlEnv

    task = tasks.find("libero_spatial/4")
    shown = {
        "(in akita_black_bowl_1 wooden_cabinet_1_top_region)",
        "(on akita_black_bowl_2 wooden_cabinet_1_top_side)",
        "(open wooden_cabinet_1_top_region)",
    }
    with contextlib.closing(LiberoEnvironment(task, seed=0)) as environment:
        for seed in (0, 1):
            environment.reset(seed=seed)
            stock = ControlEnv(bddl_file_name=str(task.bddl), has_offscreen_renderer=False, use_camera_obs=False)
            with contextlib.closing(stock):
                stock.seed(seed)
                stock.reset()
                for _ in range(SETTLING_STEPS):
                    stock.step([0.0] * 6 + [OPEN])
                poses = [(env.sim.data._data.xpos, env.sim.data._data.xquat) for env in (environment, stock)]
                for ours, theirs in zip(*poses, strict=True):
                    assert np.allclose(ours, theirs, rtol=0.0, atol=1e-9)
            assert shown <= facts(environment)


def test_a_thing_starts_in_a_closed_drawer_whatever_the_goal(tmp_path: Path) -> None:
    path = tmp_path / "scene.bddl"
    path.write_text(SCENE)
    task = tasks.find(str(path))
    with contextlib.closing(LiberoEnvironment(task, seed=1)) as environment:
        scene = OraclePerceiver(environment).perceive()
        state = observe(scene, world_of(scene, environment.robot_model()))
        assert {"(in butter_1 cabinet_1_bottom_region)", "(closed cabinet_1_bottom_region)"} <= facts(environment)
        assert not environment.check_success()
        with EpisodeLog(tmp_path / "log") as log, pytest.raises(InputError, match=rf"{path}:10: no fact that LIBERO"):
            episode = EpisodeSetup(task, None, Settings(load("tabletop")), log, lambda line: None)
            goals_in_libero(episode, environment)(scene, state)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "- butter)",
            "- wine_bottle)",
            r":9: \(In butter_1 cabinet_1_bottom_region\) does not hold in the scene of ",
        ),
        ("(-0.02 0.1 0.02 0.14)", "(-0.02 2.1 0.02 2.14)", r":8: \(On plate_1 .*: plate_1 falls off main_table; valid"),
    ],
)
def test_what_does_not_stay_is_refused_with_its_line(old: str, new: str, says: str, tmp_path: Path) -> None:
    assert old in SCENE
    (tmp_path / "scene.bddl").write_text(SCENE.replace(old, new))
    with pytest.raises(InputError, match=rf"scene\.bddl{says}"):
        LiberoEnvironment(tasks.find(str(tmp_path / "scene.bddl")))
