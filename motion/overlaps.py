"""What a robot that was put somewhere is inside of, its base included."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from motion.robot import RobotDescription
from motion.shapes import Body
from motion.world import Contact, World

DEEP = 0.01
"""Metres up to which shapes that stand for a robot and for things may be in each other by their coarseness alone."""


def overlaps(robot: RobotDescription, bodies: Iterable[Body]) -> list[Contact]:
    """The bodies that the robot at its posture is inside of, by more than `DEEP` metres, each once, the deepest first.

    The ground counts for what moves alone: a base stands on it, and the shapes of some have a round lower end.
    """
    # A world lets its robot's base be where it is; here that counts, too. MuJoCo leaves out what never moves of both.
    world = World(replace(robot, pinned_bodies=frozenset()), bodies)
    deepest = dict[str, Contact]()
    for contact in sorted(world.contacts(robot.posture, -DEEP), key=lambda c: c.distance):
        if contact.other in world.bodies:
            deepest.setdefault(contact.other, contact)
    return list(deepest.values())
