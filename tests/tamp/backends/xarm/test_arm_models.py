"""One plan on each of the five arms, emulated, in a world of poses that all of them reach."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from motion.arm_model import arm_world
from motion.arms import ARMS, Arm
from motion.kinematics import solve_near
from motion.poses import inverse
from tamp.backends.xarm.arm_steps import ApproachObject, MoveToNamed, MoveToObject, RetreatZ
from tamp.backends.xarm.motion_planner import MotionPlanner
from tamp.backends.xarm.workcell import read_workcell
from tests.arm_cases import bent
from tests.arm_runs import Still, run_from, tool_point
from tests.emulated import running

pytestmark = pytest.mark.process

WORLD = """arm = "{arm}"
table_mm = 0
workspace = {{ low_mm = [120, -300, 5], high_mm = [400, 300, 500] }}
poses.home = {{ xyz_mm = [220, 0, 280], rpy_deg = [180, 0, 0] }}
keep_out.box = {{ low_mm = [240, -20, 0], high_mm = [300, 20, 60] }}
tool = {{ xyz_mm = [0, 0, 60], rpy_deg = [0, 0, 0] }}
[rates]
joint_speed_deg_s = 150
joint_acceleration_deg_s2 = 600
tool_speed_mm_s = 600
tool_acceleration_mm_s2 = 2000
"""
CUP = np.array([0.28, -0.12, 0.05])
STEPS = (ApproachObject(("cup",)), MoveToObject(("cup",)), RetreatZ(0.08), MoveToNamed("home"))


@pytest.mark.parametrize(
    "arm",
    [pytest.param(arm, id=name, marks=() if name == "xarm7" else pytest.mark.thorough)
     for name, arm in ARMS.items()],
)  # fmt: skip
def test_each_arm_touches_a_cup_and_comes_home(arm: Arm, tmp_path: Path) -> None:
    (tmp_path / "world.toml").write_text(WORLD.format(arm=arm.name))
    ways = MotionPlanner(read_workcell(tmp_path / "world.toml"))
    home = ways.cell.poses["home"].T_base_tool
    q = solve_near(arm_world(arm), home @ inverse(ways.cell.T_flange_tool), bent(arm))
    assert q is not None
    with running(arm.name) as emulator:
        verdict = run_from(q, emulator, ways, STEPS, tmp_path / "run", Still([("cup", CUP)]))
        there = tool_point(emulator, ways)
    assert verdict.success, verdict.reason
    assert all(d.off_metres < 0.0005 and d.off_radians < np.deg2rad(0.1) for d in verdict.done)
    assert np.allclose(there, home[:3, 3], atol=0.0005)
