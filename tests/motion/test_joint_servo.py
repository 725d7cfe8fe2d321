"""Joint targets follow displacements of the tool as the robot's description says that it answers."""

from __future__ import annotations

import numpy as np
import pytest

from motion.arm_drive import JointServo
from motion.poses import Array, error
from motion.robot import RobotDescription
from motion.world import World
from tamp.backends import bodies

PERIOD, COUNT = 0.05, 5


@pytest.fixture(params=["xarm6", "xarm7"])
def robot(request: pytest.FixtureRequest) -> RobotDescription:
    return bodies.find(request.param).at(np.eye(4))


def followed(
    robot: RobotDescription, servo: JointServo, displacement: Array, periods: int
) -> tuple[Array, list[Array]]:
    """Where the joints are after so many commands, each from where the arm is then; and all targets."""
    q, world, every = robot.posture, World(robot, []), []
    T_goal = world.forward(q).copy()
    T_goal[:3, 3] += displacement[:3]
    for _ in range(periods):
        targets = servo.targets(q, error(world.forward(q), T_goal), PERIOD, COUNT)
        q, every = targets[-1], [*every, *targets]
    return q, every


def test_the_tool_gets_there_and_keeps_its_direction(robot: RobotDescription) -> None:
    q, _ = followed(robot, JointServo(robot), np.array([0.03, -0.02, 0.04, 0, 0, 0]), 40)
    world = World(robot, [])
    start, end = world.forward(robot.posture).copy(), world.forward(q)
    assert end[:3, 3] - start[:3, 3] == pytest.approx([0.03, -0.02, 0.04], abs=1e-3)
    assert np.linalg.norm(error(start, end)[3:]) < 5e-3


def test_limits_hold(robot: RobotDescription) -> None:
    low, high = World(robot, []).limits.T
    _, every = followed(robot, JointServo(robot), np.array([-3.0, 0.0, -3.0, 0, 0, 0]), 60)
    assert all(((low <= q) & (q <= high)).all() for q in every)
