"""From a scene to the kinematic world that motion works in, which is imported where one is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from motion.robot import RobotDescription
from motion.shapes import Body
from tamp.model.scene import Scene

if TYPE_CHECKING:
    from motion.world import State, World


def world_of(scene: Scene, robot: RobotDescription) -> World:
    """A kinematic copy of the scene; one body per part, named like the part."""
    from motion.world import World

    return World(robot, bodies_of(scene))


def bodies_of(scene: Scene) -> list[Body]:
    """The bodies of a scene, where they are: what a world is made of, and kept in step with by `World.sync`."""
    return [Body(p.name, p.shapes, p.T_world_part) for o in scene for p in o.parts]


def state_of(scene: Scene) -> State:
    """Where everything is now, with the hand taken as empty."""
    from motion.world import State

    return State(scene.robot.q, scene.robot.opening, {p.name: p.T_world_part for o in scene for p in o.parts})
