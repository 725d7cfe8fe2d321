"""Whether a robot stands where there is room for it."""

from __future__ import annotations

from dataclasses import replace

from motion.robot import RobotDescription
from motion.world import Contact, World
from tamp.errors import InputError
from tamp.model.bodies import bodies_of
from tamp.model.scene import Scene

DEEP = 0.01
"""Metres up to which shapes that stand for a robot and for things may be in each other by their coarseness alone."""
VALID = "valid: a base, yaw or posture that keeps the robot clear of them, or the things elsewhere"


def stands_clear(name: str, robot: RobotDescription, scene: Scene) -> None:
    """InputError, with names and depths, for a robot that is inside things of a scene with its base, or at its posture:
    physics would not tell, since neither base nor fixtures ever move."""
    owner = {part.name: thing.name for thing in scene for part in thing.parts}
    inside = dict[str, str]()
    for c in _overlaps(robot, scene):
        inside.setdefault(owner[c.other], f"{c.robot} is {-100 * c.distance:.1f} cm inside {owner[c.other]}")
    if inside:
        raise InputError(f"{name} cannot stand there: {', '.join(inside.values())}; {VALID}")


def _overlaps(robot: RobotDescription, scene: Scene) -> list[Contact]:
    """Where the robot at its posture is inside of bodies, by more than `DEEP` metres, the deepest first.

    The ground counts for what moves alone: a base stands on it, and the shapes of some have a round lower end.
    """
    # A world lets its robot's base be where it is; here that counts, too. MuJoCo leaves out what never moves of both.
    world = World(replace(robot, pinned_bodies=frozenset()), bodies_of(scene))
    contacts = sorted(world.contacts(robot.posture, -DEEP), key=lambda c: c.distance)
    return [contact for contact in contacts if contact.other in world.bodies]
