"""Where an item can come to rest on a target: spots on it, attitudes of the item, and which of them come first."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Iterable, Iterator
from copy import copy

import numpy as np

from motion import falling, grasps, paths, placements
from motion.poses import Array, error, inverse, pose, rotation_about
from motion.shapes import Shape, bounds
from motion.world import World
from tamp.model.situation import Situation
from tamp.perception import predicates
from tamp.perception.relations import Wish, spots, wishes
from tamp.skills import surface_layout
from tamp.skills.base import Tools
from tamp.skills.place_targets import PlaceTarget, outside, upright, where_stood
from tamp.skills.surface_layout import arranged, leaving_room, roomy

SPOTS = 30
"""Poses of an item at rest that are tried for each grasp."""
LEANS = np.radians([12, 7])
"""How far a thing may lean against the walls of what it is put into."""
SLOPES = (0.26, 0.52)
"""How far (rad) a thing may lean that is put on a slope."""
LEANT = np.radians(45)
"""Steps in which attitudes of an item are ranked by how far they are from how it is held."""
FEW = 60
"""Spots that are looked at for each side on which an item could be laid."""
YAWS = 8
SQUARE_YAWS = 4
"""Turns of a thing with an inside of its own: its regions are boxes along the world's axes, which shrink between."""
ABOUT = np.cos(np.radians(100))
"""Cosine of the angle from which on a turn of the item is one about."""
MOUTH = (0.9, 0.6)
"""How far towards the mouth of what has a hinged door an item is put, as a share of the half-extent there."""
GRID, SLOPE_GRID = 5, (3, 9)
"""Spots along each side of a place, and along the longer and the shorter side of one that slopes."""
APART = 0.02
"""Metres from everything beside it at which an item is put on a surface, where there is room."""
CHOICE = 40
"""Spots that are looked at where relations to other things have to hold."""
PUT_OFF = 6
"""Spots that are put off for others with more room."""
DRAWN = 200
"""Spots of a surface that are drawn where those on the grid are not enough."""
ASIDE, FARTHEST, SURE = 0.003, 2, 0.003
"""Metres of a step aside, and how many of them, by which it is looked how exactly a thing has to be put on a slope; and
metres that are enough."""
SAME = 1e-3
"""Metres, or component of a direction, up to which two poses are the same."""
WALL = 0.003
"""Metres from a wall, or from what is there, at which things that share a bin are put."""


def rest_poses(item: str, target: PlaceTarget, situation: Situation, tools: Tools) -> Iterator[Array]:
    """Poses (4, 4) of an item at rest on a target, computed as they are asked for.

    They do not depend on how it is grasped, so they are kept for the next grasp. Where something else is to be
    put on the same target later, and there is not much room, the outermost come first.
    """
    shared = any(place == target.name and thing != item for thing, place in tools.following)
    shared = shared and not roomy(item, target, situation, tools)
    key = ("spots", item, target.name, shared, where_stood(item, situation))
    if key not in tools.cache:
        rests = _rests(item, target, situation.released(), tools, shared)
        if not shared and target.region is not None and target.region.kind == "surface":
            rests = _apart_first(rests, item, target, situation.released(), tools)
        (tools.cache[key],) = itertools.tee(itertools.islice(rests, SPOTS), 1)
    kept: Iterator[Array] = copy(tools.cache[key])  # from the first on, each computed once
    return kept


def _apart_first(
    rests: Iterator[Array], item: str, target: PlaceTarget, situation: Situation, tools: Tools
) -> Iterator[Array]:
    """The same poses, but those close beside something later, since what is held may hang a little otherwise than it
    was grasped; unless they are where things were arranged."""
    put_off: list[Array] = []
    for T in rests:
        tools.world.load(situation.state())
        raised = paths.lifted(T, 1.5 * APART)  # above what it stands on
        crowded = not arranged(target.name, tools) and tools.world.gap(item, raised, APART) < APART
        if crowded and len(put_off) < PUT_OFF:
            put_off.append(T)
        else:
            yield T
    yield from put_off


def _rests(item: str, target: PlaceTarget, situation: Situation, tools: Tools, shared: bool) -> Iterator[Array]:
    """Rest poses as the item stands now; if it would not stand so, laid on one of its sides, or leaning in what has
    walls. Those in which it does not stand by itself come last, the lowest first, from which it falls least. In a bin
    with other things it need not stand: there it may fall to where it stays."""
    T_now = upright(situation.scene.object(item).T_world_object)
    if target.is_uneven:
        yield from _held_by_slope(item, target, situation, tools)
        return
    among = (o for o in situation.scene if o.movable and o.name not in (item, target.owner.name))
    heaped = target.is_bin and any(target.accepts(o.position) for o in among)
    unsteady: list[Array] = []
    leaning = [T for angle in LEANS for T in _tipped(T_now, float(angle))] if target.is_bin else []
    R_held = situation.scene.object(item).T_world_object[:3, :3]
    tipped = sorted(_tipped(T_now), key=lambda T: _turns_to(R_held, T))
    for T_item in (T_now, *tipped, *leaning):
        as_now, any_found = T_item is T_now, False
        alone, most = (not shared, None) if as_now else (True, FEW)
        for T in resting_on(item, T_item, target, situation, tools, shared=not alone, most=most):
            if _steady(item, T, target, situation, tools):
                any_found = True
                yield T
            else:
                unsteady.append(T)
        if as_now and any_found and not heaped:
            return
        if as_now and heaped:
            yield from _dropped(item, (T_now, *tipped), target, situation, tools)
            return
    shapes = situation.scene.object(item).parts[0].shapes
    yield from sorted(unsteady, key=lambda T: round(float(bounds(shapes, T)[0][2]), 2))


def _dropped(
    item: str, attitudes: Iterable[Array], target: PlaceTarget, situation: Situation, tools: Tools
) -> Iterator[Array]:
    """Poses over a bin from which an item falls to where it stays in there."""
    for T_item in attitudes:
        for T in resting_on(item, T_item, target, situation, tools, shared=True, most=FEW, falls=True):
            if rest_after(item, T, target, situation, tools) is not None:
                yield T


def _held_by_slope(item: str, target: PlaceTarget, situation: Situation, tools: Tools) -> Iterator[Array]:
    """Poses on a surface that slopes, level or leaning, then on a side, from which an item, let go of there or a little
    aside, comes to rest still on it. Where it has to be put exactly comes later."""
    T_now = upright(situation.scene.object(item).T_world_object)
    leaning = [T for angle in SLOPES for T in _tipped(T_now, angle)]
    exact, order = list[tuple[float, int, Array]](), itertools.count()
    groups = ((T_now, *leaning), _tipped(T_now))
    for T in (T for some in groups for T in _in_turns(item, some, target, situation, tools)):
        if rest_after(item, T, target, situation, tools) is None:
            continue
        T_middle, margin = _middle_of_stay(item, T, target, situation, tools)
        if margin >= SURE:
            yield T_middle
            continue
        heapq.heappush(exact, (-margin, next(order), T_middle))
        if len(exact) > PUT_OFF:
            yield heapq.heappop(exact)[2]
    yield from (T for _, _, T in sorted(exact))


def _in_turns(
    item: str, attitudes: Iterable[Array], target: PlaceTarget, situation: Situation, tools: Tools
) -> Iterator[Array]:
    """Rest poses of an item, one of each of some attitudes after the other."""
    sources = deque(resting_on(item, T_item, target, situation, tools, most=2 * FEW) for T_item in attitudes)
    while sources:
        if (T := next(sources[0], None)) is not None:
            yield T
            sources.rotate(-1)
        else:
            sources.popleft()


def _middle_of_stay(
    item: str, T_world_item: Array, target: PlaceTarget, situation: Situation, tools: Tools
) -> tuple[Array, float]:
    """The middle, along one level axis after the other, of the poses around one at which an item stays on a target; and
    metres from there to where it does not, as far as was looked."""
    T, margin = T_world_item, np.inf

    def moved(step: Array) -> Array | None:
        """The pose so much aside, on what is there; None where the item does not stay."""
        tools.world.load(situation.released().state())
        found = placements.drop(tools.world, item, paths.lifted(pose(T[:3, 3] + step, T[:3, :3]), APART), 2 * APART)
        stays = found is not None and rest_after(item, found[0], target, situation, tools) is not None
        return found[0] if found is not None and stays else None

    for axis in np.eye(3)[:2]:
        steps = [ASIDE * n * axis for n in range(1, FARTHEST + 1)]
        ahead, back = (
            sum(1 for _ in itertools.takewhile(lambda x: x is not None, map(moved, some)))
            for some in (steps, [-step for step in steps])
        )
        middle = moved(0.5 * (ahead - back) * ASIDE * axis)
        T, margin = (T if middle is None else middle), min(margin, 0.5 * (ahead + back) * ASIDE)
    return T, margin


def rest_after(item: str, T_world_item: Array, target: PlaceTarget, situation: Situation, tools: Tools) -> Array | None:
    """The pose (4, 4) at which an item stays that is let go of at a rest pose: there; or where it falls to, over a bin,
    on a surface that slopes, or on another item on which it does not stand. None where that is elsewhere."""
    world = tools.world
    world.load(situation.released().state())
    on_item = target.region is None
    stays = _stands if on_item else _lies
    drops = target.is_uneven or on_item or target.is_bin
    if not drops or (not target.is_uneven and stays(item, T_world_item, target, situation, tools)):
        return T_world_item
    T = falling.fallen(world, item, T_world_item)
    if T is None or not on_item:
        return T if T is not None and target.accepts(T[:3, 3]) else None
    fallen = situation.settled(item, T).scene.object(item)
    return T if predicates.is_centred_on(target.owner, fallen, 0.0) else None


def _lies(item: str, T_world_item: Array, target: PlaceTarget, situation: Situation, tools: Tools) -> bool:
    """Whether an item at the end of its way down lies well, as far as can be said without physics."""
    under = frozenset(c.other for c in tools.world.body_contacts(item, T_world_item, 0.5 * placements.STEP))
    bottom = float(bounds(situation.scene.object(item).parts[0].shapes, T_world_item)[0][2])
    return target.accepts(T_world_item[:3, 3]) and target.carries(under, bottom)


def _steady(item: str, T_world_item: Array, target: PlaceTarget, situation: Situation, tools: Tools) -> bool:
    """Whether the item stands by itself, or is held by the shape of the item that it is on."""
    if target.region is None:
        return rest_after(item, T_world_item, target, situation, tools) is not None
    return _stands(item, T_world_item, target, situation, tools)


def _stands(item: str, T_world_item: Array, target: PlaceTarget, situation: Situation, tools: Tools) -> bool:
    """Whether the item stands by itself."""
    centre = grasps.centroid(situation.scene.object(item).parts[0].shapes, T_world_item)
    return placements.stands(tools.world, item, T_world_item, centre)


def _tipped(T: Array, angle: float = 0.5 * np.pi) -> list[Array]:
    """The pose tipped over, by a quarter turn, to each of the four sides that the item's own axes tell."""
    level = [axis for axis in T[:3, :3].T if abs(axis[2]) < 0.5][:2]
    return [pose(T[:3, 3], rotation_about(axis, s * angle) @ T[:3, :3]) for axis in level for s in (1.0, -1.0)]


def _turns_to(R_held: Array, T: Array) -> int:
    """Eighths of a turn from how an item is held to another attitude: what hangs askew is laid on the nearer side."""
    e = error(pose(np.zeros(3), R_held), pose(np.zeros(3), T[:3, :3]))
    return int(np.round(np.linalg.norm(e[3:]) / LEANT))


def resting_on(
    item: str,
    T_now: Array,
    target: PlaceTarget,
    situation: Situation,
    tools: Tools,
    ignore: frozenset[str] = frozenset(),
    shared: bool = False,
    most: int | None = None,
    falls: bool = False,
) -> Iterator[Array]:
    """Rest poses (4, 4) on the target in the attitude of `T_now`, turned about the vertical, were the bodies in
    `ignore` not there; from the outside inwards when it is `shared`; at `most` so many spots are looked at. Where it
    `falls`, those over the inside of the target in which it would not stay."""
    world, thing = tools.world, situation.scene.object(item)
    shapes = thing.parts[0].shapes
    yaws = placements.yaws(SQUARE_YAWS if thing.regions else YAWS)
    if target.is_uneven:
        turns = surface_layout.footprint(item, shapes, T_now).turns
        yaws = np.array([yaw + about for about in (0.0, np.pi) for yaw, _ in turns])
    packed = shared and target.is_bin and not falls
    free, at_walls = list[Array](), list[Array]()
    wanted = wishes(tools.wanted, item, target.name, situation.scene)
    found_at = _related(wanted, target, shapes, T_now, yaws)
    if found_at is None:
        found_at = _spots(target, shapes, T_now, yaws, shared, tools.rng)
        found_at = found_at if ignore else leaving_room(item, target, situation, tools, found_at)
    for offset, yaw in itertools.islice(found_at, most):
        world.load(situation.released().state())
        T = placements.turned(T_now, yaw)
        start = pose(target.centre + target.axes @ offset, T[:3, :3])
        start[2, 3] = 0.0
        bottom = float(bounds(shapes, start)[0][2])
        for height in target.heights:
            start[2, 3] = height - bottom
            found = placements.drop(world, item, start, 0.4, ignore)
            if found is None:
                continue
            if wanted and not all(wish.met(item, bounds(shapes, found[0])) for wish in wanted):
                continue
            p, lowest = found[0][:3, 3], float(found[0][2, 3]) + bottom
            lies = target.accepts(p) and target.carries(found[1], lowest)
            if target.holds_below(p, lowest) and not lies if falls else lies:
                free.append(found[0])
                T = _outwards(world, item, found[0], target) if packed else found[0]
                if not packed or not any((np.abs(T - other) < SAME).all() for other in at_walls):
                    at_walls.append(T)
                    yield T
                break
    yield from free if packed else ()


def _outwards(world: World, item: str, T_world_item: Array, target: PlaceTarget) -> Array:
    """The pose moved level, along one axis after the other, away from the middle of an interior up to a wall or to what
    is there."""
    T = T_world_item
    for axis in np.eye(3)[:2]:
        step = WALL * np.sign((T[:3, 3] - target.centre) @ axis) * axis
        while step.any() and target.accepts(T[:3, 3] + step):
            there = pose(T[:3, 3] + step, T[:3, :3])
            if world.gap(item, paths.lifted(there, 2 * WALL), WALL) < WALL:
                break
            T = there
    return T


def _related(
    wanted: tuple[Wish, ...], target: PlaceTarget, shapes: tuple[Shape, ...], T_now: Array, yaws: Array
) -> Iterator[tuple[Array, float]] | None:
    """Offsets (3,) and turns that put the middle of an item where relations that are to hold want it, the best first;
    None where there are no such relations."""
    if all(wish.denied for wish in wanted):
        return None
    low, high = bounds(shapes, T_now)
    points = spots(wanted, 0.5 * (high - low)[:2])[:CHOICE]
    off = 0.5 * (low + high) - T_now[:3, 3]

    def at(p: Array, yaw: float) -> Array:
        turned = rotation_about(np.array([0.0, 0.0, 1.0]), yaw) @ off
        return np.asarray(target.axes.T @ np.append(p - target.centre[:2] - turned[:2], 0.0))

    turns = sorted(map(float, yaws), key=lambda yaw: (yaw != 0.0, np.cos(yaw) < ABOUT))
    return ((at(p, yaw), yaw) for some in (turns[:1], turns[1:]) for p in points for yaw in some)


def _spots(
    target: PlaceTarget, shapes: tuple[Shape, ...], T_now: Array, yaws: Array, shared: bool, rng: np.random.Generator
) -> Iterator[tuple[Array, float]]:
    """Offsets (3,) from the target's centre, and turns out of `yaws`: the middle as it is held first, the rest
    shuffled; from the outside inwards when the target is shared.

    Offsets lie on a grid over what the item's own size, so turned, leaves of the rectangle, at most 0.3 m from
    the middle. Turns about, for which the hand takes long, come after the others.
    """
    if not shared:
        yield np.zeros(3), 0.0
    yield from ((offset, float(yaw)) for offset in _at_the_mouth(target) for yaw in yaws)
    middles = _middles(target, shapes, T_now)
    if shared and target.is_bin:
        yaws = np.array([yaw for _, yaw in middles])  # along the walls: there is room for others then
    else:
        yield from middles

    def spare_at(yaw: float) -> Array:
        low, high = bounds(shapes, inverse(pose(np.zeros(3), target.axes)) @ placements.turned(T_now, yaw))
        least = target.half if target.is_uneven else 0.3 * target.half
        return np.asarray(np.clip(target.half - 0.5 * (high - low)[:2], least, 0.3))

    pairs = []
    for yaw in yaws:
        spare = spare_at(float(yaw))
        counts = SLOPE_GRID[:: 1 if spare[0] > spare[1] else -1] if target.is_uneven else (GRID, GRID)
        x, y = (np.linspace(-1, 1, n) * s for n, s in zip(counts, spare, strict=True))
        grid = [np.array([a, b, 0.0]) for a in x for b in y] if spare.any() else []
        pairs += [(offset, float(yaw)) for offset in (np.zeros(3), *grid)]
    order = rng.permutation(len(pairs))
    if shared:
        order = order[np.argsort([-np.linalg.norm(pairs[i][0]).round(3) for i in order], kind="stable")]
    elif target.region is None or target.region.kind == "surface":
        order = order[np.argsort([np.cos(pairs[i][1]) < ABOUT for i in order], kind="stable")]
    for i in order:
        yield pairs[i]
    if target.region is not None and target.region.kind == "surface":  # between them, where hardly anything is free
        for _ in range(DRAWN):
            yaw = float(rng.uniform(-np.pi, np.pi))
            yield np.append(rng.uniform(-1.0, 1.0, 2) * spare_at(yaw), 0.0), yaw


def _middles(target: PlaceTarget, shapes: tuple[Shape, ...], T_now: Array) -> list[tuple[Array, float]]:
    """Offsets (3,) and turns that put the middle of an item, rather than its origin, into the middle of an interior,
    with its sides along the walls: where it is tight only that fits."""
    if target.region is None or target.region.kind != "interior":
        return []
    T_target = inverse(pose(np.zeros(3), target.axes))
    out = []
    for turn, _ in surface_layout.footprint(target.name, shapes, T_target @ T_now).turns:
        for yaw in (turn, turn + np.pi):
            T = T_target @ placements.turned(T_now, yaw)
            low, high = bounds(shapes, T)
            out.append((np.append((T[:3, 3] - 0.5 * (low + high))[:2], 0.0), yaw))
    return out


def _at_the_mouth(target: PlaceTarget) -> list[Array]:
    """Offsets (3,) towards the way into what has a hinged door, where a hand can stay outside."""
    region = target.region
    if region is None or region.door is None or target.owner.part(region.door).kind != "door":
        return []
    out = outside(target.owner, region)[0]
    return [share * float(np.abs(out[:2]) @ target.half) * out for share in MOUTH]
