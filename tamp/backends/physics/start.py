"""A table before anything moves there: what is on it, the robot that is to work at it, and the engine that moves it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import mujoco

from motion.robot import RobotDescription
from motion.world import World
from tamp.backends import bodies
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import goal_regions
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.scene_description import Task
from tamp.backends.mujoco.mjcf_scene import MjcfScene
from tamp.backends.mujoco.mjcf_start import mjcf_start
from tamp.backends.physics.photographer import StageModel, staged
from tamp.backends.physics.table import PhysicsWorld
from tamp.errors import InputError
from tamp.model.bodies import bodies_of
from tamp.model.scene import Scene, with_robot

DEEP = 0.01
"""Metres up to which shapes that stand for a robot and for things may be in each other by their coarseness alone."""
VALID = "valid: a base, yaw or posture that keeps the robot clear of them, or the things elsewhere"


@dataclass(frozen=True, eq=False)
class TableStart:
    """What is seen at the start, and the robot. `spec` is the model of an MJCF scene; `stage`
    what is to be drawn of one of LIBERO's, where pictures were asked for."""

    scene: Scene
    robot: RobotDescription
    spec: mujoco.MjSpec | None = None
    stage: StageModel | None = None


def start_of(task: Task, seed: int, init_state: int | None, body: str | None, drawn: bool = False) -> TableStart:
    """A task's start, with the scene's own robot or another one in its place, and with its stage where it is to be
    `drawn`. InputError for a state or a robot that there is not, for one that stands inside things, and for what is
    wrong in an MJCF scene."""
    with started(task, seed, init_state, body, drawn=drawn) as (start, _):
        return start


@contextlib.contextmanager
def started(
    task: Task,
    seed: int,
    init_state: int | None,
    body: str | None,
    environment: LiberoEnvironment | None = None,
    render: bool = False,
    places: bool = False,
    drawn: bool = False,
) -> Iterator[tuple[TableStart, LiberoEnvironment | None]]:
    """The same for as long as LIBERO's environment is open, where the task is one of LIBERO's; that of one that was
    just reset is taken, where it is given. With `places` the scene has those of the ground that the task's own goal
    names."""
    if task.mjcf is not None:
        if init_state is not None:
            raise InputError(f"{task.name} has no stored initial states: draw one with --seed")
        (scene, spec), robot = mjcf_start(task.mjcf, seed), _robot_at(task.mjcf, body)
        scene = with_robot(scene, robot.posture, robot.gripper.opening, World(robot, []).forward(robot.posture))
        table = task.mjcf.table
        try:
            stands_clear(Path(body or task.mjcf.body).name, robot, scene)
        except InputError as e:  # the file's fault, where it is its own
            raise table.wrong(str(e), "base") if body is None and table.has("base") else e from e
        yield TableStart(scene, robot, spec), None
        return
    with contextlib.ExitStack() as stack:
        if environment is None:
            environment = LiberoEnvironment(task, seed=seed, init_state=init_state, render=render)
            stack.callback(environment.close)
        scene = OraclePerceiver(environment, goal_regions(environment) if places else ()).perceive()
        robot = environment.robot_model()
        if body is not None:
            robot = bodies.find(body).in_place_of(environment.base_position())
            stands_clear(Path(body).name, robot, scene)
        stage = staged(environment, scene, robot, body is None) if drawn else None
        yield TableStart(scene, robot, stage=stage), environment


def _robot_at(scene: MjcfScene, body: str | None) -> RobotDescription:
    """The robot of an MJCF scene, or another one in its place. InputError for one that there is not."""
    try:
        own = bodies.find(scene.body)
    except InputError as e:
        raise scene.table.wrong(str(e), "body") if scene.table.has("body") else e from e
    if body in (None, scene.body):
        return own.at(scene.T_world_base)
    return bodies.find(str(body)).instead_of(own.reach, scene.T_world_base)


def stands_clear(name: str, robot: RobotDescription, scene: Scene) -> None:
    """InputError, with names and depths, for a robot that is more than `DEEP` metres inside things of a scene with its
    base, or at its posture: physics would not show it, since neither base nor fixtures ever move.

    The ground counts for what moves alone: a base stands on it, and the shapes of some have a round lower end.
    """
    # A world lets its robot's base be where it is; here that counts, too. MuJoCo leaves out what never moves of both.
    world = World(replace(robot, pinned_bodies=frozenset()), bodies_of(scene))
    owner = {part.name: thing.name for thing in scene for part in thing.parts}
    inside = dict[str, str]()
    for c in sorted(world.contacts(robot.posture, -DEEP), key=lambda c: c.distance):
        if c.other in world.bodies:
            inside.setdefault(owner[c.other], f"{c.robot} is {-100 * c.distance:.1f} cm inside {owner[c.other]}")
    if inside:
        raise InputError(f"{name} cannot stand there: {', '.join(inside.values())}; {VALID}")


def world_in(engine: str, start: TableStart) -> PhysicsWorld:
    """The world of a start in an engine, `pybullet` or `mujoco`: in MuJoCo an MJCF scene is used as it is written;
    all else is rebuilt from what was perceived."""
    if engine == "pybullet":
        from tamp.backends.physics.bullet_world import BulletWorld

        return BulletWorld(start.scene, start.robot)
    from tamp.backends.mujoco.mujoco_world import MujocoWorld

    return MujocoWorld(start.scene, start.robot, start.spec)
