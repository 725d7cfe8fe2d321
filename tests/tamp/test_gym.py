"""Scenes as environments of Gymnasium: by its own checker, and what the reward is."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tamp.data import data_dir
from tamp.errors import InputError
from tamp.gym import SceneEnv

STILL = np.zeros(7, dtype=np.float32)

pytestmark = pytest.mark.episode


@pytest.fixture(scope="module")
def mug() -> Iterator[SceneEnv]:
    env = gymnasium.make("tamp/mug_in_drawer-v0", goal="(on mug_1 plate_1)", size=48, render_mode="rgb_array")
    yield cast(SceneEnv, env.unwrapped)
    env.close()


def test_each_scene_of_the_toolkit_has_an_environment() -> None:
    scenes = {path.parent.name for path in data_dir("problems").glob("*/scene.toml")}
    there = {name for name in gymnasium.registry if name.startswith("tamp/")}
    assert len(scenes) > 5
    assert there == {"tamp/Scene-v0"} | {f"tamp/{name}-v0" for name in scenes}


@pytest.mark.thorough
def test_gymnasiums_own_checker_has_nothing_to_say_but_that_numbers_have_no_bounds(mug: SceneEnv) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        check_env(mug)
    warned = [str(w.message) for w in said if "WARN" in str(w.message)]
    assert warned and [text for text in warned if "infinity" not in text] == []


def test_the_reward_is_that_the_goal_holds(mug: SceneEnv) -> None:
    observed, info = mug.reset(seed=1)
    assert observed in mug.observation_space and observed["agentview_image"].std() > 10
    assert not info["success"] and "(on mug_1 main_table)" in info["facts"] and info["seed"] == 1
    _, reward, terminated, truncated, _ = mug.step(STILL)
    assert (reward, terminated, truncated) == (0.0, False, False)
    T_world_mug, above = mug._environment.pose_of("mug_1"), mug._environment.pose_of("plate_1")[:3, 3]
    T_world_mug[:2, 3] = above[:2]
    T_world_mug[2, 3] += 0.03
    mug._environment.put("mug_1", T_world_mug)
    steps = [mug.step(STILL) for _ in range(15)]
    _, reward, terminated, truncated, info = next(step for step in steps if step[2])
    assert (reward, truncated, info["success"]) == (1.0, False, True)
    assert info["goal"] == "(on mug_1 plate_1)" in info["facts"]


def test_it_is_truncated_at_the_step_limit_of_the_scene(mug: SceneEnv) -> None:
    mug.reset(seed=1)
    task, mug._task = mug._task, replace(mug._task, step_limit=2)
    ended = [mug.step(STILL)[2:4] for _ in range(2)]
    mug._task = task
    assert ended == [(False, False), (False, True)]


def test_a_seed_draws_the_scene_and_a_stored_state_is_an_option() -> None:
    env = gymnasium.make("tamp/Scene-v0", scene="libero_goal/8", size=0)
    there = cast(SceneEnv, env.unwrapped)

    def places(**how: Any) -> list[float]:
        _, info = env.reset(**how)
        assert info["goal"] == "(on akita_black_bowl_1 plate_1)"
        return [float(x) for n in ("akita_black_bowl_1", "plate_1") for x in there._environment.pose_of(n)[:3, 3]]

    assert places(seed=1) == places(seed=1) != places(seed=2)
    stored = {"init_state": 0}
    assert places(seed=1, options=stored) == pytest.approx(places(seed=2, options=stored), abs=0.01)
    assert there.task_description == "put the bowl on the plate"
    env.close()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"scene": "mug_in_drawers"}, "did you mean 'mug_in_drawer'"),
        ({"scene": "mug_in_drawer", "goal": "(on mug_1 moon)"}, "moon"),
        ({"scene": "docs/examples/kitchenette"}, "MJCF scene"),
    ],
)
def test_what_cannot_be_built_is_said(options: dict[str, str], why: str) -> None:
    with pytest.raises(InputError, match=why):
        SceneEnv(**options, size=0)
