"""Reaching a grasp: a configuration for it, and a free way there by a pre-grasp."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from motion import grasps, kinematics, paths
from motion.paths import Blocked
from motion.poses import Array, error
from motion.world import World
from tamp.model.situation import Situation
from tamp.skills.base import Tools

CLEARANCE = 0.001
"""Metres between the open gripper and everything while it reaches for something."""
TRANSIT_CLEARANCE = 0.008
"""Metres kept from everything on the way to the pre-grasp."""
APPROACHES = (0.07, 0.03)
"""Metres from pre-grasp to grasp, the longest that is free."""
DEXTERITY = 0.12
"""Smallest singular value of the Jacobian below which an arm counts as stretched: its controller then drifts."""


class Room(NamedTuple):
    """Metres to keep between the arm and all bodies but those `ignored`."""

    metres: float
    ignored: frozenset[str]


def reach_for(
    T_world_grasp: Array,
    opening: float,
    situation: Situation,
    tools: Tools,
    dexterity: float = 0.0,
    room: Room | None = None,
) -> tuple[Array, Array] | Blocked:
    """Configuration at a grasp and a free path (k, n) from the present one to it, by way of a pre-grasp.

    Both ways round of the fingers are tried, the one nearer to the robot's posture first. With `room` more
    than the least distance is kept. The world must be loaded with the situation.
    """
    tools.world.set_opening(opening)
    result = Blocked("unreachable")
    for T in both_ways(T_world_grasp, tools.world):
        q_grasp = configuration_at(T, situation, tools, 0, dexterity, room)
        way = q_grasp if isinstance(q_grasp, Blocked) else way_to(T, situation, tools, room)
        if not isinstance(way, Blocked):
            return way[-1], way
        result = way
    return result


def configuration_at(
    T_world_tool: Array,
    situation: Situation,
    tools: Tools,
    restarts: int = 0,
    dexterity: float = 0.0,
    room: Room | None = None,
) -> Array | Blocked:
    """A configuration (n,) at a tool pose that touches nothing and is not below `dexterity`."""
    world = tools.world
    q = kinematics.solve_any(world, T_world_tool, [world.robot.posture, situation.scene.robot.q], tools.rng, restarts)
    if q is None:
        return Blocked("unreachable")
    if dexterity > 0 and kinematics.dexterity(world, q) < dexterity:
        return Blocked("stretched")
    contacts = _near(world, room)(q)
    return Blocked("collision", contacts[0].other) if contacts else q


def way_to(T_world_tool: Array, situation: Situation, tools: Tools, room: Room | None = None) -> Array | Blocked:
    """A free path (k, n) from the present configuration to a tool pose, its end straight along the approach."""
    world, q = tools.world, situation.scene.robot.q
    result: Array | Blocked = Blocked("unreachable")
    for distance in APPROACHES:
        free = paths.checker(world, TRANSIT_CLEARANCE if distance == APPROACHES[0] else 2 * CLEARANCE)
        result = paths.transit(world, q, paths.backed(T_world_tool, distance), free, tools.rng)
        if isinstance(result, Blocked):
            continue
        approach = paths.straight(world, result[-1], T_world_tool, _near(world, room))
        if not isinstance(approach, Blocked):
            return np.concatenate([result, approach[1:]])
        result = approach
    return result


def _near(world: World, room: Room | None) -> paths.Check:
    """What comes nearer than `CLEARANCE`, or than the room asked for."""
    if room is None:
        return paths.checker(world, CLEARANCE)
    return lambda q: world.contacts(q, CLEARANCE) or world.contacts(q, room.metres, room.ignored)


def both_ways(T_world_grasp: Array, world: World, T_world_from: Array | None = None) -> list[Array]:
    """A grasp and the same with the fingers exchanged, the one turned less first: from `T_world_from` (4, 4), or else
    from the robot's posture."""
    T_rest = world.forward(world.robot.posture) if T_world_from is None else T_world_from
    ways = [T_world_grasp, grasps.flipped(T_world_grasp)]
    return sorted(ways, key=lambda T: float(np.linalg.norm(error(T_rest, T)[3:])))
