"""Approximate a mesh by boxes for collision checks; hollow shapes stay hollow."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy.ndimage import binary_fill_holes

from motion.poses import Array, pose
from motion.shapes import Shape

BOXES = 30
"""At most."""
ALONG = (32, 26, 21, 17, 14, 11, 9)
"""Cells along the longest side: the first is taken whose boxes cover `ENOUGH` of the cells that the mesh fills."""
ENOUGH = 0.97
SEEDS = 80
"""Cells from which the next box is grown; the best is kept."""
DENSE = 0.45
"""Cells between two points on the mesh's faces."""
THINNEST = 0.001
"""Metres that a box is thick, at least, to each side of its middle."""


def boxes(corners: Array, rng: np.random.Generator) -> tuple[Shape, ...]:
    """Boxes around faces with corners (n, 3, 3), metres, and around what they enclose."""
    low = corners.min(axis=(0, 1))
    longest = float((corners.max(axis=(0, 1)) - low).max())
    for along in ALONG:
        cell = longest / along
        points = _points(corners, DENSE * cell)
        filled = _filled(points, low, cell)
        found, covered = _cover(filled, rng)
        if covered >= ENOUGH or along == ALONG[-1]:
            break
    return tuple(_shape(box, points, low, cell) for box in found)


def _points(corners: Array, spacing: float) -> Array:
    """Points (m, 3) on faces, no farther apart than `spacing`: an even grid on each."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    sides = np.linalg.norm(np.stack([b - a, c - a, c - b]), axis=-1).max(axis=0)
    steps = np.maximum(1, np.ceil(sides / spacing)).astype(int)
    out = []
    for n in np.unique(steps):
        u, v = np.array([(i, j) for i in range(n + 1) for j in range(n + 1 - i)]).T / n
        of = steps == n
        out.append((a[of, None] + u[:, None] * (b - a)[of, None] + v[:, None] * (c - a)[of, None]).reshape(-1, 3))
    return np.concatenate(out)


def _filled(points: Array, low: Array, cell: float) -> Array:
    """Which cells (nx, ny, nz) have a point in them, or are enclosed by such."""
    index = np.floor((points - low) / cell - 1e-6).astype(int).clip(0)
    filled = np.zeros(index.max(axis=0) + 1, dtype=bool)
    filled[tuple(index.T)] = True
    return np.asarray(binary_fill_holes(filled))


def _cover(filled: Array, rng: np.random.Generator) -> tuple[list[Array], float]:
    """Boxes (6,) of cells that are all filled, first and last index and one more along each axis in turn: each the one,
    of those that were tried, that covers most cells that no other does. And the share that they cover together."""
    whole, left, found = _sums(filled), filled.copy(), list[Array]()
    while left.any() and len(found) < BOXES:
        cells: Any = np.argwhere(left)
        grown = _grown(cells[rng.choice(len(cells), min(SEEDS, len(cells)), replace=False)], whole)
        best = grown[np.argmax(_count(_sums(left), grown))]
        found.append(best)
        left[best[0] : best[1], best[2] : best[3], best[4] : best[5]] = False
    return found, 1.0 - float(left.sum()) / float(filled.sum())


def _sums(grid: Array) -> Array:
    """How many cells are set in the box from the first one to each."""
    return np.pad(grid.astype(np.int64), ((1, 0),) * 3).cumsum(0).cumsum(1).cumsum(2)


def _count(sums: Array, boxes: Array) -> Array:
    """Cells that are set in boxes (n, 6)."""
    x0, x1, y0, y1, z0, z1 = boxes.T
    upper = sums[x1, y1, z1] - sums[x0, y1, z1] - sums[x1, y0, z1] + sums[x0, y0, z1]
    return np.asarray(upper - sums[x1, y1, z0] + sums[x0, y1, z0] + sums[x1, y0, z0] - sums[x0, y0, z0])


def _grown(seeds: Array, whole: Array) -> Array:
    """The boxes (6 m, 6) around cells (m, 3) that are grown as far as all that is in them is filled, along one axis
    after the other, in each order."""
    orders = np.array(list(itertools.permutations(range(3))))
    boxes = np.repeat(np.stack([seeds, seeds + 1], axis=2).reshape(-1, 6), len(orders), axis=0)
    axes, rows, limits = np.tile(orders, (len(seeds), 1)), np.arange(len(boxes)), np.array(whole.shape) - 1
    for turn, (end, step) in itertools.product(range(3), ((0, -1), (1, 1))):
        axis = axes[:, turn]
        grows = np.ones(len(boxes), dtype=bool)
        while grows.any():
            new = boxes.copy()
            new[rows, 2 * axis + end] += step
            grows &= (new[rows, 2 * axis + end] >= 0) & (new[rows, 2 * axis + end] <= limits[axis])
            new = np.where(grows[:, None], new, boxes)
            grows &= _count(whole, new) == (new[:, 1::2] - new[:, 0::2]).prod(axis=1)
            boxes = np.where(grows[:, None], new, boxes)
    return boxes


def _shape(box: Array, points: Array, low: Array, cell: float) -> Shape:
    """A box of cells; where the faces of the mesh are within its outermost ones it ends with them."""
    first, last = low + cell * box[0::2], low + cell * box[1::2]
    inside = points[np.all((points >= first - 1e-9) & (points <= last + 1e-9), axis=1)]
    for i in range(3):
        beginning, end = inside[inside[:, i] < first[i] + cell, i], inside[inside[:, i] > last[i] - cell, i]
        first[i] = beginning.min() if len(beginning) else first[i]
        last[i] = end.max() if len(end) else last[i]
    return Shape("box", np.maximum(0.5 * (last - first), THINNEST), pose(0.5 * (first + last)))
