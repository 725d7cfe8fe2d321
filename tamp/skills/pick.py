"""Pick: grasp an item wherever it is and lift it clear."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from motion import grasps, kinematics, paths
from motion.paths import Blocked
from motion.poses import Array, pose
from tamp.atoms import Atom
from tamp.motions import Grip, Move
from tamp.scene import Scene, SceneObject
from tamp.situation import Situation
from tamp.skills.base import Infeasible, Refinement, Tools, blocked, movable_blockers
from tamp.skills.place import rest_poses, target_of
from tamp.skills.reach import CLEARANCE, DEXTERITY, both_ways, reach_for
from tamp.skills.ways import ways_out

NEARER, MOST_NEARER = 0.02, 0.8
"""Metres in which it is tried how much nearer to the robot an item would be within reach, and at most."""
LOOKED_AT = 8
"""Poses of the item where it goes next that a grasp is held against."""
SQUEEZE = -0.003
"""Metres by which closed fingers may press into what is beside an item: more would take it along."""
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
                frozenset({Atom("no-grasp", (item.name,))}),
                f"pick: nothing on {item.name} is narrow enough for the gripper "
                f"({tools.world.robot.max_opening * 100:.0f} cm)",
                final=True,
            )
        if tools.hint is not None and "grasp" in tools.hint:
            T, width = np.array(tools.hint["grasp"]), float(tools.hint["width"])
            yield self._sample(item.name, args[1], T, width, situation, tools)
        if not (candidates := with_room(candidates, item, situation, tools)):
            message = f"pick: the hand has no room at any grasp of {item.name}"
            yield Infeasible("no-room", (item.name,), frozenset({Atom("no-grasp", (item.name,))}), message, final=True)
        ordered, room = worth_trying(grasps.diverse(candidates, item.T_world_object), item, situation, tools)
        for dexterity in (DEXTERITY, 0.0):
            for grasp in ordered:
                T = item.T_world_object @ grasp.T_body_tool
                sample = self._sample(item.name, args[1], T, grasp.width, situation, tools, dexterity)
                yield replace(sample, note=sample.note | room) if isinstance(sample, Refinement) else sample

    def facts(self, args: tuple[str, ...], causes: list[Infeasible], scene: Scene) -> frozenset[Atom]:
        """The item that is most in the way, if one is; else there is no grasp."""
        blockers = movable_blockers(causes, scene, args)
        return frozenset({Atom("obstructed", (args[0], blockers[0])) if blockers else Atom("no-grasp", args[:1])})

    def advice(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> str | None:
        """How much nearer to the robot the item would be within reach."""
        item, world = situation.scene.object(args[0]), tools.world
        world.load(situation.state())
        candidates = grasps.antipodal(item.parts[0].shapes, item.T_world_object, world.robot.max_opening)
        towards = world.base_position() - item.position
        towards = np.array([towards[0], towards[1], 0.0]) / max(float(np.linalg.norm(towards[:2])), 1e-9)
        for nearer in np.arange(NEARER, MOST_NEARER, NEARER):
            for grasp in grasps.diverse(candidates, item.T_world_object)[:LOOKED_AT]:
                T = item.T_world_object @ grasp.T_body_tool
                for T_tool in both_ways(pose(T[:3, 3] + nearer * towards, T[:3, :3]), world):
                    if kinematics.solve(world, T_tool, world.robot.posture) is not None:
                        return f"{item.name} would be within reach {nearer * 100:.0f} cm nearer to the robot"
        return None

    def achieved(self, args: tuple[str, ...], scene: Scene, held: str | None) -> str | None:
        """Held, as seen."""
        return None if held == args[0] else f"{args[0]} is not in the hand"

    def _sample(
        self,
        item: str,
        place: str,
        T_world_grasp: Array,
        width: float,
        situation: Situation,
        tools: Tools,
        dexterity: float = 0.0,
    ) -> Refinement | Infeasible:
        world = tools.world
        world.load(situation.state())
        opening = min(world.robot.max_opening, width + SPARE_OPENING)
        reach = reach_for(T_world_grasp, opening, situation, tools, dexterity=dexterity)
        if isinstance(reach, Blocked):
            return blocked("pick", reach, item)
        q_grasp, way = reach
        world.set_opening(width)
        squeezed = [c.other for c in world.contacts(q_grasp, SQUEEZE, frozenset({item}))]
        if squeezed:
            return blocked("pick", Blocked("collision", squeezed[0]), item)
        grasped = situation.at(q_grasp, width, world.forward(q_grasp)).grasping(item)
        lift = lift_clear(item, place, grasped, tools)
        if isinstance(lift, Blocked):
            return blocked("lift", lift, item)
        segments = (
            Move(way, situation.state(), opening),
            Grip(0.0),
            Move(lift, grasped.state(), 0.0, precise=False),
        )
        after = grasped.at(lift[-1], width, world.forward(lift[-1]))
        return Refinement(segments, after, {"width": round(width, 4), "grasp": T_world_grasp.round(5).tolist()})


def with_room(
    candidates: list[grasps.Grasp], item: SceneObject, situation: Situation, tools: Tools
) -> list[grasps.Grasp]:
    """The grasps at which nothing that stays where it is leaves the hand no room."""
    fixed = [o for o in situation.scene if o.name != item.name and not o.movable]
    return [g for g, free in zip(candidates, _free(candidates, item.T_world_object, fixed, tools), strict=True) if free]


def worth_trying(
    candidates: list[grasps.Grasp], item: SceneObject, situation: Situation, tools: Tools
) -> tuple[list[grasps.Grasp], dict[str, int]]:
    """The same grasps, those first with which the hand has room where the item is to be put next; and a note of
    how many have none there."""
    goes_to = next((a.args[1] for a in tools.following if a.args[:1] == (item.name,) and len(a.args) > 1), None)
    if goes_to is None or not candidates:
        return candidates, {}
    poses = islice(rest_poses(item.name, target_of(goes_to, situation.scene), situation, tools), LOOKED_AT)
    others = [o for o in situation.scene if o.name != item.name]
    room = sum((_free(candidates, T, others, tools).astype(int) for T in poses), np.zeros(len(candidates), int))
    ordered = [candidates[i] for i in np.argsort(room == 0, kind="stable")]
    return ordered, {f"grasps without room at {goes_to}": int((room == 0).sum())}


def _free(candidates: list[grasps.Grasp], T_world_item: Array, others: list[SceneObject], tools: Tools) -> Array:
    """Which grasps (n,) of an item leave the open hand clear of other things, as far as a quick look tells."""
    T_world_tool = np.array([T_world_item @ g.T_body_tool for g in candidates]).reshape(-1, 4, 4)
    opening = np.minimum(tools.world.robot.max_opening, np.array([g.width for g in candidates]) + SPARE_OPENING)
    boxes = [
        (p.T_world_part @ s.T_body_shape, s.half_extent)
        for o in others
        for p in o.parts
        for s in p.shapes
        if s.kind != "plane"
    ]
    return grasps.hand_clear(T_world_tool, opening, boxes)


def lift_clear(item: str, place: str, grasped: Situation, tools: Tools) -> Array | Blocked:
    """A straight way (k, n) out of a place with the item in the hand: up if that is free, as far as is free."""
    world, q = tools.world, grasped.scene.robot.q
    world.load(grasped.state())
    T = world.forward(q)
    supports = frozenset(c.other for c in world.contacts(q, 0.003) if c.robot == item)

    def check(q: Array) -> list:  # type: ignore[type-arg]
        return world.contacts(q, CLEARANCE, frozenset({item}), held_clearance=-0.002, held_ignore=supports)

    result: Array | Blocked = Blocked("unreachable")
    for displacement in ways_out(place, grasped.scene):
        result = paths.straight(world, q, pose(T[:3, 3] + displacement, T[:3, :3]), check)
        if not isinstance(result, Blocked):
            return result
    return result
