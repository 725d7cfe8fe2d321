"""What LIBERO's scenes look like at their start, with the robot that is to work there."""

from __future__ import annotations

from motion.robot import RobotDescription
from tamp.backends import bodies
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.tasks import Task
from tamp.model.scene import Scene


def start_of(task: Task, seed: int, init_state: int | None, body: str | None) -> tuple[Scene, RobotDescription]:
    """A task's scene as it is at the start, with the robot in it. InputError for a state or a robot that there is
    not."""
    environment = LiberoEnvironment(task, seed=seed, init_state=init_state)
    try:
        return OraclePerceiver(environment).perceive(), robot_of(environment, body)
    finally:
        environment.close()


def robot_of(environment: LiberoEnvironment, body: str | None) -> RobotDescription:
    """The scene's own robot, or another one in its place. InputError for one that there is not."""
    if body is None:
        return environment.robot_model()
    return bodies.find(body).in_place_of(environment.base_position())
