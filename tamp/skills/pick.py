"""Pick: grasp an item wherever it is and lift it clear."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from motion import grasps, kinematics, paths, timing
from motion.paths import Blocked
from motion.poses import Array, error, pose
from tamp.atoms import Atom
from tamp.scene import Scene
from tamp.situation import Situation
from tamp.skills.base import Grip, Infeasible, Move, Refinement, Tools, blocked, movable_blockers

CLEARANCE = 0.001
"""Metres between the open gripper and everything while it reaches for the item."""
TRANSIT_CLEARANCE = 0.008
"""Metres kept from everything on the way to the pre-grasp."""
APPROACHES = (0.07, 0.03)
"""Metres from pre-grasp to grasp, the longest that is free."""
LIFTS = (0.10, 0.04, 0.015)
SPARE_OPENING = 0.03
"""Metres by which the fingers are opened wider than the grasp."""


class Pick:
    """Operator arguments: the item, and what it is taken from."""

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        """Grasps in order of their cost, each with a free way to it and a lift."""
        item = situation.scene.object(args[0])
        tools.world.load(situation.state())
        candidates = grasps.antipodal(item.parts[0].shapes, item.T_world_object, tools.world.robot.max_opening)
        if not candidates:
            yield Infeasible(
                "no-grasp",
                (item.name,),
                frozenset({Atom("unreachable", (item.name,))}),
                f"pick: nothing on {item.name} is narrow enough for the gripper "
                f"({tools.world.robot.max_opening * 100:.0f} cm)",
                final=True,
            )
        if tools.hint is not None and "grasp" in tools.hint:
            T, width = np.array(tools.hint["grasp"]), float(tools.hint["width"])
            yield self._sample(item.name, T, width, situation, tools)
        for grasp in grasps.diverse(candidates, item.T_world_object):
            yield self._sample(item.name, item.T_world_object @ grasp.T_body_tool, grasp.width, situation, tools)

    def facts(self, args: tuple[str, ...], causes: list[Infeasible], scene: Scene) -> frozenset[Atom]:
        """The item that is most in the way, if one is; else the item is out of reach."""
        blockers = movable_blockers(causes, scene, args)
        return frozenset({Atom("obstructed", (args[0], blockers[0])) if blockers else Atom("unreachable", args[:1])})

    def achieved(self, args: tuple[str, ...], scene: Scene, held: str | None) -> str | None:
        """Held, as seen."""
        return None if held == args[0] else f"{args[0]} is not in the hand"

    def _sample(
        self, item: str, T_world_grasp: Array, width: float, situation: Situation, tools: Tools
    ) -> Refinement | Infeasible:
        world = tools.world
        world.load(situation.state())
        opening = min(world.robot.max_opening, width + SPARE_OPENING)
        reach = reach_for(T_world_grasp, opening, situation, tools)
        if isinstance(reach, Blocked):
            return blocked("pick", reach, item)
        q_grasp, way = reach
        grasped = situation.at(q_grasp, width, world.forward(q_grasp)).grasping(item)
        lift = lift_clear(item, grasped, tools)
        if isinstance(lift, Blocked):
            return blocked("lift", lift, item)
        segments = (
            Move(timing.parameterise(world, way, tools.limits), opening),
            Grip(0.0),
            Move(timing.parameterise(world, lift, tools.limits), 0.0, precise=False),
        )
        after = grasped.at(lift[-1], width, world.forward(lift[-1]))
        return Refinement(segments, after, {"width": round(width, 4), "grasp": T_world_grasp.round(5).tolist()})


def reach_for(
    T_world_grasp: Array, opening: float, situation: Situation, tools: Tools, restarts: int = 0
) -> tuple[Array, Array] | Blocked:
    """Configuration at a grasp and a free path (k, n) from the present one to it, by way of a pre-grasp.

    Both ways round of the fingers are tried, the one nearer to the robot's posture first. The world must be
    loaded with the situation.
    """
    world, q = tools.world, situation.scene.robot.q
    world.set_opening(opening)
    at_grasp = paths.checker(world, CLEARANCE)
    result = Blocked("unreachable")
    for T in both_ways(T_world_grasp, world.forward(world.robot.posture)):
        q_grasp = kinematics.solve_any(world, T, [world.robot.posture, q], tools.rng, restarts)
        if q_grasp is None:
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


def lift_clear(item: str, grasped: Situation, tools: Tools) -> Array | Blocked:
    """A straight way up (k, n) with the item in the hand, as high as is free."""
    world, q = tools.world, grasped.scene.robot.q
    world.load(grasped.state())
    T = world.forward(q)
    supports = frozenset(c.other for c in world.contacts(q, 0.003) if c.robot == item)

    def check(q: Array) -> list:  # type: ignore[type-arg]
        return world.contacts(q, CLEARANCE, frozenset({item}), held_clearance=-0.002, held_ignore=supports)

    result: Array | Blocked = Blocked("unreachable")
    for height in LIFTS:
        result = paths.straight(world, q, pose(T[:3, 3] + [0.0, 0.0, height], T[:3, :3]), check)
        if not isinstance(result, Blocked):
            return result
    return result
