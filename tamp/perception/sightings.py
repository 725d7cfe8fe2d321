"""What pictures say of a thing where it is thought to be: seen, seen past, or hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motion.poses import Array, moved
from tamp.perception.fitting import sampled
from tamp.perception.looks import Look
from tamp.perception.placing import Placed

SAME = 0.6
"""Share of what should be seen of a thing that has to be seen for it to be there."""
VISIBLE = 12
"""Places of a thing's skin that must be in view for anything to be said about it."""
MATCHED = 0.006
"""Metres between a place of the skin and what is seen there up to which it is seen."""


@dataclass(frozen=True)
class Sighting:
    """How many places of a thing's skin are seen where they should be, and past how many one sees."""

    matched: int
    past: int

    @property
    def share(self) -> float:
        """Share of what is in view that is seen."""
        return self.matched / max(1, self.matched + self.past)

    @property
    def past_it(self) -> bool:
        """Whether one sees past the place where it should be."""
        return self.tells and self.share < 1.0 - SAME

    @property
    def tells(self) -> bool:
        """Whether enough is in view to say anything."""
        return self.matched + self.past >= VISIBLE


def sighting(placed: Placed, looks: Sequence[Look]) -> Sighting:
    """What is seen of a thing where it is thought to be: what is hidden counts neither way."""
    matched = past = 0
    for skin, T in placed.skins():
        world = moved(sampled(skin), T)
        gaps = np.array([gaps_at(look, world) for look in looks])
        seen = np.abs(gaps) <= MATCHED
        matched += int(seen.any(axis=0).sum())
        past += int(((gaps > 2 * MATCHED).any(axis=0) & ~seen.any(axis=0)).sum())
    return Sighting(matched, past)


def gone(points: Array, looks: Sequence[Look]) -> bool:
    """Whether one sees past most of some points (n, 3) of something unknown: it has moved."""
    gaps = np.array([gaps_at(look, points) for look in looks])
    seen = (np.abs(gaps) <= 2 * MATCHED).any(axis=0)
    past = (gaps > 2 * MATCHED).any(axis=0) & ~seen
    return Sighting(int(seen.sum()), int(past.sum())).past_it


def gaps_at(look: Look, world: Array) -> Array:
    """How much further away (n,) than points (n, 3) what is seen there is, metres; far nearer out of the picture."""
    uv, z = look.image.project(world)
    u, v = (np.rint(np.nan_to_num(uv[:, i])).astype(int) for i in (0, 1))
    h, w = look.image.size
    inside = (u >= 0) & (u < w) & (v >= 0) & (v < h) & (z > 0.01)
    there = look.nearest[np.where(inside, v, 0), np.where(inside, u, 0)]
    return np.where(inside & (there > 0), there - z, -1.0)


def share_seen(placed: Placed, looks: Sequence[Look]) -> float:
    """How much of what each picture has in view of a thing is seen in it, to `MATCHED`: stricter than `sighting`, for
    what is seen for the first time."""
    gaps = np.concatenate([gaps_at(look, moved(sampled(skin), T)) for skin, T in placed.skins() for look in looks])
    matched, past = int((np.abs(gaps) <= MATCHED).sum()), int((gaps > MATCHED).sum())
    return matched / max(1, matched + past)
