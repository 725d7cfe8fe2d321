"""Reaching a grasp and leaving with it: configurations, free ways, and where an item would be within reach."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from motion import grasps, kinematics, paths
from motion.grasps import Grasp
from motion.paths import Blocked
from motion.poses import Array, error, pose
from motion.shapes import bounds
from motion.world import World
from tamp.model.scene import Part, SceneObject
from tamp.model.situation import Situation
from tamp.skills.base import Tools
from tamp.skills.place_targets import ways_out

CLEARANCE = 0.001
"""Metres between the open gripper and everything while it reaches for something."""
TRANSIT_CLEARANCE = 0.008
"""Metres kept from everything on the way to the pre-grasp."""
APPROACHES = (0.07, 0.03)
"""Metres from pre-grasp to grasp, the longest that is free."""
DEXTERITY = 0.12
"""Smallest singular value of the Jacobian below which an arm counts as stretched: its controller then drifts."""
STEP, MOST = 0.02, 0.8
"""Metres by which places of the item nearer and farther are apart, and metres that are tried at most."""
FARTHEST = 0.8
"""Metres from the axis of the arm's first joint beyond which an item does not come within reach by going farther."""
MARGIN = 0.04
"""Metres beyond the first place within reach that are advised: there the arm has but a grasp, and no room to turn or to
carry the item away."""
LEAST_FROM_BASE = 0.1
"""Metres from the axis of the arm's first joint within which no item can be: the arm itself stands there."""
LIFT_ROOM = (0.004, -0.002)
"""Metres that what is lifted keeps from what it does not stand on, where there is a way that does; and at least."""


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
    result = list[Blocked]()
    for T in both_ways(T_world_grasp, tools.world):
        q_grasp = configuration_at(T, situation, tools, 0, dexterity, room, APPROACHES[-1])
        way = q_grasp if isinstance(q_grasp, Blocked) else way_to(T, situation, tools, room)
        if not isinstance(way, Blocked):
            return way[-1], way
        result.append(way)
    known = [b.because_of for b in result if b.because_of is not None]
    return replace(result[-1], because_of=frozenset().union(*known) if len(known) == len(result) else None)


def configuration_at(
    T_world_tool: Array,
    situation: Situation,
    tools: Tools,
    restarts: int = 0,
    dexterity: float = 0.0,
    room: Room | None = None,
    leaving: float = 0.0,
) -> Array | Blocked:
    """A configuration (n,) at a tool pose that touches nothing, is not below `dexterity`, and from which the hand can
    draw back by `leaving` metres: where it cannot, no approach leads there."""
    world, check, alone = tools.world, _near(tools.world, room), frozenset[str]()
    starts = [world.robot.posture, situation.scene.robot.q]
    if world.robot.tracking.rests:  # the joints go to the posture, wherever they come from
        starts.pop()
    q = kinematics.solve_any(world, T_world_tool, starts, tools.rng, restarts)
    if q is None:
        return Blocked("unreachable", because_of=alone)
    if dexterity > 0 and kinematics.dexterity(world, q) < dexterity:
        return Blocked("stretched", because_of=alone)
    if contacts := check(q):
        return Blocked("collision", contacts[0].other, frozenset({contacts[0].other}))
    back = paths.straight(world, q, paths.backed(T_world_tool, leaving), check) if leaving else q
    if not isinstance(back, Blocked):
        return q
    return replace(back, because_of=frozenset(filter(None, [back.body])))


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


def through(world: World, q: Array, poses: Iterable[Array], check: paths.Check) -> Array | Blocked:
    """Straight lines of the tool (k, n) from configuration `q` (n,) through tool poses (4, 4), one after the other."""
    out = np.array([q])
    for T in poses:
        leg = paths.straight(world, out[-1], T, check)
        if isinstance(leg, Blocked):
            return leg
        out = np.concatenate([out, leg[1:]])
    return out


def open_above(item: SceneObject, floor: float) -> bool:
    """Whether fingers can come down into the middle of an item: nothing of it is there but a floor, so many metres
    thick."""
    T, (low, high) = item.T_world_object, item.bounds()
    middle, boxes = 0.5 * (low + high)[:2], [bounds((shape,), T) for shape in item.parts[0].shapes]
    over = [b for b in boxes if (b[0][:2] < middle).all() and (middle < b[1][:2]).all()]
    return all(b[1][2] < low[2] + floor for b in over)


def boxes_of(parts: Iterable[Part]) -> list[tuple[Array, Array]]:
    """Boxes around the shapes of some parts, but for planes: poses (4, 4) in the world and half-extents (3,)."""
    return [(p.T_world_part @ s.T_body_shape, s.half_extent) for p in parts for s in p.shapes if s.kind != "plane"]


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


def lift_clear(item: str, place: str, grasped: Situation, tools: Tools, sinks: float = 0.0) -> Array | Blocked:
    """A straight way (k, n) out of a place with the item in the hand: up if that is free, as far as is free, and
    `sinks` metres more."""
    world, q = tools.world, grasped.scene.robot.q
    world.load(grasped.state())
    T = world.forward(q)
    supports = frozenset(c.other for c in world.contacts(q, 0.003) if c.robot == item)

    def check(room: float) -> paths.Check:
        return lambda q: world.contacts(q, CLEARANCE, frozenset({item}), held_clearance=room, held_ignore=supports)

    result: Array | Blocked = Blocked("unreachable")
    for room, displacement in itertools.product(LIFT_ROOM, ways_out(place, grasped.scene)):
        raised = T[:3, 3] + displacement + [0.0, 0.0, sinks]
        result = paths.straight(world, q, pose(raised, T[:3, :3]), check(room))
        if not isinstance(result, Blocked):
            return result
    return result
