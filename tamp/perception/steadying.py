"""Depth as a sensor gives it, made steady: what is between two surfaces goes, neighbours on one surface are averaged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from motion.poses import Array
from tamp.perception.images import Image

ROUGH = 0.0003
"""Metres, at one metre, of a depth's scatter from which on it is made steady: cameras without noise are left alone."""
WINDOW = 2
"""Pixels to each side over which depth is averaged."""
SURFACE, SCATTERS = 0.006, 3.5
"""Metres, and times the scatter, by which neighbours on one surface differ at most: the larger counts."""
COMPANY = 6
"""Of the 24 neighbours, how many are on one surface with a pixel that is kept."""


def steady(image: Image) -> Image:
    """A picture with its depth made steady; as it is where its depth hardly scatters."""
    depth = np.where(image.depth > 0, image.depth, 0.0).astype(np.float32)
    rough = scatter(depth)
    if rough < ROUGH:
        return image
    within = np.maximum(SURFACE, SCATTERS * rough * depth**2)
    total, number = np.zeros_like(depth), np.zeros_like(depth)
    for other in _neighbours(depth):
        mine = (other > 0) & (np.abs(other - depth) < within)
        total += np.where(mine, other, 0.0)
        number += mine
    kept = (depth > 0) & (number > COMPANY)
    return replace(image, depth=np.where(kept, total / np.maximum(number, 1.0), 0.0).astype(float))


def scatter(depth: Array) -> float:
    """How much the depth (h, w) of neighbouring pixels scatters about a smooth surface: the standard deviation in metres
    at one metre, growing with the square of the distance."""
    left, middle, right = depth[:, :-2], depth[:, 1:-1], depth[:, 2:]
    ok = (left > 0) & (middle > 0) & (right > 0)
    if not ok.any():
        return 0.0
    off = np.abs(left + right - 2.0 * middle)[ok] / middle[ok] ** 2
    return float(np.median(off)) / 0.6745 / np.sqrt(6.0)


def _neighbours(depth: Array) -> Iterator[Array]:
    """The depth of each neighbour, itself included, 0 beyond the border."""
    h, w = depth.shape
    wide = np.pad(depth, WINDOW)
    for y in range(2 * WINDOW + 1):
        for x in range(2 * WINDOW + 1):
            yield wide[y : y + h, x : x + w]
