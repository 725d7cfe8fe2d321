"""Keep unknown things known: models of all that was observed of each, and its name when it turns up elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from motion.poses import Array, inverse, moved
from tamp.perception.looks import Look, gaps_at
from tamp.perception.object_model import PlacedModel
from tamp.perception.segmentation import Ground, Points, reaches, together
from tamp.perception.tracking import HALF_KNOWN, Track
from tamp.perception.unknown_objects import PAST, brought_to, could_be, same_size, unknown_thing

UNMOVED = 0.003
"""Metres by which a thing may be elsewhere than in earlier pictures that say where it is not."""


@dataclass(frozen=True, eq=False)
class Observed:
    """What a model was made of: points in the thing's frame, and pictures in which it was at `T_world_thing` (4, 4)."""

    points: Points
    looks: tuple[Look, ...]
    T_world_thing: Array


@dataclass(eq=False)
class UnknownTracker:
    """What the unknown things were made of, by name."""

    observed: dict[str, Observed] = field(default_factory=dict)

    def begun(self, name: str, points: Points, ground: Ground, looks: Sequence[Look], time: float) -> Track | None:
        """The track of an unknown thing with some points, on the ground; None where they cannot be carried."""
        placed = unknown_thing(points, ground, looks) if reaches(points, ground) else None
        return None if placed is None else self._track(name, placed, points, looks, time)

    def _track(self, name: str, placed: PlacedModel, points: Points, looks: Sequence[Look], time: float) -> Track:
        T = placed.T_world_object
        self.observed[name] = Observed(replace(points, p=moved(points.p, inverse(T))), tuple(looks), T)
        return Track(name, placed, True, time, HALF_KNOWN)

    def looked_at(self, track: Track, points: Points, ground: Ground, looks: Sequence[Look], time: float) -> Track:
        """The track with the model made anew, of what was observed before and of the points that are its own now."""
        before, T = self.observed.get(track.name), track.placed.T_world_object
        if before is None:
            return track
        old = replace(before.points, p=moved(before.points.p, T))
        old = old.where(~np.any([gaps_at(look, old.p) > PAST for look in looks], axis=0))
        rests = float(np.linalg.norm(T[:3, 3] - before.T_world_thing[:3, 3])) < UNMOVED
        every = (*before.looks, *looks) if rests else tuple(looks)
        return self.begun(track.name, together([old, points]), ground, every, time) or track

    def turned_up(
        self, tracks: Sequence[Track], points: Points, ground: Ground, looks: Sequence[Look], time: float
    ) -> Track | None:
        """The nearest of the unknown things that are lost whose own some new points may be, where these are; as it was
        known where little is seen of it, in or on something. None where it is none of them."""
        lost = [t for t in tracks if t.lost and could_be(t.placed, points)]
        if not lost:
            return None
        middle = points.p.mean(axis=0)
        track = min(lost, key=lambda t: float(np.linalg.norm(t.placed.T_world_object[:3, 3] - middle)))
        anew = unknown_thing(points, ground, looks) if reaches(points, ground) else None
        if anew is not None and same_size(anew, track.placed):
            return self._track(track.name, anew, points, looks, time)
        return replace(track, placed=brought_to(track.placed, points), time=time, lost=False)
