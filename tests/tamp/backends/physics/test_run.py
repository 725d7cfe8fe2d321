"""Episodes in MuJoCo and PyBullet, in LIBERO's scenes and in MJCF: one library of skills, other robots and physics."""

from __future__ import annotations

from pathlib import Path

import imageio.v3 as imageio
import numpy as np
import pytest

from tamp.backends.libero import tasks
from tamp.pddl.domain_file import load
from tamp.runs.episode import Settings
from tamp.runs.table_worlds import Cameras
from tests.places import in_physics as run

pytestmark = pytest.mark.episode


@pytest.mark.parametrize(
    ("engine", "scene", "body"),
    [
        ("pybullet", "libero_goal/8", None),
        ("pybullet", "libero_goal/3", "xarm7"),
        pytest.param("pybullet", "libero_goal/7", "xarm6", marks=pytest.mark.thorough),
        pytest.param("pybullet", "libero_object/0", "xarm6", marks=pytest.mark.thorough),
        ("mujoco", "libero_goal/8", "xarm7"),
    ],
)
def test_a_task_of_libero_holds_in_the_end(engine: str, scene: str, body: str | None, tmp_path: Path) -> None:
    settings = Settings(load("tabletop"), seed=0, init_state=0, body=body)
    result = run(engine, tasks.find(scene), None, settings, tmp_path / "episode", lambda line: None)
    assert result.success and result.reached and result.lasting, f"{result.stage}: {result.reason}"
    assert result.task is None and not result.libero, "LIBERO is not asked what another simulator shows"
    assert result.perception == f"oracle, {body or 'its own robot'} in {engine}"


@pytest.mark.thorough
def test_cameras_see_enough_for_another_body(tmp_path: Path) -> None:
    settings = Settings(load("tabletop"), seed=0, init_state=40, body="xarm7", video=True)
    task, folder = tasks.find("libero_goal/0"), tmp_path / "episode"
    result = run("pybullet", task, None, settings, folder, lambda line: None, cameras=Cameras())
    assert result.success and result.lasting, f"{result.stage}: {result.reason}"
    assert result.perception == "camera, xarm7 in pybullet, given goal"
    assert result.verdicts == {"right": 1}, "what it says of its action is so"
    frames = imageio.imread(folder / "video.mp4")
    assert len(frames) == pytest.approx(result.total_steps / 2, abs=15)
    assert np.abs(frames[0].astype(int) - frames[-1]).max() > 100, "the arm and the drawer are elsewhere in the end"
