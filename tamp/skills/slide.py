"""Slide: push an item along the surface that it lies on, from behind or, if it has a rim, from inside."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from motion import paths
from motion.paths import Blocked
from motion.poses import Array, pose, rotation_about
from motion.world import World
from tamp.model.atoms import Atom
from tamp.model.motions import Move, Segment
from tamp.model.scene import Scene, SceneObject
from tamp.model.situation import Situation
from tamp.perception import predicates
from tamp.perception.relations import spots, wishes
from tamp.skills.base import Infeasible, Refinement, Skill, Tools, blocked, obstructed
from tamp.skills.builtin_specs import SLIDE
from tamp.skills.place_targets import PlaceTarget, target_of
from tamp.skills.reaching import configuration_at, open_above, through, way_to

HEIGHTS = (0.012, 0.02, 0.03)
"""Metres of the tool point above the underside of what is pushed."""
TILTS = np.radians([0, 20, 35])
"""Angles between the approach axis and straight down, leaning towards the push."""
TURNS = np.radians([0, 180, 90, -90, 45, -45, 135, -135])
"""Angles between the closing axis and the perpendicular to the push."""
OPENINGS = (0.05, 0.0)
"""Metres between the fingers, after as far as they open: two points of contact keep what is pushed from turning."""
STANDOFF = 0.03
"""Metres before the contact at which the push begins."""
LEVEL = 0.015
"""Metres by which the heights of two surfaces may differ for something to slide from one to the other."""
ASIDE = (0.0, 0.04, -0.04, 0.08, -0.08)
"""Metres (x and y) of a bend in the way from the corner of the rectangle between its ends."""
ENDS = (0.0, 0.45, -0.45, 0.8, -0.8)
"""Where on the target something may end, as shares of its half-extents from the middle."""
SHORT, EDGE = 0.025, 5.0
"""Metres by which a push may end short of where it was to end, and how many metres of detour each of them that the edge
is too near is worth."""
BEND = 0.05
"""Metres of detour that are better than one bend more."""
CLEARANCE = 0.004
"""Metres kept between an item that is pushed and everything along its way."""
FURTHEST = 0.2
"""Most metres from where a push is looked for to the contact."""
CHOICE, DIRECT = 9, 24
"""Spots that are looked at where relations to other things have to hold; and for what is only pushed from behind, spots
of all ranks, to the first of which the way may bend."""
FEW_HANDS = 12
"""Ways to hold the hand that are tried on each way around a corner where it has to come from behind twice."""
STEP = 0.01
NEAR = 0.001
"""Metres from the target within which nothing needs to be pushed."""
MARCH = 0.003
RETREAT = 0.06
PACE = 0.5
"""Share of the usual speed: what is pushed must not run ahead."""


class Slide(Skill):
    """Operator arguments: the item, the surface that it lies on, and where it goes."""

    spec = SLIDE

    def refine(self, args: tuple[str, ...], situation: Situation, tools: Tools) -> Iterator[Refinement | Infeasible]:
        """Pushes to the middle of the target, straight or around what is in the way, at a few heights, tilts and
        openings."""
        item, target = situation.scene.object(args[0]), target_of(args[2], situation.scene)
        low, high = item.bounds()
        wanted = wishes(tools.wanted, args[0], args[2], situation.scene)
        middles = spots(wanted, 0.5 * (high - low)[:2])
        inside = open_above(item, HEIGHTS[-1])
        some = middles[:CHOICE] if inside else middles[:: max(1, len(middles) // DIRECT)][:DIRECT]
        ends = [item.position + np.append(p - 0.5 * (low + high)[:2], 0.0) for p in some]
        middle = np.array([target.centre[0], target.centre[1], item.position[2]])
        end = ends[0] if ends else middle
        apart = float(np.linalg.norm(end - item.position))
        region, off = target.region, np.inf
        if region is not None:
            off = region.T_world_region[2, 3] + region.world_half_extent()[2] - item.bounds()[0][2]
        if abs(off) > LEVEL or apart < NEAR:
            fact = frozenset({Atom("does-not-slide", (args[0], args[2]))})
            yield Infeasible("no-way", args[:1], fact, f"slide: {args[0]} cannot be pushed onto {args[2]}", final=True)
            return
        most = tools.world.robot.gripper.opening
        openings = (most, *(o for o in OPENINGS if o < most))
        shares = itertools.product(ENDS, repeat=2)
        ends = ends or [end + np.array([x * target.half[0], y * target.half[1], 0.0]) for x, y in shares]
        bending = len(ends) if inside else CHOICE
        courses = [c for n, e in enumerate(ends) for c in _courses(item.position, e, n < bending)]
        astray = EDGE if middles else 0.0
        cost = {id(c): _cost(c, c[-1] - middle, target) + astray * np.linalg.norm(c[-1] - end) for c in courses}
        for course in sorted(courses, key=lambda c: cost[id(c)]):
            straight = len(course) == 2
            if (hindered := _hindered(item, course, situation, tools)) is not None:
                if straight or inside:
                    yield hindered
                continue
            if straight or not inside:
                hands = itertools.product(openings, HEIGHTS, TILTS, TURNS[:2])
                for opening, height, tilt, turn in itertools.islice(hands, None if straight else FEW_HANDS):
                    yield _in_legs(item.name, course, _Hand(float(tilt), turn, height, opening), situation, tools)
            for opening, height, turn in itertools.product(openings, HEIGHTS, TURNS if inside else ()):
                yield _sample(item, course, _Hand(0.0, turn, height, opening), True, situation, tools)

    def facts(self, args: tuple[str, ...], causes: list[Infeasible], scene: Scene) -> frozenset[Atom]:
        """The item that is most in the way, if one is; else it does not slide there."""
        return obstructed(args, causes, scene) or frozenset({Atom("does-not-slide", (args[0], args[2]))})

    def achieved(self, args: tuple[str, ...], scene: Scene, held: str | None) -> str | None:
        """Where it belongs, as seen."""
        region = target_of(args[2], scene).region
        o = scene.object(args[0])
        there = region is not None and predicates.above(o.position, region, scene.blur)
        return None if there else f"{args[0]} is not on {args[2]}"


@dataclass(frozen=True)
class _Hand:
    """How the hand pushes: tilt and turn (rad), height over the underside and finger opening (m)."""

    tilt: float
    turn: float
    height: float
    opening: float

    def facing(self, push: Array) -> Array:
        """Rotation (3, 3) of a tool whose fingers point down, leaning towards the push, and close across it, or at an
        angle `turn` to that."""
        approach = np.sin(self.tilt) * push + np.array([0.0, 0.0, -np.cos(self.tilt)])
        across = rotation_about(np.array([0.0, 0.0, 1.0]), self.turn) @ np.cross([0.0, 0.0, 1.0], push)
        return np.column_stack([across, np.cross(approach, across), approach])


def _courses(start: Array, end: Array, bent: bool) -> list[list[Array]]:
    """Ways (points (3,)) of an item: straight, or `bent`, by one point between."""
    if not bent:
        return [[start, end]]
    corners = (np.array([start[0], end[1], start[2]]), np.array([end[0], start[1], start[2]]))
    between = [c + np.array([x, y, 0.0]) for c in corners for x, y in itertools.product(ASIDE, repeat=2)]
    courses = [[start, p, end] for p in between if min(np.linalg.norm(p - start), np.linalg.norm(end - p)) > STANDOFF]
    return [[start, end], *courses]


def _cost(course: list[Array], off: Array, target: PlaceTarget) -> float:
    """Metres of the way, and a little for every bend, and for ending `off` (3,) from the middle of the target, so near
    to its edge that what is pushed may stop short of it."""
    way = float(sum(np.linalg.norm(b - a) for a, b in itertools.pairwise(course))) + BEND * (len(course) - 2)
    margin = float((target.half - np.abs(off[:2])).min())
    return way + EDGE * max(0.0, SHORT - margin)


def _hindered(item: SceneObject, course: list[Array], situation: Situation, tools: Tools) -> Infeasible | None:
    """What the item would bump into on its way."""
    world, R = tools.world, item.T_world_object[:3, :3]
    world.load(situation.state())
    under = {c.other for c in world.body_contacts(item.name, item.T_world_object, 0.003)}
    for a, b in itertools.pairwise(course):
        for share in np.linspace(0.0, 1.0, max(2, int(np.ceil(np.linalg.norm(b - a) / STEP)))):
            met = world.body_contacts(item.name, pose(a + share * (b - a), R), CLEARANCE)
            if blocking := [c.other for c in met if c.other not in under]:
                found = blocked("slide", Blocked("collision", blocking[0]), item.name)
                return replace(found, conflict=frozenset({item.name, blocking[0]}))
    return None


def _in_legs(
    item: str, course: list[Array], hand: _Hand, situation: Situation, tools: Tools
) -> Refinement | Infeasible:
    """One way to push from behind, for each leg of the course anew."""
    segments: tuple[Segment, ...] = ()
    for leg in itertools.pairwise(course):
        pushed = _sample(situation.scene.object(item), list(leg), hand, False, situation, tools)
        if isinstance(pushed, Infeasible):
            break
        segments, situation = segments + pushed.segments, pushed.after
    else:
        note = {"course": [c.round(4).tolist() for c in course], "inside": False}
        return Refinement(segments, situation, note)
    return pushed


def _sample(
    item: SceneObject, course: list[Array], hand: _Hand, inside: bool, situation: Situation, tools: Tools
) -> Refinement | Infeasible:
    """One way to push; `inside` is with the fingers within the item's rim."""
    world = tools.world
    world.load(situation.state())
    world.set_opening(hand.opening)
    low, high = item.bounds()
    pushes = [(b - a) / np.linalg.norm(b - a) for a, b in itertools.pairwise(course)]
    R = hand.facing(pushes[0])  # the hand does not turn between one push and the next
    back = 0.0 if inside else float(np.linalg.norm(0.5 * (high - low)[:2])) + STANDOFF
    p = item.position - back * pushes[0]
    T_first = pose(np.array([p[0], p[1], low[2] + hand.height]), R)
    q = configuration_at(T_first, situation, tools, restarts=1)
    if isinstance(q, Blocked):
        return blocked("slide", q, item.name)
    gaps = [_gap(world, q, T_first, push, item.name) for push in pushes]
    if any(gap is None for gap in gaps):
        return blocked("slide", Blocked("unreachable"), item.name)
    T_start = pose(T_first[:3, 3] + max(0.0, float(gaps[0] or 0.0) - STANDOFF) * pushes[0], R)
    way = way_to(T_start, situation, tools)
    if isinstance(way, Blocked):
        return blocked("slide", way, item.name)
    offset = T_first[:3, 3] - course[0]
    stops = [
        pose(c + offset + float(gap or 0.0) * push, R)
        for a, b, push, gap in zip(course[:-1], course[1:], pushes, gaps, strict=True)
        for c in (a, b)
    ]
    follow = through(world, way[-1], stops, paths.checker(world, 0.0, frozenset({item.name})))
    if isinstance(follow, Blocked):
        return blocked("slide", follow, item.name)
    T_item = pose(course[-1], item.T_world_object[:3, :3])
    pushed = situation.at(follow[-1], hand.opening, world.forward(follow[-1])).settled(item.name, T_item)
    world.load(pushed.state())
    out = paths.straight(world, follow[-1], paths.backed(stops[-1], RETREAT), paths.checker(world, -0.003))
    if isinstance(out, Blocked):
        return blocked("retreat", out, item.name)
    segments = (
        Move(way, situation.state(), hand.opening),
        Move(follow, situation.state(), hand.opening, exact=True, pace=PACE),
        Move(out, pushed.state(), hand.opening, precise=False),
    )
    after = pushed.at(out[-1], hand.opening, world.forward(out[-1]))
    return Refinement(segments, after, {"course": [c.round(4).tolist() for c in course], "inside": inside})


def _gap(world: World, q: Array, T_first: Array, push: Array, item: str) -> float | None:
    """Metres that the tool can go along `push` until it touches the item; None when it does not, or cannot go
    there. A rim is thin, so the first touch is looked for in small steps."""
    for gone in np.arange(MARCH, FURTHEST, MARCH):
        path = paths.straight(world, q, pose(T_first[:3, 3] + push * gone, T_first[:3, :3]), None)
        if isinstance(path, Blocked):
            return None
        q = path[-1]
        if any(c.other == item for c in world.contacts(q, 0.0)):
            return float(gone - MARCH)
    return None
