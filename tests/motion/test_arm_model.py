"""Models of the arms: every engine has the flange where the table has it; ordinary postures are free."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from motion.arm_model import Tool, arm_world, robot_model
from motion.arms import TURN, Arm
from motion.bullet import WORLD, Bullet, written
from motion.kinematics import solve_near
from motion.poses import Array, pose
from motion.robot_parts import parts_of
from motion.shapes import Shape
from motion.world import World
from tests.arm_cases import EACH, TABLES, bent, configurations

DOWN = np.diag([1.0, -1.0, -1.0])
HAND = Tool(
    Shape("box", np.array([0.03, 0.05, 0.06]), pose([0.0, 0.0, 0.06])),
    pose([0.01, -0.02, 0.15], Rotation.from_euler("zyx", [0.5, -0.3, 0.2]).as_matrix()),
)


@contextmanager
def pybullet_model(arm: Arm, tool: Tool | None) -> Iterator[Callable[[Array], Array]]:
    bullet, robot = Bullet(), robot_model(arm, tool)
    try:
        body = bullet.load(lambda folder: written(arm.name, [WORLD, *parts_of(robot)], folder), np.eye(4), fixed=True)
        infos = [bullet.getJointInfo(body, i) for i in range(bullet.getNumJoints(body))]
        joints = [i for i, info in enumerate(infos) if info[2] == bullet.JOINT_REVOLUTE]
        flange = next(i for i, info in enumerate(infos) if info[12].decode() == "tool")

        def forward(q: Array) -> Array:
            for i, value in zip(joints, q, strict=True):
                bullet.resetJointState(body, i, float(value))
            state = bullet.getLinkState(body, flange, computeForwardKinematics=True)
            return pose(np.array(state[4]), Rotation.from_quat(state[5]).as_matrix())

        yield forward
    finally:
        bullet.close()


@pytest.mark.parametrize("tool", [None, HAND], ids=["flange", "tool"])
@EACH
def test_every_engine_has_the_tool_where_the_table_has_it(arm: Arm, tool: Tool | None) -> None:
    T_flange_tool = np.eye(4) if tool is None else tool.T_flange_tool
    table = TABLES[arm.name]
    wanted = [(q, table.forward(q) @ T_flange_tool) for q in configurations(arm, 500, seed=11)]
    assert max(np.abs(arm.forward(q) @ T_flange_tool - T).max() for q, T in wanted) < 1e-12
    with pybullet_model(arm, tool) as by_pybullet:
        worst = max(np.abs(by_pybullet(q) @ T_flange_tool - T).max() for q, T in wanted)
    assert worst < 1e-6  # singles inside: 6e-7 was the worst seen
    mujoco = World(robot_model(arm, tool), [])
    assert max(np.abs(mujoco.forward(q) - T).max() for q, T in wanted) < 1e-12


@EACH
def test_joint_limits_are_the_sdks(arm: Arm) -> None:
    limits = [TABLES[arm.name].limits.get(n, (-TURN, TURN)) for n in range(1, arm.joints + 1)]
    assert arm.limits == pytest.approx(np.array(limits))
    assert World(robot_model(arm), []).limits == pytest.approx(arm.limits)


@EACH
def test_zero_and_working_postures_are_free_of_self_collision(arm: Arm) -> None:
    """The tool held straight down over a good part of the table before the arm, and the flange at zero."""
    world = World(robot_model(arm), [])
    assert world.contacts(np.zeros(arm.joints)) == []
    assert world.contacts(bent(arm)) == []
    size = 1.4 if arm.name == "850" else 0.75 if arm.name == "lite6" else 1.0
    met = 0
    for x, y, z in size * np.array([(x, y, z) for x in (0.25, 0.4) for y in (-0.3, 0, 0.3) for z in (0.1, 0.3)]):
        facing = Rotation.from_euler("z", np.arctan2(y, x)).as_matrix()
        q = solve_near(arm_world(arm), pose([x, y, z], facing @ DOWN), np.zeros(arm.joints))
        if q is not None:
            met += 1
            assert world.contacts(q) == [], (x, y, z)
    assert met >= 10
