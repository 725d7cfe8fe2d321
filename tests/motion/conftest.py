"""One simulation for all tests of motion: the robot is cut out of it, and it is the judge of kinematics."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from motion.poses import pose
from motion.robot import RobotDescription
from motion.shapes import Body, Shape
from motion.world import World
from tamp.backends.libero import tasks
from tamp.backends.libero.environment import LiberoEnvironment

TABLE_TOP = 0.9
"""Height of the table in metres."""


@pytest.fixture(scope="session")
def environment() -> Iterator[LiberoEnvironment]:
    built = LiberoEnvironment(tasks.find("mug_in_drawer"), seed=0)
    yield built
    built.close()


@pytest.fixture(scope="session")
def robot(environment: LiberoEnvironment) -> RobotDescription:
    return environment.robot_model()


@pytest.fixture(scope="session")
def table() -> Body:
    """A board with its top at `TABLE_TOP`, in front of the robot."""
    half = np.array([0.4, 0.6, 0.02])
    return Body("table", (Shape("box", half, np.eye(4)),), pose([0.1, 0.0, TABLE_TOP - half[2]]))


@pytest.fixture(scope="session")
def build(robot: RobotDescription) -> Callable[..., World]:
    """A world of the robot and the given bodies."""
    return lambda *bodies: World(robot, bodies)
