"""Whether something has a model's colours: what tells products apart that have one shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from motion.poses import Numbers
from tamp.perception.candidates import Candidate
from tamp.perception.clusters import Points
from tamp.perception.fitting import Fit
from tamp.perception.likeness import likeness
from tamp.perception.looks import Look
from tamp.perception.object_model import Skin

NEAR = 0.006
"""Metres from the skin up to which a point has its colour."""
NOT_ON_IT = 0.3
"""Difference of a point that is not on the skin: there should be none."""
LIGHT = (0.25, 1.8)
"""Least and most light on a surface, as a factor on its own colour."""
MOST = 0.25
"""Most that one point counts for: it may shine or glow."""
SEEN = 400
"""Points that are compared."""
COLOUR = 2.0
"""Weight of a difference in colours against the score of shape."""
SPUN, FAR = tuple(np.radians((-10.0, -5.0, 5.0, 10.0))), 0.25
"""Turns about its axis (rad) by which a solid of revolution is tried around the best of the coarse ones; how unlike it
may be for that."""


def difference(points: Points, skin: Skin, T_world_skin: Numbers) -> float:
    """How far the colours of some points are from a skin's, 0 to 1: with the light on each side of it, which is not
    known, taken as it suits best. Points that do not lie on the skin differ by `NOT_ON_IT`."""
    some = points.where(np.arange(len(points)) % max(1, len(points) // SEEN) == 0)
    local = (some.p - T_world_skin[:3, 3]) @ T_world_skin[:3, :3]
    away, nearest = cKDTree(skin.points).query(local, distance_upper_bound=NEAR)
    on = np.isfinite(away)
    if not on.any():
        return NOT_ON_IT
    which = np.asarray(nearest)[on]
    seen, own = some.colours[on] / 255.0, skin.colours[which] / 255.0
    n = skin.normals[which]
    axis = np.abs(n).argmax(axis=1)
    facing = 2 * axis + (n[np.arange(len(n)), axis] > 0)
    off = np.zeros(len(seen))
    for side in np.unique(facing):
        mine = facing == side
        lights = (seen[mine] * own[mine]).sum(axis=1) / np.maximum(1e-3, (own[mine] ** 2).sum(axis=1))
        light = float(np.clip(np.median(lights), *LIGHT))
        off[mine] = np.minimum(np.abs(seen[mine] - light * own[mine]).mean(axis=1), MOST)
    return float(off.sum() + NOT_ON_IT * (~on).sum()) / len(on)


@dataclass(frozen=True, eq=False)
class Coloured:
    """A candidate turned as its colours have it, and what it is worth with them."""

    candidate: Candidate
    fit: Fit
    worth: float

    @property
    def name(self) -> str:
        """Its category."""
        return self.candidate.model.thing.name


def coloured(c: Candidate, fit: Fit, cluster: Points, looks: Sequence[Look]) -> Coloured:
    """A fit judged by its colours, turned as they have it where the shape does not tell."""
    spins = c.spun(fit.T_world_object[0])
    T = spins[int(np.argmin([difference(cluster, c.skin, T) for T in spins]))]
    like = likeness(c.skin, T, looks)
    if like is not None and c.model.turns == 0 and like.off < FAR:
        turned = [(likeness(c.skin, S, looks) or like, S) for S in c.spun(T, SPUN)]
        like, T = min([(like, T), *turned], key=lambda t: t[0].off)
    missed = c.skin.field.distance((cluster.p - T[:3, 3]) @ T[:3, :3]) > NEAR
    off = difference(cluster, c.skin, T) if like is None else like.off
    worth = float(fit.score[0]) - COLOUR * (off + NOT_ON_IT * float(missed.sum()) / max(1, len(missed)))
    return Coloured(c, replace(fit, T_world_object=T[None]), worth)
