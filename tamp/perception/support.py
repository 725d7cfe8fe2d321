"""What stands on something, and what is left: what was recognised in the air is a piece of something else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from motion.poses import Array
from tamp.perception.clusters import Ground, Points
from tamp.perception.placing import Placed

BOTTOM = 0.004
"""Metres above its lowest point up to which a thing's skin is its bottom."""
CARRIED = 0.02
"""Metres from its bottom within which there is something that carries it."""

SUPPORTED = 0.01
"""Metres from the ground within which the bottom of a thing is on it."""


def stood(placed: Placed, others: Iterable[Placed], ground: Ground) -> Placed:
    """A thing that stands on the ground, to the tenth of a millimetre, if its bottom is seen near there: not one whose
    middle is over one of `others` that can be carried, which may be what it stands on."""
    off, middle = ground.stands - placed.lowest, placed.T_world_object[:2, 3]
    bounds = (other.as_object(other.model.thing.name).bounds() for other in others)
    if abs(off) > SUPPORTED or any(np.all((middle > b[0][:2]) & (middle < b[1][:2])) for b in bounds):
        return placed
    T = placed.T_world_object.copy()
    T[2, 3] += off
    return replace(placed, T_world_object=T)


def reaches(points: Points, ground: Ground) -> bool:
    """Whether some points reach down to the ground."""
    return float(points.p[:, 2].min()) < ground.height + CARRIED


def unlike(points: Points, things: Iterable[Placed], within: float) -> Points:
    """The points that belong to none of some things: up to so many metres from their skins they do."""
    out = np.ones(len(points), dtype=bool)
    for thing in things:
        out[out] &= ~thing.explains(points.p[out], within)
    return points.where(out)


def floating(things: Sequence[Placed], ground: float, others: Array) -> list[bool]:
    """Which things nothing carries: not the ground (its height in m), nor what was not recognised and is no piece of
    them (points (n, 3)), nor a thing that is carried itself. What does not move is."""
    bottoms = [_bottom(t) for t in things]
    carried = [
        not t.model.thing.movable or float(b[:, 2].min()) < ground + CARRIED or _near(b, others)
        for t, b in zip(things, bottoms, strict=True)
    ]
    while True:
        again = [c or _on_another(i, bottoms[i], things, carried) for i, c in enumerate(carried)]
        if again == carried:
            return [not c for c in carried]
        carried = again


def _on_another(i: int, bottom: Array, things: Sequence[Placed], carried: Sequence[bool]) -> bool:
    pairs = zip(things, carried, strict=True)
    return any(c and k != i and float(t.distance(bottom).min()) < CARRIED for k, (t, c) in enumerate(pairs))


def _bottom(placed: Placed) -> Array:
    """The lowest points (n, 3) of a thing's skin."""
    world = placed.points()
    return np.asarray(world[world[:, 2] < world[:, 2].min() + BOTTOM])


def _near(bottom: Array, others: Array) -> bool:
    return bool(len(others)) and float(np.min(cKDTree(others).query(bottom)[0])) < CARRIED
