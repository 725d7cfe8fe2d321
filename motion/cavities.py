"""Hollows in convex shapes that are open above, as a box, a bin or a drawer has them: where water would stand."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import ndimage

from motion.poses import Array, Numbers, inverse, moved
from motion.shapes import Shape, bounds

CELLS = 80
"""Cells along the longest side."""
FINEST = 0.003
"""Metres of a cell at least."""
DEEP, WIDE = 0.02, 0.04
"""Metres of depth, and of each side, from which a hollow is one that things are put into."""

CROSS = ndimage.generate_binary_structure(2, 1)
"""A cell and its four neighbours."""

Box = tuple[Array, Array]
"""Lower and upper corner (3,), (3,), metres."""


def cavity(shapes: tuple[Shape, ...], T_frame_body: Array) -> Box | None:
    """The largest upright box, along the axes of a frame whose z is up, that is free between the floor of a hollow and
    its rim; None without a hollow. The shapes are fixed to a body that is at `T_frame_body` (4, 4)."""
    solid = tuple(s for s in shapes if s.kind != "plane")
    if len(solid) < 3:
        return None  # a floor and walls are more
    low, high = bounds(solid, T_frame_body)
    cell = max(FINEST, float((high - low).max()) / CELLS)
    return hollow_in(_heights(solid, T_frame_body, low, high, cell), low[:2], cell)


def hollow_in(heights: Array, low: Array, cell: float) -> Box | None:
    """The same in a map of heights (nx, ny), metres, -inf where nothing is, in cells whose first has its lower corner
    at `low` (2,)."""
    levels = _levels(heights)
    found = _largest((levels >= heights + DEEP) & np.isfinite(heights))
    if found is None:
        return None
    (i, k), (j, m) = found
    floor, rim = float(heights[i:j, k:m].max()), float(levels[i:j, k:m].min())
    start, end = low + cell * np.array([i, k]), low + cell * np.array([j, m])
    corners = np.array([*start, floor]), np.array([*end, rim])
    size = corners[1] - corners[0]
    return corners if size[:2].min() >= WIDE and size[2] >= DEEP else None


def _heights(shapes: Iterable[Shape], T_frame_body: Array, low: Array, high: Array, cell: float) -> Array:
    """How high each column of the grid is filled, metres; -inf where it is empty."""
    axes = [np.arange(a + 0.5 * cell, max(b, a + cell), cell) for a, b in zip(low, high, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    filled: Numbers = np.zeros(grid.shape[:-1], dtype=bool)
    for shape in shapes:
        points = moved(grid.reshape(-1, 3), inverse(T_frame_body @ shape.T_body_shape))
        filled |= _inside(shape, points).reshape(filled.shape)
    top = filled.shape[2] - 1 - np.argmax(filled[:, :, ::-1], axis=2)
    return np.where(filled.any(axis=2), axes[2][top] + 0.5 * cell, -np.inf)


def _inside(shape: Shape, p: Array) -> Numbers:
    """Which points (n, 3), in the shape's own frame, are in it."""
    r, half = shape.size[0], shape.size[1]
    match shape.kind:
        case "box":
            return np.asarray((np.abs(p) <= shape.size).all(axis=1))
        case "sphere":
            return np.asarray(np.linalg.norm(p, axis=1) <= r)
        case "cylinder":
            return np.asarray((np.linalg.norm(p[:, :2], axis=1) <= r) & (np.abs(p[:, 2]) <= half))
        case _:
            beyond = np.maximum(np.abs(p[:, 2]) - half, 0.0)
            return np.asarray(np.hypot(np.linalg.norm(p[:, :2], axis=1), beyond) <= r)


def _levels(heights: Array) -> Array:
    """Up to where water stands on a map of heights: it flows off at the edges, and through holes in the floor. From
    full to the brim it sinks, cell by cell, to the lower of its neighbours, as far as there is room."""
    levels = np.where(np.isinf(heights), -np.inf, np.inf)
    while True:
        around = ndimage.minimum_filter(levels, footprint=CROSS, mode="constant", cval=-np.inf)
        sunk = np.maximum(np.minimum(levels, around), heights)
        if np.array_equal(sunk, levels):
            return levels
        levels = sunk


def _largest(mask: Numbers) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """The largest rectangle of true cells: its first cell, and the one beyond its last; None where none is true."""
    best, found = 0, None
    above = np.zeros(mask.shape[1], dtype=int)
    for row, line in enumerate(mask):
        above = np.where(line, above + 1, 0)
        for first in np.flatnonzero(above):
            lowest = np.minimum.accumulate(above[first:])
            areas = lowest * np.arange(1, len(lowest) + 1)
            last = int(np.argmax(areas))
            if areas[last] > best:
                best, rows = int(areas[last]), int(lowest[last])
                found = (row + 1 - rows, int(first)), (row + 1, int(first) + last + 1)
    return found
