"""Place: put what is held on a surface, on another item, or into an interior."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from motion import grasps, kinematics, paths
from motion.paths import Blocked, Check
from motion.poses import Array, inverse, pose
from motion.shapes import bounds
from motion.world import Contact, World
from tamp.model.atoms import Atom
from tamp.model.motions import Grip, Move, Segment
from tamp.model.scene import Scene, contains
from tamp.model.situation import Situation
from tamp.perception import predicates, relations
from tamp.skills.base import Infeasible, Refinement, Skill, Tools, blocked
from tamp.skills.builtin_specs import PLACE
from tamp.skills.pick import regraspable
from tamp.skills.place_targets import (
    RELEASE_OPENINGS,
    UPWARDS,
    PlaceTarget,
    levelled,
    target_of,
    upright,
    ways_out,
    where_stood,
)
from tamp.skills.reaching import DEXTERITY, boxes_of
from tamp.skills.rests import PUT_OFF, SPOTS, rest_after, rest_poses, resting_on
from tamp.skills.surface_layout import arranged

CLEARANCE = 0.002
CARRY = (0.006, 0.004)
"""Metres that the robot, and what it holds, keep from everything on the way."""
CARRY_ROOM = (0.01, 0.012)
"""The same where there is room: what is held may hang otherwise than it was grasped."""
RELEASE_HEIGHTS = {"surface": (0.003,), "item": (0.003, 0.02, 0.04), "interior": (0.003, 0.03, 0.06, 0.1)}
"""Metres above the contact at which the fingers may open, the lowest that is free first: an interior keeps what
is dropped into it, and so does a bowl."""
HIGH = 0.03
"""Metres of fall from which on a thing may tumble."""
FALL_STEP = 0.01
"""Metres between the poses at which it is looked whether something is in the way of its fall."""
RETREAT = 0.07
COMPLIANCE = -0.006
"""Metres by which a held item may press against what it is put into, where no way without touching is found:
the arm gives way."""
SLOT = (0.008, 0.03)
"""Metres from its sides to what it is let down into within which a thing has to be aimed, and metres above its place
from which on that counts."""
RIM = 0.01
"""Metres above a compartment at which what goes straight down into it begins to."""
ROOM = 0.005
"""Metres kept from everything while letting go and drawing back, where there is a way to."""
STRAIN = 0.25
"""Radians from a joint limit: the arm's controller may carry a joint further than was planned."""
GRAZE = -0.003
"""Metres by which what has been let go of may seem to reach into the hand."""
HANGS = np.radians([25, 80])
"""How much an item may be askew that is set down on its edge, to tip over when it is let go of."""
LEAST_DEPARTURE = 0.03
"""Metres that the hand must at least come away from what it has put down."""
WAYS = 2
"""Ways to a placement that are planned: from one side after the other, where what is held can leave to."""


class Place(Skill):
    """Operator arguments: the held item, and where it goes."""

    spec = PLACE

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        """Placements from the middle of the target outwards, in several turns of the item; last those where the hand
        hardly has room, or cannot take the item anew as it is needed afterwards, or the arm is strained."""
        item, name = args[0], args[1]
        if situation.held != item:
            yield Infeasible("not-held", (item,), message=f"place: {item} is not in the hand", final=True)
            return
        target = target_of(name, situation.scene)
        wishes = relations.wishes(tools.wanted, item, name, situation.scene)
        wanted = tuple(wish for wish in wishes if not wish.denied)
        for sample in self._samples(item, target, situation, tools):
            if isinstance(sample, Infeasible) and wanted and sample.reason != "crowded":
                yield _blaming(sample, wanted, target, situation.scene)
            else:
                yield sample

    def _samples(
        self, item: str, target: PlaceTarget, situation: Situation, tools: Tools
    ) -> Iterator[Refinement | Infeasible]:
        placement = _Placement(item, target, situation, tools)
        any_spot, possible, doubtful = False, False, list[Refinement]()
        strained, tight = list[Array](), list[Array]()
        # where it goes after something else was moved cannot be said yet
        then = next((place for thing, place in tools.following[:1] if thing == item), None)
        can_be_taken = regraspable(item, target.name, then, situation, tools)
        for T_world_item in placement.rest_poses():
            any_spot = True
            cramped = (target.shuts and not placement.has_room(T_world_item)) or not can_be_taken(T_world_item)
            if cramped or placement.strained(T_world_item):
                (tight if cramped else strained).append(T_world_item)
                continue
            sample = placement.sample(T_world_item)
            possible |= isinstance(sample, Refinement)
            may_wait = len(doubtful) < PUT_OFF and not arranged(target.name, tools)
            if may_wait and isinstance(sample, Refinement) and _doubtful(sample, target):
                doubtful.append(sample)
            else:
                yield sample
        yield from sorted(doubtful, key=lambda s: s.note["drop"])
        for sample in map(placement.sample, (*strained, *tight[: 0 if then else PUT_OFF])):
            possible |= isinstance(sample, Refinement)
            yield sample
        if then and tight and not possible:
            fact = frozenset({Atom("does-not-fit", (item, target.name))})
            message = f"place: from {target.name} the hand cannot take {item} as {then} needs it"
            yield Infeasible("regrasp", (item, target.name), fact, message, whatever_grasp=True)
        elif not possible:
            if (key := ("no spot", item, target.name, where_stood(item, situation))) not in tools.cache:
                tools.cache[key] = _no_spot(item, target, situation, tools)
            none = tools.cache[key]
            if not any_spot or none.reason == "crowded":
                yield replace(none, whatever_grasp=not any_spot)

    def facts(self, args: tuple[str, ...], causes: list[Infeasible], scene: Scene) -> frozenset[Atom]:
        """What takes the room there, if something that can be moved does; else the item does not fit there, unless it
        was only not open."""
        if any(c.reason == "not-open" for c in causes):
            return frozenset()
        crowded = frozenset().union(*(c.facts for c in causes if c.reason == "crowded"))
        often = Counter(f for c in causes for f in c.facts if f.predicate == "crowded").most_common(1)
        return crowded or frozenset(f for f, _ in often) or frozenset({Atom("does-not-fit", args[:2])})

    def achieved(self, args: tuple[str, ...], scene: Scene, held: str | None) -> str | None:
        """Let go of, and at rest where it belongs."""
        if held == args[0]:
            return f"{args[0]} is still in the hand"
        _, name = args[0], args[1]
        o = scene.object(args[0])
        target = target_of(name, scene)
        region = target.region
        if region is None:
            upon = predicates.is_centred_on(target.owner, o, scene.blur)
            return None if upon else f"{args[0]} is not on {name}"
        if region.kind == "interior":
            return None if contains(region, o.position) else f"{args[0]} is not in {name}"
        return None if predicates.above(o.position, region, scene.blur) else f"{args[0]} is not on {name}"


@dataclass(frozen=True, eq=False)
class _Placement:
    """An item in the hand that is to be put on a target, in a situation."""

    item: str
    target: PlaceTarget
    situation: Situation
    tools: Tools

    def rest_poses(self) -> Iterator[Array]:
        """Poses (4, 4) of the item at rest on the target; the one foreseen by an earlier refinement first."""
        if self.tools.hint is not None and "pose" in self.tools.hint:
            yield np.array(self.tools.hint["pose"])
        yield from rest_poses(self.item, self.target, self.situation, self.tools)

    def has_room(self, T_world_item: Array) -> bool:
        """Whether a quick look finds the hand clear of what is there when it lets go of the item at a pose."""
        situation, gripper = self.situation, self.tools.world.robot.gripper
        assert situation.T_tool_held is not None
        T_world_tool = T_world_item @ inverse(situation.T_tool_held)
        opening = min(gripper.opening, situation.scene.robot.opening + RELEASE_OPENINGS[-1])
        others = boxes_of(p for o in situation.scene if o.name != self.item for p in o.parts)
        return bool(grasps.hand_clear(T_world_tool[None], np.array([opening]), others, gripper)[0])

    def strained(self, T_world_item: Array) -> bool:
        """Whether the arm can put the item there only with a joint near its limit, or stretched."""
        assert self.situation.T_tool_held is not None
        world = self.tools.world
        q = kinematics.solve(world, T_world_item @ inverse(self.situation.T_tool_held), world.robot.posture)
        return q is not None and (kinematics.slack(world, q) < STRAIN or kinematics.dexterity(world, q) < DEXTERITY)

    def sample(self, T_world_item: Array) -> Refinement | Infeasible:
        """Put the item down at a pose, from as low as is free."""
        heights = RELEASE_HEIGHTS["item" if self.target.region is None else self.target.region.kind]
        result: Refinement | Infeasible = Infeasible("unreachable")
        slacks = (0.0, COMPLIANCE) if self.target.shuts else (0.0,)
        hanging = self._hanging(T_world_item)
        for slack, height in itertools.product(slacks, heights):
            result = self._lower(T_world_item, T_world_item, height, slack)
            if not isinstance(result, Refinement) and hanging is not None:
                result = self._lower(hanging, T_world_item, height, slack)
            if isinstance(result, Refinement):
                break
        return result

    def _hanging(self, T_world_item: Array) -> Array | None:
        """The pose (4, 4) as askew as the item hangs from the hand, its lowest point where that is at the end, from
        which it tips over to `T_world_item`; None where it hangs about level."""
        item = self.situation.scene.object(self.item)
        R, R_now = T_world_item[:3, :3], item.T_world_object[:3, :3]
        axis = int(np.argmax(np.abs(R[2])))
        tipped = float(np.arccos(np.clip(R_now[2, axis] * np.sign(R[2, axis]), -1.0, 1.0)))
        if not HANGS[0] < tipped < HANGS[1]:
            return None
        R_hangs = R @ levelled(R_now, axis, float(np.sign(R[2, axis]))).T @ R_now
        points = np.concatenate([s.corners() for s in item.parts[0].shapes])
        lowest = points[np.argmin(points @ R_hangs[2])]
        edge = T_world_item[:3, :3] @ lowest + T_world_item[:3, 3]
        edge[2] = bounds(item.parts[0].shapes, T_world_item)[0][2]
        return pose(edge - R_hangs @ lowest, R_hangs)

    def _lower(self, T_lowered: Array, T_world_item: Array, drop: float, slack: float) -> Refinement | Infeasible:
        """Let the item down to `drop` metres above a pose and let go there, from where it comes to rest."""
        item, target, situation, tools = self.item, self.target, self.situation, self.tools
        world, T_tool_item = tools.world, situation.T_tool_held
        assert T_tool_item is not None
        T_world_tool = paths.lifted(T_lowered, drop) @ inverse(T_tool_item)
        world.load(situation.state())
        if (under := _under(world, item, T_world_item, drop)) is not None:
            return blocked("place", Blocked("collision", under), target.name)
        q = situation.scene.robot.q
        carry, roomy = (_carry_check(world, *clearances) for clearances in (CARRY, CARRY_ROOM))
        lower = _carry_check(world, CLEARANCE, slack)
        if (key := ("configuration at", T_world_tool.tobytes())) not in tools.cache:  # the same for each slack
            starts = [world.robot.posture, q]
            tools.cache[key] = kinematics.solve_any(world, T_world_tool, starts, tools.rng, restarts=1)
        if (q_place := tools.cache[key]) is None:
            return blocked("place", Blocked("unreachable"), target.name)
        if contacts := lower(q_place):
            return blocked("place", Blocked("collision", contacts[0].other), target.name)
        result, planned = Blocked("unreachable"), 0
        aimed = any(c.robot == item for c in world.contacts(q_place, 0.0, held_clearance=SLOT[0]))
        ways = ways_out(target.name, situation.scene)
        for departure in (*_over_the_rim(target, drop), *ways) if aimed else ways:
            if np.linalg.norm(departure) < LEAST_DEPARTURE:
                continue
            above = pose(T_world_tool[:3, 3] + departure, T_world_tool[:3, :3])
            out = paths.straight(world, q_place, above, lower)
            if (planned := planned + (not isinstance(out, Blocked))) > WAYS:
                break
            way = out if isinstance(out, Blocked) else paths.transit(world, q, above, carry, tools.rng, roomy)
            down = way if isinstance(way, Blocked) else paths.straight(world, way[-1], T_world_tool, lower)
            if isinstance(way, Blocked) or isinstance(down, Blocked):
                result = down if isinstance(down, Blocked) else result
                continue
            # where what is held passes near something on its way down, apart from the end, it has to be aimed
            high = [q for q in down if world.forward(q)[2, 3] - T_world_tool[2, 3] > SLOT[1]]
            tight = any(c.robot == item for q in high for c in world.contacts(q, 0.0, held_clearance=SLOT[0]))
            legs = (way, down) if tight else (np.concatenate([way, down[1:]]),)
            return self._release(legs, T_world_item, drop)
        return blocked("place", result, target.name)

    def _release(self, legs: tuple[Array, ...], T_world_item: Array, drop: float) -> Refinement | Infeasible:
        """Go along the legs, stopping after each, let go `drop` metres above the rest pose, and come away."""
        situation, world, q = self.situation, self.tools.world, legs[-1][-1]
        T_world_tool = world.forward(q)
        T_rest = rest_after(self.item, T_world_item, self.target, situation, self.tools)
        if T_rest is None:
            return Infeasible("falls", (self.item,), message=f"place: {self.item} does not stay in {self.target.name}")
        for clearance, wider in itertools.product((ROOM, 0.0), RELEASE_OPENINGS):
            opening = min(world.robot.gripper.opening, situation.scene.robot.opening + wider)
            put = situation.at(q, opening, T_world_tool).released()
            rested = put.settled(self.item, T_rest)
            retreat = retreat_from(self.item, rested, self.tools, clearance)
            if not isinstance(retreat, Blocked):
                break
        if isinstance(retreat, Blocked):
            return blocked("retreat", retreat, self.item)
        state = situation.state()
        approach = (Move(leg, state, 0.0, yielding=leg is legs[-1]) for leg in legs)
        segments: tuple[Segment, ...] = (*approach, Grip(opening), Move(retreat, put.state(), opening, precise=False))
        after = rested.at(retreat[-1], opening, world.forward(retreat[-1]))
        note = {"pose": T_world_item.round(4).tolist(), "close": clearance < ROOM, "drop": drop}
        return Refinement(segments, after, note)


def _doubtful(sample: Refinement, target: PlaceTarget) -> bool:
    """Whether the hand lets go close beside something, or from high above the floor of what has to be shut."""
    return bool(sample.note["close"] or (target.shuts and sample.note["drop"] > HIGH))


def _blaming(sample: Infeasible, wanted: tuple[relations.Wish, ...], target: PlaceTarget, scene: Scene) -> Infeasible:
    """A failed sample that blames what can be moved, where relations to other things leave no choice: what is in the
    way, or the other things where the arm does not get there."""
    movable, others = {o.name for o in scene if o.movable}, {name for wish in wanted for name in wish.boxes}
    blamed = movable & ({*sample.blockers} - others if sample.reason == "collision" else others)
    facts = frozenset(Atom("crowded", (target.name, name)) for name in blamed)
    return replace(sample, facts=facts or sample.facts)


def _no_spot(item: str, target: PlaceTarget, situation: Situation, tools: Tools) -> Infeasible:
    """Why no spot of the target takes the item: it is not open, what stands there now, or the item's own size."""
    if (state := target.not_open()) is not None:
        message = f"place: {target.name} is {state}: {item} cannot be put there"
        return Infeasible("not-open", (target.name,), message=message, whatever_grasp=True)
    wanted = relations.wishes(tools.wanted, item, target.name, situation.scene)
    said, known = relations.in_words(wanted), {item, target.owner.name, *(name for w in wanted for name in w.boxes)}
    others = frozenset(o.name for o in situation.scene if o.movable and o.name not in known)
    T_now = upright(situation.scene.object(item).T_world_object)
    found = list(itertools.islice(resting_on(item, T_now, target, situation, tools, others), SPOTS))
    tools.world.load(situation.released().state())
    taking = [{c.other for c in tools.world.body_contacts(item, T) if c.other in others} for T in found]
    if (fewest := min((t for t in taking if t), key=len, default=None)) is not None:
        blockers, depends = tuple(sorted(fewest)), frozenset(known).union(*taking)
        facts = frozenset(Atom("crowded", (target.name, b)) for b in blockers)
        message = f"place: no room for {item} at {target.name}{said} because of {' and '.join(blockers)}"
        return Infeasible("crowded", blockers, facts, message, whatever_grasp=True, conflict=depends)
    fact = frozenset({Atom("does-not-fit", (item, target.name))})
    slope = ", which slopes: it would not stay there" if target.is_uneven and found else ""
    message = f"place: no spot of {target.name} takes {item}{said}{slope}"
    alone = None if found else frozenset(known)
    return Infeasible("does-not-fit", (item, target.name), fact, message, whatever_grasp=True, conflict=alone)


def retreat_from(item: str, rested: Situation, tools: Tools, clearance: float = 0.0) -> Array | Blocked:
    """A straight way (k, n) out of a released grasp: back along the approach, else straight up.

    What was dropped may only graze the fingers: one that is under it would take it along.
    """
    world, q = tools.world, rested.scene.robot.q
    world.load(rested.state())
    T = world.forward(q)

    def check(q: Array) -> list[Contact]:
        return [c for c in world.contacts(q, clearance) if c.other != item or c.distance < GRAZE]

    if contacts := check(q):
        return Blocked("collision", contacts[0].other)
    back = paths.straight(world, q, paths.backed(T, RETREAT), check)
    return back if not isinstance(back, Blocked) else paths.straight(world, q, paths.lifted(T, RETREAT), check)


def _under(world: World, item: str, T_world_item: Array, drop: float) -> str | None:
    """What an item would fall on that is dropped from `drop` metres above where it is to lie."""
    heights = np.linspace(drop, 0.0, int(np.ceil(drop / FALL_STEP)), endpoint=False)
    contacts = (world.body_contacts(item, paths.lifted(T_world_item, h), COMPLIANCE) for h in heights)
    return next((c.other for found in contacts for c in found), None)


def _over_the_rim(target: PlaceTarget, drop: float) -> list[Array]:
    """The displacement (3,) straight up that brings what hangs `drop` metres above the floor of a deep compartment out
    of it, so that it is not on its way aside any more when it goes in."""
    if target.region is None or target.shuts or not np.isfinite(target.floor):
        return []
    rise = float(target.owner.bounds()[1][2]) + RIM - target.floor - drop
    return [np.array([0.0, 0.0, rise])] if rise > UPWARDS[0] else []


def _carry_check(world: World, clearance: float, held_clearance: float) -> Check:
    return lambda q: world.contacts(q, clearance, frozenset(), held_clearance)
