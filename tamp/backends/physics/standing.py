"""Whether a robot stands where there is room for it."""

from __future__ import annotations

from motion.overlaps import overlaps
from motion.robot import RobotDescription
from tamp.errors import InputError
from tamp.model.bodies import bodies_of
from tamp.model.scene import Scene

VALID = "valid: a base, yaw or posture that keeps the robot clear of them, or the things elsewhere"


def stands_clear(name: str, robot: RobotDescription, scene: Scene) -> None:
    """InputError, with names and depths, for a robot that is inside things of a scene with its base, or at its posture:
    physics would not tell, since neither base nor fixtures ever move."""
    owner = {part.name: thing.name for thing in scene for part in thing.parts}
    inside = dict[str, str]()
    for c in overlaps(robot, bodies_of(scene)):
        inside.setdefault(owner[c.other], f"{c.robot} is {-100 * c.distance:.1f} cm inside {owner[c.other]}")
    if inside:
        raise InputError(f"{name} cannot stand there: {', '.join(inside.values())}; {VALID}")
