"""Whether a thing that is followed is still the one that it was taken for: somebody may have put another one there.

Shapes do not tell products from each other, and what is followed is followed by its shape. What is nearest to the hand
is about to matter, and is looked at each time; where that is another thing, all are looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from motion.poses import Array, joint_transform
from tamp.perception.likeness import is_other
from tamp.perception.looks import Look
from tamp.perception.placing import Placed, whole
from tamp.perception.tracks import UP, Track
from tamp.perception.unknowns import SEEN

NEAREST = 2
"""So many of the nearest things are looked at each time."""
SPINS = 12
"""Turns in which what looks the same after any of them is held against what is seen."""


def mistaken(tracks: Mapping[str, Track], p_world_tool: Array, looks: Sequence[Look], time: float) -> list[str]:
    """The names of things that pictures of that `time` show to be something else than they were taken for."""
    seen = [t for t in tracks.values() if t.movable and t.time == time and t.placed.model.source != SEEN]
    seen.sort(key=lambda t: float(np.linalg.norm(t.placed.T_world_object[:3, 3] - p_world_tool)))
    first = [t.name for t in seen[:NEAREST] if _is_other(t.placed, looks)]
    return first and first + [t.name for t in seen[NEAREST:] if _is_other(t.placed, looks)]


def _is_other(placed: Placed, looks: Sequence[Look]) -> bool:
    skin = whole(placed.model, placed.joints)
    return bool(is_other(skin, [D @ placed.T_world_object for D in _turns(placed)], looks))


def _turns(placed: Placed) -> list[Array]:
    """The turns (4, 4) about the vertical, none first, after which the shape is the same."""
    turns, points = placed.model.turns or SPINS, placed.points()
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return [joint_transform("hinge", UP, middle, 2.0 * np.pi * n / turns) for n in range(turns)]
