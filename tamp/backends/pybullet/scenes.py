"""What LIBERO's scenes look like at their start, with the robot that is to work there."""

from __future__ import annotations

from motion.robot import RobotDescription
from tamp.backends import bodies
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.tasks import Task
from tamp.backends.pybullet.staging import Stage, staged
from tamp.model.scene import Scene


def start_of(task: Task, seed: int, init_state: int | None, body: str | None) -> tuple[Scene, RobotDescription]:
    """A task's scene as it is at the start, with the robot in it. InputError for a state or a robot that there is
    not."""
    scene, stage = stage_of(task, seed, init_state, body)
    return scene, stage.robot


def stage_of(task: Task, seed: int, init_state: int | None, body: str | None) -> tuple[Scene, Stage]:
    """The same, with what is to be drawn of it."""
    environment = LiberoEnvironment(task, seed=seed, init_state=init_state)
    try:
        scene = OraclePerceiver(environment).perceive()
        return scene, staged(environment, scene, robot_of(environment, body), body is None)
    finally:
        environment.close()


def robot_of(environment: LiberoEnvironment, body: str | None) -> RobotDescription:
    """The scene's own robot, or another one in its place. InputError for one that there is not."""
    if body is None:
        return environment.robot_model()
    return bodies.find(body).in_place_of(environment.base_position())
