"""What there is to draw of an arm and its world."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from motion.arm_model import robot_model
from motion.arms import Arm
from motion.poses import from_rpy
from tamp.backends.xarm.view.scene import extent_of, robot_of, things_of, tool_pose, with_seen
from tamp.backends.xarm.view.words import Seen
from tamp.backends.xarm.ways import tool_of
from tamp.backends.xarm.workcell import Workcell, read_workcell
from tests.arm_cases import EACH, configurations

BENCH = Path(__file__).parents[5] / "problems" / "xarm" / "bench.toml"


@pytest.fixture(scope="module")
def bench() -> Workcell:
    return read_workcell(BENCH)


def test_a_world_is_drawn_with_all_its_boxes_poses_and_cameras(bench: Workcell) -> None:
    things = things_of(bench)
    boxes = {
        (t.category, name): (t.corners[0].tolist(), t.corners[7].tolist())
        for name, t in things.items()
        if t.corners is not None
    }
    assert boxes == {
        ("workspace", "workspace"): ([0.15, -0.45, 0.005], [0.65, 0.45, 0.6]),
        ("keep out", "camera_post"): ([0.52, 0.3, 0], [0.6, 0.38, 0.6]),
        ("keep out", "bin_wall"): ([0.3, -0.33, 0], [0.48, -0.31, 0.12]),
    }
    points = {name: np.round(t.T_last[:3, 3], 3).tolist() for name, t in things.items() if t.corners is None}
    assert points == {
        "home": [0.305, 0, 0.269],
        "above_table": [0.4, 0, 0.25],
        "bin_drop": [0.39, -0.39, 0.18],
        "overhead": [0.4, 0, 1.1],
    }
    low, high = np.min(extent_of(bench), axis=0), np.max(extent_of(bench), axis=0)
    assert (low.tolist(), high.tolist()) == ([0, -0.45, 0], [0.65, 0.45, 1.1])


def test_what_is_seen_hides_nothing_that_has_its_name(bench: Workcell) -> None:
    home = Seen("home", 0.9, np.array([0.4, 0.1, 0.04]), 0.5, old=False)
    things = with_seen(things_of(bench), [home, replace(home, label="cup", old=True)])
    assert [(things[n].category, things[n].note) for n in ("home", "home 2", "cup")] == [
        ("pose", ""),
        ("seen", "sure 0.90, age 0.5 s"),
        ("seen, old", "sure 0.90, age 0.5 s"),
    ]
    assert things["cup"].T_last[:3, 3].tolist() == [0.4, 0.1, 0.04]


@EACH
def test_every_part_is_drawn_where_mujoco_has_it(arm: Arm, bench: Workcell) -> None:
    T_flange_tool = from_rpy([0.02, 0.01, 0.15], [0.3, 0.2, 0.1])
    model = mujoco.MjModel.from_xml_string(robot_model(arm, tool_of(T_flange_tool)).mjcf)
    data = mujoco.MjData(model)
    (drawn,) = robot_of(replace(bench, arm=arm, T_flange_tool=T_flange_tool))
    for q in configurations(arm, 20, seed=3):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        for name, T in zip(drawn.shape.links, drawn.shape.frames(q), strict=True):
            assert np.allclose(T[:3, 3], data.body(name).xpos, atol=1e-6)
            assert np.allclose(T[:3, :3].ravel(), data.body(name).xmat, atol=1e-6)
        assert np.allclose(tool_pose(arm, T_flange_tool, q)[:3, 3], data.site("tool_point").xpos, atol=1e-9)
