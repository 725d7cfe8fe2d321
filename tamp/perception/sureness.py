"""How sure one can be of what a thing is and where, and what a closer look makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from tamp.perception.candidates import Candidate
from tamp.perception.recognising import HALF_SURE, Found
from tamp.perception.tracks import Track

OTHER_SHAPE = 0.004
"""Metres by which the sizes of two things differ that are not of one shape."""
MOVED = 0.06
"""Metres by which a thing may be elsewhere once it is recognised anew."""


def sureness(tracks: Sequence[Track], known: Iterable[Candidate]) -> dict[str, float]:
    """How sure one can be of each thing, from 0 to 1, by its name: only by half where it may as well be something of
    another shape, or of a category that something else here has."""
    sizes = {c.model.thing.name: c.high - c.low for c in known}
    category = {t.name: t.placed.model.thing.name for t in tracks if not t.lost}
    out = {}
    for t in tracks:
        there = {c for name, c in category.items() if name != t.name}
        own = t.placed.model.thing.name
        matters = any(r in there or np.abs(sizes[r] - sizes[own]).max() > OTHER_SHAPE for r in t.rivals)
        out[t.name] = min(t.confidence, HALF_SURE) if matters else t.confidence
    return out


def likeliest_there(before: Track, found: Iterable[Found]) -> Found | None:
    """Of what was recognised anew the best that is where a thing was thought to be; None where nothing is."""

    def away(f: Found) -> float:
        return float(np.linalg.norm(before.placed.T_world_object[:3, 3] - f.placed.T_world_object[:3, 3]))

    return max((f for f in found if away(f) < MOVED), key=lambda f: f.score, default=None)


def recognised_again(before: Track, found: Found, time: float) -> Track:
    """A track of which the category was right: where it is and how sure it is now."""
    like = tuple(c for c, _ in found.like)
    now = replace(before, placed=found.placed, time=time, confidence=found.confidence, lost=False)
    return replace(now, like=like, rivals=found.rivals)
