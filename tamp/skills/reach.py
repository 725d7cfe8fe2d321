"""Reaching a grasp: a configuration for it, and a free way there by a pre-grasp."""

from __future__ import annotations

import numpy as np

from motion import grasps, kinematics, paths
from motion.paths import Blocked
from motion.poses import Array, error
from tamp.situation import Situation
from tamp.skills.base import Tools

CLEARANCE = 0.001
"""Metres between the open gripper and everything while it reaches for something."""
TRANSIT_CLEARANCE = 0.008
"""Metres kept from everything on the way to the pre-grasp."""
APPROACHES = (0.07, 0.03)
"""Metres from pre-grasp to grasp, the longest that is free."""
DEXTERITY = 0.1
"""Smallest singular value of the Jacobian below which an arm counts as stretched: its controller then drifts."""


def reach_for(
    T_world_grasp: Array, opening: float, situation: Situation, tools: Tools, restarts: int = 0, dexterity: float = 0.0
) -> tuple[Array, Array] | Blocked:
    """Configuration at a grasp and a free path (k, n) from the present one to it, by way of a pre-grasp.

    Configurations of less than `dexterity` are left out. Both ways round of the fingers are tried, the one
    nearer to the robot's posture first. The world must be loaded with the situation.
    """
    world, q = tools.world, situation.scene.robot.q
    world.set_opening(opening)
    at_grasp = paths.checker(world, CLEARANCE)
    result = Blocked("unreachable")
    for T in both_ways(T_world_grasp, world.forward(world.robot.posture)):
        q_grasp = kinematics.solve_any(world, T, [world.robot.posture, q], tools.rng, restarts)
        if q_grasp is None:
            continue
        if dexterity > 0 and kinematics.dexterity(world, q_grasp) < dexterity:
            result = Blocked("stretched")
            continue
        if contacts := at_grasp(q_grasp):
            result = Blocked("collision", contacts[0].other)
            continue
        for distance in APPROACHES:
            free = paths.checker(world, TRANSIT_CLEARANCE if distance == APPROACHES[0] else 2 * CLEARANCE)
            way = paths.transit(world, q, paths.backed(T, distance), free, tools.rng)
            if isinstance(way, Blocked):
                result = way
                continue
            approach = paths.straight(world, way[-1], T, at_grasp)
            if isinstance(approach, Blocked):
                result = approach
                continue
            return approach[-1], np.concatenate([way, approach[1:]])
    return result


def both_ways(T_world_grasp: Array, T_world_reference: Array) -> list[Array]:
    """A grasp and the same with the fingers exchanged, the one turned less from the reference first."""
    ways = [T_world_grasp, grasps.flipped(T_world_grasp)]
    return sorted(ways, key=lambda T: float(np.linalg.norm(error(T_world_reference, T)[3:])))
