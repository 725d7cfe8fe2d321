"""What there is to draw of an arm and its world."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from motion.arm_model import robot_model
from motion.arms import Arm
from motion.poses import from_rpy
from tamp.backends.xarm.view.scene import FIELD, Scene, parts, rods, scene_of, tool_pose
from tamp.backends.xarm.ways import tool_of
from tamp.backends.xarm.workcell import read_workcell
from tests.arm_cases import EACH, configurations

BENCH = Path(__file__).parents[5] / "problems" / "xarm" / "bench.toml"


@pytest.fixture(scope="module")
def bench() -> Scene:
    return scene_of(read_workcell(BENCH))


def test_a_world_is_drawn_with_all_its_boxes_poses_and_cameras(bench: Scene) -> None:
    boxes = {(b.kind, b.name): (b.low.tolist(), b.high.tolist()) for b in bench.blocks}
    assert boxes.pop(("table", "table"))[1][2] == 0
    assert boxes == {
        ("workspace", "workspace"): ([0.15, -0.45, 0.005], [0.65, 0.45, 0.6]),
        ("keep_out", "camera_post"): ([0.52, 0.3, 0], [0.6, 0.38, 0.6]),
        ("keep_out", "bin_wall"): ([0.3, -0.33, 0], [0.48, -0.31, 0.12]),
    }
    assert {m.name: np.round(m.T_base_mark[:3, 3], 3).tolist() for m in (*bench.poses, *bench.cameras)} == {
        "home": [0.305, 0, 0.269],
        "above_table": [0.4, 0, 0.25],
        "bin_drop": [0.39, -0.39, 0.18],
        "overhead": [0.4, 0, 1.1],
    }


def test_a_world_with_little_is_drawn_with_little(tmp_path: Path) -> None:
    world = tmp_path / "world.toml"
    world.write_text(
        'arm = "lite6"\n[workspace]\nlow_mm = [100, -200, 0]\nhigh_mm = [400, 200, 500]\n'
        "[poses.home]\njoints_deg = [0, 10, 90, 0, 80, 0]\n[rates]\njoint_speed_deg_s = 60\n"
        "joint_acceleration_deg_s2 = 300\ntool_speed_mm_s = 250\ntool_acceleration_mm_s2 = 1000\n"
    )
    scene = scene_of(read_workcell(world))
    assert [b.kind for b in scene.blocks] == ["workspace"]
    assert not any(rod.tool for rod in scene.rods)


def test_everything_is_in_the_first_view(bench: Scene) -> None:
    back = (bench.eye - bench.middle) / np.linalg.norm(bench.eye - bench.middle)
    right = np.cross([0, 0, 1], back)
    axes = np.array([right / np.linalg.norm(right), np.cross(back, right / np.linalg.norm(right)), back])
    for point in [p for b in bench.blocks for p in (b.low, b.high)] + [c.T_base_mark[:3, 3] for c in bench.cameras]:
        beside, above, near = axes @ (point - bench.eye)
        assert max(abs(beside), abs(above)) < -near * math.tan(FIELD / 2)


@EACH
def test_every_part_is_drawn_where_mujoco_has_it(arm: Arm) -> None:
    T_flange_tool = from_rpy([0.02, 0.01, 0.15], [0.3, 0.2, 0.1])
    model = mujoco.MjModel.from_xml_string(robot_model(arm, tool_of(T_flange_tool)).mjcf)
    data = mujoco.MjData(model)
    drawn = rods(arm, T_flange_tool)
    assert model.ngeom == len(drawn)
    for q in configurations(arm, 20, seed=3):
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        T = parts(arm, q)
        middles = np.array([T[r.part, :3, :3] @ ((r.p + r.q) / 2) + T[r.part, :3, 3] for r in drawn])
        apart = np.linalg.norm(middles[:, None] - data.geom_xpos[None], axis=2)
        assert apart.min(axis=0).max() < 1e-9 and apart.min(axis=1).max() < 1e-9
        assert np.allclose(tool_pose(arm, T_flange_tool, q)[:3, 3], data.site("tool_point").xpos, atol=1e-9)
