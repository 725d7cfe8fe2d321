"""Depth as a sensor gives it, made steady: what is between surfaces goes, neighbours on one surface are averaged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from tamp.model.images import Image

ROUGH = 0.0003
"""Metres, at one metre, of a depth's scatter from which on it is made steady: cameras without noise are left alone."""
WINDOW = 2
"""Pixels to each side over which depth is averaged."""
BENT, SCATTERS = 0.002, 4.5
"""Metres, and times the scatter, by which the mean of two opposite neighbours on the same surface differs from what is
between them at most: the sum counts."""
STEEP = 0.02
"""Share of the depth by which neighbouring pixels on one surface differ at most."""
COMPANY = 3
"""Of the 12 pairs of opposite neighbours, how many are on one surface with a pixel that is kept."""


def steady(image: Image) -> Image:
    """A picture with its depth made steady; as it is where its depth hardly scatters."""
    depth: Any = np.where(image.depth > 0, image.depth, 0.0)
    rough = scatter(depth)
    if rough < ROUGH:
        return image
    within, steep = BENT + SCATTERS * rough * depth**2, STEEP * depth
    total, pairs = depth.copy(), np.zeros_like(depth)
    for one, other, away in _opposite(depth):
        middle = 0.5 * (one + other)
        mine = (one > 0) & (other > 0) & (np.abs(middle - depth) < within)
        mine &= np.abs(one - other) < 2.0 * away * steep
        total += np.where(mine, middle, 0.0)
        pairs += mine
    kept = (depth > 0) & (pairs >= COMPANY)
    return replace(image, depth=np.where(kept, total / (1.0 + pairs), 0.0))


def scatter(depth: Any) -> float:
    """How much the depth (h, w) of neighbouring pixels scatters about a smooth surface: the standard deviation in
    metres at one metre, growing with the square of the distance."""
    left, middle, right = depth[:, :-2], depth[:, 1:-1], depth[:, 2:]
    ok = (left > 0) & (middle > 0) & (right > 0)
    if not ok.any():
        return 0.0
    off = np.abs(left + right - 2.0 * middle)[ok] / middle[ok] ** 2
    return float(np.median(off) / 0.6745 / np.sqrt(6.0))


def _opposite(depth: Any) -> Iterator[tuple[Any, Any, int]]:
    """The depths (h, w), (h, w) of opposite neighbours of each pixel, 0 beyond the border, and how far they are off."""
    h, w = depth.shape
    wide, n = np.pad(depth, WINDOW), WINDOW
    for y, x in ((y, x) for y in range(-n, n + 1) for x in range(-n, n + 1) if (y, x) > (0, 0)):
        one, other = (wide[n + s * y : n + s * y + h, n + s * x : n + s * x + w] for s in (1, -1))
        yield one, other, max(abs(y), abs(x))
