"""Spots on a surface that leave room for everything that is still to come onto it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from motion import placements
from motion.poses import Array, inverse, pose
from motion.shapes import bounds
from tamp.model.situation import Situation
from tamp.skills import layout
from tamp.skills.base import Tools
from tamp.skills.targets import PlaceTarget, upright

ARRANGEMENTS = 4
"""Spots of an item that are taken from arrangements of all that is to stand on a surface."""
ROOMY = 0.2
"""Share of a surface, taken by all that is to stand on it, below which nothing needs to be arranged."""
FEW = 3
"""Orders of the things that are tried to see whether a spot leaves room for them."""


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
    known: list[dict[str, layout.Spot]] = tools.cache.setdefault(("together", target.name), [])
    names = {t.name for t in things}
    valid = [a for a in known if a.keys() >= names and all(layout.fits(a[n].box, taken) for n in names)]
    seen: dict[bytes, layout.Spot] = {}
    finger = tools.world.robot.gripper.footprint
    for found in itertools.chain(valid, layout.arrangements(things, target.half, taken, tools.rng, finger)):
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


def _things(item: str, target: PlaceTarget, situation: Situation, tools: Tools) -> tuple[list[layout.Footprint], Array]:
    """The item and what follows it onto a level surface, and boxes (n, 4) of what stands there; else nothing."""
    if target.region is None or target.region.kind != "surface":
        return [], np.zeros((0, 4))
    scene, T_target = situation.scene, _to_top(target)
    others = [p for o in scene if o.name != item for p in o.parts]
    pieces = [(s, T_target @ p.T_world_part) for p in others for s in p.shapes]
    taken = layout.standing(pieces, target.half, float(scene.object(item).extent[2]))
    names = dict.fromkeys([item, *(thing for thing, place in tools.following if place == target.name)])
    objects = [scene.object(n) for n in names]
    return [layout.footprint(o.name, o.parts[0].shapes, T_target @ upright(o.T_world_object)) for o in objects], taken


def _to_top(target: PlaceTarget) -> Array:
    """Transform (4, 4) from the world to the target's frame, with its origin on the surface."""
    assert target.region is not None
    return inverse(pose(target.centre + target.region.half_extent[2] * target.axes[:, 2], target.axes))


def _allows(
    item: str,
    offset: Array,
    turn: float,
    others: list[layout.Footprint],
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
    if not others:
        return layout.fits(box, taken)
    finger, taken = tools.world.robot.gripper.footprint, np.vstack([taken, box])
    return any(layout.arrangements(others, target.half, taken, tools.rng, finger, FEW))
