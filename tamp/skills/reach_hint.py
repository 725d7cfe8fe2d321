"""Where an item out of the arm's reach would be within it: nearer to the robot, or farther from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from motion import kinematics, paths
from motion.grasps import Grasp
from motion.poses import Array, pose
from motion.world import World
from tamp.model.scene import SceneObject
from tamp.model.situation import Situation
from tamp.skills.reach import APPROACHES, both_ways

STEP, MOST = 0.02, 0.8
"""Metres by which places of the item nearer and farther are apart, and metres that are tried at most."""
FARTHEST = 0.8
"""Metres from the axis of the arm's first joint beyond which an item does not come within reach by going farther."""
MARGIN = 0.04
"""Metres beyond the first place within reach that are told: there the arm has but a grasp, and no room to turn or to
carry the item away."""
LEAST_FROM_BASE = 0.1
"""Metres from the axis of the arm's first joint within which no item can be: the arm itself stands there."""


def where_within_reach(item: SceneObject, some: Sequence[Grasp], situation: Situation, world: World) -> str | None:
    """In words, how far an item would have to be moved along the line from the robot to be within reach of one of the
    grasps; None where it is within reach, so that this is not why, or where no place on the line is."""
    world.load(situation.state())
    outwards = item.position - world.base_position()
    outwards[2] = 0.0
    far = float(np.linalg.norm(outwards))
    outwards /= max(far, 1e-9)

    def reached(moved: float) -> bool:
        return any(_reached(item.T_world_object @ g.T_body_tool, moved * outwards, world) for g in some)

    if reached(0.0):
        return None
    for moved in _tried(far):
        # at the margin too, else it is but a gap in what the arm reaches
        if reached(moved) and reached(moved + np.copysign(MARGIN, moved)):
            where = "nearer to the robot" if moved < 0 else "farther from the robot"
            return f"{item.name} would be within reach about {(abs(moved) + MARGIN) * 100:.0f} cm {where}"
    return None


def _tried(far: float) -> Iterator[float]:
    """Metres away from the robot, negative ones nearer to it, the smallest first, for an item `far` metres from it."""
    for step in np.arange(STEP, MOST, STEP):
        if far - step - MARGIN >= LEAST_FROM_BASE:
            yield -float(step)
        if far + step + MARGIN <= FARTHEST:
            yield float(step)


def _reached(T_world_tool: Array, moved: Array, world: World) -> bool:
    """Whether the arm, without touching itself, gets to a tool pose that is moved by (3,), and to the shortest
    pre-grasp before it."""
    there = pose(T_world_tool[:3, 3] + moved, T_world_tool[:3, :3])
    for T in both_ways(there, world):
        q = kinematics.solve(world, T, world.robot.posture)
        if q is None or any(c.other not in world.bodies for c in world.contacts(q)):
            continue
        if kinematics.solve(world, paths.backed(T, APPROACHES[-1]), q) is not None:
            return True
    return False
