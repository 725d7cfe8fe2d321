"""Episodes in scenes that are MJCF, with robots that are not in them, in MuJoCo and in PyBullet."""

from __future__ import annotations

from pathlib import Path

import pytest

from tamp.backends.libero import tasks
from tamp.model.domain import load
from tamp.perception.relative_places import goals_in
from tamp.runs.episode import GoalSource, Settings
from tests.places import in_physics as run

pytestmark = pytest.mark.episode

KITCHENETTE = Path(__file__).parents[4] / "docs" / "examples" / "kitchenette"


def asking(goal: str) -> GoalSource:
    return lambda scene, state, domain, log, image: goals_in(scene, state, domain, [goal], [])


@pytest.mark.parametrize(
    ("engine", "body", "goal"),
    [
        ("mujoco", None, "(in can box_contain_region)"),
        ("mujoco", "xarm7", "(in red_block cabinet_region)"),
        ("pybullet", "xarm6", "(on red_block blue_block)"),
    ],
)
def test_what_is_asked_for_holds_in_the_end(engine: str, body: str | None, goal: str, tmp_path: Path) -> None:
    settings = Settings(load("tabletop"), seed=0, body=body)
    result = run(engine, tasks.find(str(KITCHENETTE)), asking(goal), settings, tmp_path / "e", lambda line: None)
    assert result.success and result.reached and result.lasting, f"{result.stage}: {result.reason}"
    assert result.task is None
    assert result.perception == f"oracle, {body or 'its own robot'} in {engine}"


def test_a_scene_of_libero_is_built_anew_in_mujoco_with_another_robot(tmp_path: Path) -> None:
    settings = Settings(load("tabletop"), seed=0, init_state=0, body="xarm7")
    result = run("mujoco", tasks.find("libero_goal/8"), None, settings, tmp_path / "e", lambda line: None)
    assert result.success and result.lasting, f"{result.stage}: {result.reason}"
