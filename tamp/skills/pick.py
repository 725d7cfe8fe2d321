"""Pick: grasp an item wherever it is, or pinch its rim, and lift it clear."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from motion import grasps, kinematics
from motion.fitting import least_width
from motion.paths import Blocked
from motion.placements import settled
from motion.poses import Array, inverse
from tamp.model.atoms import Atom
from tamp.model.motions import Grip, Move
from tamp.model.scene import Scene, SceneObject
from tamp.model.situation import Situation
from tamp.skills.base import Infeasible, Refinement, Skill, Tools, blocked, obstructed
from tamp.skills.builtin_specs import PICK, PICK_BY_RIM
from tamp.skills.place_targets import RELEASE_OPENINGS, target_of, upright, where_stood
from tamp.skills.reaching import (
    CLEARANCE,
    DEXTERITY,
    Room,
    both_ways,
    boxes_of,
    lift_clear,
    open_above,
    reach_for,
    where_within_reach,
)
from tamp.skills.rests import rest_poses
from tamp.skills.surface_layout import arranged

FORESEEN = 40
"""Grasps of which it is found out whether the arm reaches the place where the item goes next."""
LOOKED_AT = 8
"""Poses of the item where it goes next that a grasp is held against."""
SQUEEZE = -0.003
"""Metres by which closed fingers may press into what is beside an item: more would take it along."""
BYSTANDERS = 0.008
"""Metres that are kept from movable things beside the item, if a grasp is found that does."""
ROOMY = 12
"""Grasps that are looked at for that."""
MIDDLE = 0.03
"""Metres above its underside up to which the middle of a hollow thing may be filled."""
SIDEWAYS = grasps.Preference(tilt=-1.0)
"""What makes a grasp good where the hand has no room from above: it comes from the side."""
SPARE_OPENING = 0.03
"""Metres by which the fingers are opened wider than the grasp."""


class ObstructedGrasp(NamedTuple):
    """A grasp, and the movable items that leave the hand no room at it."""

    grasp: grasps.Grasp
    by: frozenset[str]


class Pick(Skill):
    """Operator arguments: the item, and what it is taken from."""

    spec = PICK

    def none(self, item: str) -> frozenset[Atom]:
        """That the item has no such grasp."""
        return frozenset({Atom("no-grasp", (item,))})

    def candidates(self, work: _Grasping) -> tuple[list[grasps.Grasp], str]:
        """Grasps, best first, and why there are none where there are none."""
        gripper = work.tools.world.robot.gripper
        shapes = work.item.parts[0].shapes
        found = grasps.antipodal(shapes, work.item.T_world_object, gripper)
        if found:
            return found, ""
        takes, solid = gripper.opening - 2 * grasps.FINGER_CLEARANCE, not open_above(work.item, MIDDLE)
        least = least_width(shapes) if solid else 2 * min(s.half_extent.min() for s in shapes)
        if least < takes:
            return found, "has two faces on which the fingers could close"
        widths = f"it takes {takes * 100:.1f} cm, the least is {least * 100:.1f} cm"
        return found, f"is narrow enough for the gripper: {widths}"

    def sideways(self, work: _Grasping) -> list[grasps.Grasp]:
        """Grasps from the side, for what goes under something."""
        shapes = work.item.parts[0].shapes
        return grasps.antipodal(shapes, work.item.T_world_object, work.tools.world.robot.gripper, preference=SIDEWAYS)

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        """Grasps in order of their cost, each with a free way to it and a lift."""
        work = _Grasping(situation.scene.object(args[0]), args[1], situation, tools)
        item = work.item
        if tools.hint is not None and "width" in tools.hint:
            T_body_tool = inverse(item.T_world_object) @ np.array(tools.hint["grasp"])
            yield work.sample(grasps.Grasp(T_body_tool, float(tools.hint["width"]), 0.0))
        candidates, unlike = self.candidates(work)
        fact = self.none(item.name)
        if candidates and not work.fits_next(candidates):
            candidates = [*candidates, *self.sideways(work)]
        if not candidates:
            message = f"{self.spec.name}: nothing on {item.name} {unlike}"
            yield Infeasible("no-grasp", (item.name,), fact, message, final=True)
            return
        roomy = work.clear_of_fixed(candidates)
        if not roomy:
            yield replace(work.no_room(candidates), facts=fact)
            return
        free, hindered = work.clear_of_movable(grasps.diverse(roomy, item.T_world_object))
        if not free:
            yield work.hindered(hindered)
            return
        ordered, note = work.worth_trying(work.alone_first(free))
        (leading,) = itertools.tee(work.leading_on(ordered), 1)  # each looked at once, by copies
        fixed = frozenset(p.name for o in situation.scene for p in o.parts if o is item or not o.movable)
        room = Room(BYSTANDERS, fixed)
        for grasp in itertools.islice(copy(leading), ROOMY):
            sample = work.sample(grasp, DEXTERITY, room)
            if isinstance(sample, Refinement):
                yield replace(sample, note=sample.note | note)
        for dexterity in (DEXTERITY, 0.0):
            for grasp in copy(leading):
                sample = work.sample(grasp, dexterity)
                yield replace(sample, note=sample.note | note) if isinstance(sample, Refinement) else sample
            if hindered and dexterity > 0:
                yield work.hindered(hindered)

    def facts(self, args: tuple[str, ...], causes: list[Infeasible], scene: Scene) -> frozenset[Atom]:
        """The fewest items known to be in the way of a grasp; else the one most in the way; else there is no grasp."""
        if known := [c for c in causes if c.reason == "hindered" and c.facts]:
            return min(known, key=lambda c: len(c.facts)).facts
        return obstructed(args, causes, scene) or self.none(args[0])

    def advice(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> str | None:
        """How much nearer to the robot, or farther from it, the item would be within reach."""
        work = _Grasping(situation.scene.object(args[0]), args[1], situation, tools)
        some = grasps.diverse(self.candidates(work)[0], work.item.T_world_object)[:LOOKED_AT]
        return where_within_reach(work.item, some, situation, tools.world)

    def achieved(self, args: tuple[str, ...], scene: Scene, held: str | None) -> str | None:
        """Held, as seen."""
        return None if held == args[0] else f"{args[0]} is not in the hand"


class PickByRim(Pick):
    """Pick for what lies too flat for the hand to get around it: a sloping wall of it is pinched at its upper edge, and
    turns between the fingers, so that it hangs from them."""

    spec = PICK_BY_RIM

    def none(self, item: str) -> frozenset[Atom]:
        """That the item has no rim to be taken by."""
        return frozenset({Atom("no-rim", (item,))})

    def candidates(self, work: _Grasping) -> tuple[list[grasps.Grasp], str]:
        """Pinches of rims, best first."""
        return grasps.rims(work.item.parts[0].shapes, work.item.T_world_object), "is a thin rim that slopes up"

    def sideways(self, work: _Grasping) -> list[grasps.Grasp]:
        """None: the rim is pinched from above."""
        return []


@dataclass(frozen=True, eq=False)
class _Grasping:
    """An item that is to be taken from a place, in a situation."""

    item: SceneObject
    place: str
    situation: Situation
    tools: Tools

    def sample(self, grasp: grasps.Grasp, dexterity: float = 0.0, room: Room | None = None) -> Refinement | Infeasible:
        """Reach a grasp, close the fingers and lift the item clear."""
        item, situation, tools, world = self.item.name, self.situation, self.tools, self.tools.world
        T_world_grasp, width = self.item.T_world_object @ grasp.T_body_tool, grasp.width
        world.load(situation.state())
        opening = min(world.robot.gripper.opening, width + SPARE_OPENING)
        reach = reach_for(T_world_grasp, opening, situation, tools, dexterity, room)
        if isinstance(reach, Blocked):
            return blocked("pick", reach, item)
        q_grasp, way = reach
        world.set_opening(width)
        squeezed = [c.other for c in world.contacts(q_grasp, SQUEEZE, frozenset({item}))]
        if room is not None:
            squeezed += [c.other for c in world.contacts(q_grasp, 0.0, room.ignored | {item})]
        if squeezed:
            return blocked("pick", Blocked("collision", squeezed[0], frozenset({squeezed[0]})), item)
        grasped = situation.at(q_grasp, width, world.forward(q_grasp)).grasping(item)
        note, hanging = {"grasp": T_world_grasp.round(5).tolist()}, grasped
        if grasp.turned is not None:
            T_turned, width = grasp.turned
            hanging = grasped.settled(item, T_world_grasp @ inverse(T_turned))
        lift = lift_clear(item, self.place, hanging, tools, self._sinks(hanging))
        if isinstance(lift, Blocked):
            return blocked("lift", lift, item)
        segments = (
            Move(way, situation.state(), opening),
            Grip(0.0),
            Move(lift, grasped.state(), 0.0, precise=False),
        )
        if grasp.turned is not None:
            return Refinement(segments, hanging.at(lift[-1], width, world.forward(lift[-1])), note)
        T_tool_item, opening = settled(world, grasped.state(), width)
        T_world_tool = world.forward(lift[-1])
        after = grasped.at(lift[-1], opening, T_world_tool)
        if opening != width:
            after = after.settled(item, T_world_tool @ T_tool_item)
        return Refinement(segments, after, {"width": round(width, 4), **note})

    def _sinks(self, hanging: Situation) -> float:
        """Metres by which the item's lowest point is lower than where it lies."""
        return float(self.item.bounds()[0][2] - hanging.scene.object(self.item.name).bounds()[0][2])

    def clear_of_fixed(self, candidates: list[grasps.Grasp]) -> list[grasps.Grasp]:
        """The grasps at which nothing that stays where it is leaves the hand no room."""
        fixed = [o for o in self.situation.scene if o.name != self.item.name and not o.movable]
        return [g for g, free in zip(candidates, self._free(candidates, fixed), strict=True) if free]

    def no_room(self, candidates: list[grasps.Grasp]) -> Infeasible:
        """The fewest parts of what stays where it is that leave the hand no room at a grasp, rather what moves on a
        joint; of equal ones those at the better grasp."""
        name = self.item.name
        fixed = [(o, p) for o in self.situation.scene if o.name != name and not o.movable for p in o.parts]
        clear = [self._free(candidates, [replace(o, parts=(p,))]) for o, p in fixed]
        by = [[p for (_, p), c in zip(fixed, clear, strict=True) if not c[i]] for i in range(len(candidates))]
        fewest = min(by, key=lambda parts: (any(p.joint is None for p in parts), len(parts)))
        blockers = tuple(p.name for p in fewest)
        message = f"pick: the hand has no room at any grasp of {name} because of {' and '.join(blockers)}"
        return Infeasible("no-room", blockers, frozenset({Atom("no-grasp", (name,))}), message, final=True)

    def alone_first(self, candidates: list[grasps.Grasp]) -> list[grasps.Grasp]:
        """The same grasps, those first at which the closed fingers have nothing movable between them but the item:
        what lies close around it, as a bowl around another, would come along."""
        movable = [o for o in self.situation.scene if o.name != self.item.name and o.movable]
        alone = self._free(candidates, movable, spare=0.0, graze=0.0)
        return [candidates[i] for i in np.argsort(np.where(alone, 0, 1), kind="stable")]

    def clear_of_movable(self, candidates: list[grasps.Grasp]) -> tuple[list[grasps.Grasp], list[ObstructedGrasp]]:
        """The grasps at which nothing that could be moved away leaves the hand no room, and the others with what
        does."""
        movable = [o for o in self.situation.scene if o.name != self.item.name and o.movable]
        clear = [self._free(candidates, [o]) for o in movable]
        by = [
            frozenset(o.name for o, c in zip(movable, clear, strict=True) if not c[i]) for i in range(len(candidates))
        ]
        free = [g for g, names in zip(candidates, by, strict=True) if not names]
        return free, [ObstructedGrasp(g, names) for g, names in zip(candidates, by, strict=True) if names]

    def hindered(self, obstructed_ones: list[ObstructedGrasp]) -> Infeasible:
        """The fewest items that are in the way of a grasp within reach; the first few grasps are looked at."""
        item, world = self.item, self.tools.world
        world.load(self.situation.state())
        movable = {o.name for o in self.situation.scene if o.movable}
        fewest: frozenset[str] | None = None
        for h in sorted(obstructed_ones, key=lambda h: len(h.by))[:LOOKED_AT]:
            world.set_opening(min(world.robot.gripper.opening, h.grasp.width + SPARE_OPENING))
            for T in both_ways(item.T_world_object @ h.grasp.T_body_tool, world):
                if fewest is not None and len(fewest) <= len(h.by):
                    break
                q = kinematics.solve(world, T, world.robot.posture)
                touched = h.by | {c.other for c in world.contacts(q, CLEARANCE)} if q is not None else None
                if touched is not None and touched <= movable - {item.name}:
                    fewest = touched if fewest is None else min(fewest, touched, key=len)
        conflict = frozenset({item.name}).union(*(h.by for h in obstructed_ones))
        blockers = tuple(sorted(fewest or ()))
        facts = frozenset(Atom("obstructed", (item.name, b)) for b in blockers)
        reason = f"pick: the hand has no room at {item.name} because of {' and '.join(blockers) or 'other things'}"
        return Infeasible("hindered", blockers, facts, reason, conflict=conflict)

    def fits_next(self, candidates: list[grasps.Grasp]) -> bool:
        """Whether the hand has room, with one of the grasps, where the item is to be put next."""
        first = self._first_fits(candidates)
        return first is None or bool((first < LOOKED_AT).any())

    def worth_trying(self, candidates: list[grasps.Grasp]) -> tuple[list[grasps.Grasp], dict[str, int]]:
        """The same grasps, those first with which the hand has room where the item is to be put next, and only a few of
        the others where that is shut afterwards; and a note of how many have none there."""
        first = self._first_fits(candidates) if candidates else None
        if first is None:
            return candidates, {}
        roomy, place = int((first < LOOKED_AT).sum()), str(self.tools.place_after(self.item.name))
        ordered = [candidates[i] for i in np.argsort(first, kind="stable")]
        if roomy and target_of(place, self.situation.scene).shuts:
            ordered = ordered[: roomy + LOOKED_AT]
        return ordered, {f"grasps without room at {place}": len(candidates) - roomy}

    def leading_on(self, ordered: list[grasps.Grasp]) -> Iterator[grasps.Grasp]:
        """The same grasps, but of the first `FORESEEN` those last with which the arm reaches none of the first poses of
        the item where it goes next."""
        poses, put_off = list(self._poses_next()), list[grasps.Grasp]()
        for n, grasp in enumerate(ordered):
            found = itertools.chain.from_iterable(self._configurations_at(T @ grasp.T_body_tool) for T in poses)
            if n < FORESEEN and poses and next(found, None) is None:
                put_off.append(grasp)
            else:
                yield grasp
        yield from put_off

    def _poses_next(self) -> Iterator[Array]:
        """The first poses (4, 4) of the item at rest where it goes next; none where it goes nowhere."""
        item, situation, tools = self.item.name, self.situation, self.tools
        if (goes_to := tools.place_after(item)) is not None:
            target = target_of(goes_to, situation.scene)
            yield from itertools.islice(rest_poses(item, target, situation, tools), LOOKED_AT)

    def _first_fits(self, candidates: list[grasps.Grasp]) -> Array | None:
        """The first of the poses (n,) of the item where it goes next at which the hand has room with each grasp, 0 for
        any of them where they count alike, `LOOKED_AT` where it has none; None when it is not put anywhere."""
        item, situation, tools = self.item.name, self.situation, self.tools
        if (goes_to := tools.place_after(item)) is None:
            return None
        others = [o for o in situation.scene if o.name != item]
        first, tight = np.full(len(candidates), LOOKED_AT), False
        for count, T in enumerate(self._poses_next()):
            # where things were arranged the first pose counts most, and the fingers open as little as they can
            tight = tight or arranged(goes_to, tools)
            room = self._free(candidates, others, T, RELEASE_OPENINGS[-1] if tight else SPARE_OPENING)
            first = np.where(room, np.minimum(first, count if tight else 0), first)
            if (tight and room.any()) or not first.any():
                break
        return first

    def reached(self, grasp: grasps.Grasp) -> bool:
        """Whether the arm, from its posture, gets to a grasp and touches nothing there."""
        world = self.tools.world
        world.load(self.situation.state())
        world.set_opening(min(world.robot.gripper.opening, grasp.width + SPARE_OPENING))
        found = self._configurations_at(self.item.T_world_object @ grasp.T_body_tool)
        return any(not world.contacts(q, CLEARANCE) for q in found)

    def _configurations_at(self, T_world_tool: Array) -> Iterator[Array]:
        """Configurations (n,) at a tool pose, from the arm's posture, whichever way round the fingers are."""
        world = self.tools.world
        found = (kinematics.solve(world, T, world.robot.posture) for T in both_ways(T_world_tool, world))
        return (q for q in found if q is not None)

    def _free(
        self,
        candidates: list[grasps.Grasp],
        others: list[SceneObject],
        T_world_item: Array | None = None,
        spare: float = SPARE_OPENING,
        graze: float = grasps.GRAZE,
    ) -> Array:
        """Which grasps (n,) leave the hand clear of other things, as far as a quick look shows, with the item where it
        is or at another pose; the fingers are open by `spare` metres more than the grasp, and may `graze` boxes."""
        gripper = self.tools.world.robot.gripper
        T_item = self.item.T_world_object if T_world_item is None else T_world_item
        T_world_tool = np.array([T_item @ g.T_body_tool for g in candidates]).reshape(-1, 4, 4)
        opening = np.minimum(gripper.opening, np.array([g.width for g in candidates]) + spare)
        return grasps.hand_clear(T_world_tool, opening, boxes_of(p for o in others for p in o.parts), gripper, graze)


def regraspable(
    item: str, surface: str, goes_to: str | None, situation: Situation, tools: Tools
) -> Callable[[Array], bool]:
    """A quick look whether the arm, once the held item is put down at a pose (4, 4), gets to a grasp with which the
    hand has room where the item goes afterwards; yes where it goes nowhere, or is not taken by such a grasp."""
    if goes_to is None:
        return lambda T: True
    T_now, released = upright(situation.scene.object(item).T_world_object), situation.released()

    def usable(T_world_item: Array, place: str, some: list[grasps.Grasp]) -> Iterator[grasps.Grasp]:
        there = released.settled(item, T_world_item)
        work = _Grasping(there.scene.object(item), place, there, tools)
        free, _ = work.clear_of_movable(work.clear_of_fixed(some))
        return filter(work.reached, grasps.diverse(free, T_world_item))

    if (key := ("regrasps", item, goes_to, where_stood(item, situation))) not in tools.cache:
        held = released.settled(item, T_now)
        work = _Grasping(held.scene.object(item), surface, held, tools)
        candidates = [*Pick().candidates(work)[0], *Pick().sideways(work)]
        poses = itertools.islice(rest_poses(item, target_of(goes_to, held.scene), situation, tools), LOOKED_AT)
        fitting = (g for T in poses for g in itertools.islice(usable(T, goes_to, candidates), ROOMY))
        found = list({id(g): g for g in itertools.islice(fitting, 2 * ROOMY)}.values())
        tools.cache[key] = found if candidates else None
    fits: list[grasps.Grasp] | None = tools.cache[key]
    if fits is None:
        return lambda T: True

    def taken(T: Array) -> bool:
        stands = np.allclose(T[2, :3], T_now[2, :3], atol=0.05)  # on its side it would be another thing to grasp
        return stands and next(usable(T, surface, fits), None) is not None

    return taken
