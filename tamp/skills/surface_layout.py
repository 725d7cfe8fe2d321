"""Where several things that go onto one surface can stand together, before the first of them is put down.

Footprints are rectangles along the target's axes. One after the other they go into a corner: flush with the
target's edge or with what stands there already. What is put close to the edge leaves room in the middle, for the
next thing and for the fingers that bring it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from motion import placements
from motion.poses import Array, Numbers, inverse, pose
from motion.shapes import Shape, bounds
from tamp.model.situation import Situation
from tamp.skills.base import Tools
from tamp.skills.place_targets import PlaceTarget, upright

GAP = 0.006
"""Metres between neighbours: more than what is kept from a thing that is carried past."""
ORDERS = 40
"""Orders of the things that are tried, the given one first."""
FLUSH = 1e-4
ABOVE = 0.005
"""Metres above the surface from which on something stands there."""
ARRANGEMENTS = 4
"""Spots of an item that are taken from arrangements of all that is to stand on a surface."""
ROOMY = 0.2
"""Share of a surface, taken by all that is to stand on it, below which nothing needs to be arranged."""
FEW = 3
"""Orders of the things that are tried to see whether a spot leaves room for them."""


@dataclass(frozen=True)
class Footprint:
    """What a thing takes of a surface: size (2,) in metres along the target's axes for each of its turns (rad)."""

    name: str
    turns: tuple[tuple[float, tuple[float, float]], ...]


@dataclass(frozen=True, eq=False)
class Spot:
    """A thing's place: offset (2,) in metres from the target's centre, a turn in radians and the size then."""

    offset: Array
    turn: float
    size: Array

    @property
    def box(self) -> Array:
        """Low x, low y, high x, high y, metres, in the target's frame."""
        return np.concatenate([self.offset - 0.5 * self.size, self.offset + 0.5 * self.size])


def footprint(name: str, shapes: tuple[Shape, ...], T_target_thing: Array) -> Footprint:
    """The footprint of a thing with its own axes along the target's, in the two turns that it takes least of."""
    axis = max(T_target_thing[:2, :2].T, key=lambda v: float(np.linalg.norm(v)))
    aligned = -float(np.arctan2(axis[1], axis[0]))
    turns = sorted(np.arctan2(np.sin(a), np.cos(a)) for a in aligned + 0.5 * np.pi * np.arange(4))
    least = sorted(turns, key=abs)[:2]
    sizes = []
    for turn in map(float, least):
        low, high = bounds(shapes, placements.turned(T_target_thing, turn))
        sizes.append((turn, (float(high[0] - low[0]), float(high[1] - low[1]))))
    return Footprint(name, tuple(sizes))


def standing(pieces: Iterable[tuple[Shape, Array]], half: Array, height: float) -> Array:
    """Boxes (n, 4) of the shapes, each with its pose in the target's frame, that stand up over a rectangle with
    half-extents (2,), from its plane to `height` metres above."""
    out = []
    for shape, T in pieces:
        low, high = bounds((shape,), T)
        over = bool((low[:2] < half).all() and (high[:2] > -half).all())
        if over and shape.kind != "plane" and high[2] > ABOVE and low[2] < height:
            out.append([*low[:2], *high[:2]])
    return np.array(out).reshape(-1, 4)


def arrangements(
    things: list[Footprint],
    half: Array,
    taken: Array,
    rng: np.random.Generator,
    finger: tuple[float, float],
    orders: int = ORDERS,
) -> Iterator[dict[str, Spot]]:
    """Spots for all things, wholly on a rectangle with half-extents (2,) and clear of boxes `taken` (n, 4).

    The things are put down in the order given, each with room for two opposite fingers: see `Gripper.footprint`.
    """
    for attempt in range(orders):
        order = [int(i) for i in rng.permutation(len(things))] if attempt > 1 else list(range(len(things)))
        if attempt == 1:
            order.sort(key=lambda i: -max(max(size) for _, size in things[i].turns))
        found = _in_order([things[i] for i in order], half, taken)
        if found is not None and _can_be_brought([found[t.name] for t in things], taken, finger):
            yield found


def fits(box: Array, taken: Array) -> bool:
    """Whether a box (4,) is clear of boxes (n, 4)."""
    return not _overlaps(box[None], taken, GAP - FLUSH).any()


def _in_order(things: list[Footprint], half: Array, taken: Array) -> dict[str, Spot] | None:
    out: dict[str, Spot] = {}
    for thing in things:
        ranked = [c for turn, size in thing.turns if (c := _best_corner(turn, np.array(size), half, taken)) is not None]
        if not ranked:
            return None
        _, out[thing.name] = min(ranked, key=lambda c: c[0])
        taken = np.vstack([taken, out[thing.name].box])
    return out


def _best_corner(turn: float, size: Array, half: Array, taken: Array) -> tuple[tuple[float, ...], Spot] | None:
    """The best free spot that is flush, in x and in y, with an edge of the target or with what is there; its rank,
    of which the least is best: many sides flush, edges before neighbours, a small size along the longer side."""
    room = half - 0.5 * size
    if (room < 0).any():
        return None
    x, y = (_flush_values(axis, size, room, taken) for axis in (0, 1))
    k, axis = len(x), np.repeat((0, 1), (len(x), len(y)))  # places are on a grid: each axis is looked at by itself
    v = np.concatenate([x, y])
    low, high, taken_low, taken_high = v - 0.5 * size[axis], v + 0.5 * size[axis], taken.T[axis], taken.T[2 + axis]
    before, after = low[:, None] - taken_high, taken_low - high[:, None]  # metres to which of the boxes: (k + m, n)
    over = _joined((low[:, None] - (GAP - FLUSH) < taken_high) & (high[:, None] + (GAP - FLUSH) > taken_low), k)
    if over.all():
        return None
    level = (low[:, None] < taken_high) & (high[:, None] > taken_low)
    near = (np.abs(before - GAP) < 2 * FLUSH) | (np.abs(after - GAP) < 2 * FLUSH)
    joins = _joined(np.concatenate([near[:k], level[k:]]), k) + 1.0 * _joined(np.concatenate([level[:k], near[k:]]), k)
    flush = 1.0 * (np.abs(np.abs(v) - room[axis]) < 2 * FLUSH)
    score = np.where(over, -1.0, flush[:k, None] + flush[k:] + 0.9 * joins)
    i, j = np.nonzero(score == score.max())
    best = np.lexsort((y[j], x[i], -(np.abs(x[i]) + np.abs(y[j])).round(4)))[0]
    rank = (-float(score.max()), float(size[np.argmax(half)]), abs(turn))
    return rank, Spot(np.array([x[i[best]], y[j[best]]]), turn, size)


def _joined(along: Numbers, k: int) -> Numbers:
    """Which places (k, m) have one of n boxes along both axes, from which values have it along theirs (k + m, n)."""
    along = along.astype(np.float32)
    return np.asarray(along[:k] @ along[k:].T > 0)


def _flush_values(axis: int, size: Array, room: Array, taken: Array) -> Array:
    """Coordinates of a thing's middle at which it is flush with something along one axis."""
    reach, most = GAP + 0.5 * size[axis], room[axis] + FLUSH
    v = np.concatenate([[-room[axis], room[axis]], taken[:, axis] - reach, taken[:, 2 + axis] + reach])
    return np.array(sorted({x for x in v.round(5).tolist() if -most <= x <= most}))


def _can_be_brought(spots: list[Spot], taken: Array, finger: tuple[float, float]) -> bool:
    """Whether each thing, put down in this order, has room for fingers on two opposite sides."""
    for spot in spots:
        if not any(_fingers_free(spot, axis, taken, finger) for axis in (0, 1)):
            return False
        taken = np.vstack([taken, spot.box])
    return True


def _fingers_free(spot: Spot, axis: int, taken: Array, finger: tuple[float, float]) -> bool:
    half, away = np.full(2, finger[1]), np.zeros(2)
    half[axis] = 0.5 * finger[0]
    away[axis] = 0.5 * spot.size[axis] + 0.5 * finger[0]
    middles = np.array([spot.offset - away, spot.offset + away])
    return not _overlaps(np.hstack([middles - half, middles + half]), taken, 0.0).any()


def _overlaps(boxes: Array, taken: Array, gap: float) -> Array:
    """Which of the boxes `taken` (n, 4) come nearer than `gap` to which of `boxes` (m, 4): (m, n)."""
    low, high = boxes[:, None, :2] - gap, boxes[:, None, 2:] + gap
    return np.asarray(((low < taken[:, 2:]) & (high > taken[:, :2])).all(axis=2))


def arranged(target: str, tools: Tools) -> bool:
    """Whether this search knows an arrangement of all that is to stand on a target."""
    return bool(tools.cache.get(("together", target)))


def leaving_room(
    item: str, target: PlaceTarget, situation: Situation, tools: Tools, spots: Iterator[tuple[Array, float]]
) -> Iterator[tuple[Array, float]]:
    """Offsets (3,) from a target's centre and turns of an item, those first that leave room for what is to follow.

    The other `spots` come after; where an arrangement of everything is known, only those that allow one still.
    """
    things, taken = _things(item, target, situation, tools)
    if not arranged(target.name, tools) and (len(things) < 2 or roomy(item, target, situation, tools)):
        yield from spots
        return
    known: list[dict[str, Spot]] = tools.cache.setdefault(("together", target.name), [])
    names = {t.name for t in things}
    valid = [a for a in known if a.keys() >= names and all(fits(a[n].box, taken) for n in names)]
    seen: dict[bytes, Spot] = {}
    finger = tools.world.robot.gripper.footprint
    for found in itertools.chain(valid, arrangements(things, target.half, taken, tools.rng, finger)):
        if not any(found is a for a in known):
            known.append(found)
        spot = found[item]
        if (key := spot.box.round(4).tobytes()) not in seen:
            seen[key] = spot
            yield np.append(spot.offset, 0.0), spot.turn
        if len(seen) >= ARRANGEMENTS:
            break
    for spot in seen.values():  # the hand may reach it only the other way round
        yield np.append(spot.offset, 0.0), spot.turn + np.pi
    for offset, turn in spots:
        if not known or _allows(item, offset, turn, things[1:], target, situation, taken, tools):
            yield offset, turn


def roomy(item: str, target: PlaceTarget, situation: Situation, tools: Tools) -> bool:
    """Whether the item and what follows it take so little of a level surface that nothing needs to be arranged."""
    things, _ = _things(item, target, situation, tools)
    taken = sum(min(float(np.prod(size)) for _, size in t.turns) for t in things)
    return bool(things) and taken < ROOMY * 4 * float(np.prod(target.half))


def _things(item: str, target: PlaceTarget, situation: Situation, tools: Tools) -> tuple[list[Footprint], Array]:
    """The item and what follows it onto a level surface, and boxes (n, 4) of what stands there; else nothing."""
    if target.region is None or target.region.kind != "surface":
        return [], np.zeros((0, 4))
    scene, on_top = situation.scene, target.centre + target.region.half_extent[2] * target.axes[:, 2]
    T_target = inverse(pose(on_top, target.axes))
    others = [p for o in scene if o.name != item for p in o.parts]
    pieces = [(s, T_target @ p.T_world_part) for p in others for s in p.shapes]
    taken = standing(pieces, target.half, float(scene.object(item).extent[2]))
    names = dict.fromkeys([item, *(thing for thing, place in tools.following if place == target.name)])
    objects = [scene.object(n) for n in names]
    return [footprint(o.name, o.parts[0].shapes, T_target @ upright(o.T_world_object)) for o in objects], taken


def _allows(
    item: str,
    offset: Array,
    turn: float,
    others: list[Footprint],
    target: PlaceTarget,
    situation: Situation,
    taken: Array,
    tools: Tools,
) -> bool:
    """Whether the others still have an arrangement with the item at a spot."""
    o = situation.scene.object(item)
    R = placements.turned(upright(o.T_world_object), turn)[:3, :3]
    low, high = bounds(o.parts[0].shapes, pose(offset, target.axes.T @ R))
    box = np.concatenate([low[:2], high[:2]])
    if not fits(box, taken):
        return False
    finger, taken = tools.world.robot.gripper.footprint, np.vstack([taken, box])
    return not others or any(arrangements(others, target.half, taken, tools.rng, finger, FEW))
