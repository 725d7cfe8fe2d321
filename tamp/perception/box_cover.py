"""Cover a mesh, and what it encloses, with boxes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.ndimage import binary_fill_holes, median_filter
from scipy.spatial import ConvexHull

from motion.cavities import hollow_in
from motion.poses import Array, Numbers, pose
from motion.shapes import Shape
from tamp.model.scene import Region

CONTAIN = "_contain_region"
"""How the name of the inside of a thing ends."""
HOLLOW_CELL = 0.006
"""Metres of the cells in which what is open above is looked for."""
MOST_BOXES = 30
ALONG = (32, 26, 21, 17, 14, 11, 9)
"""Cells along the longest side: the first is taken whose boxes cover `ENOUGH` of the cells that the mesh fills."""
ENOUGH = 0.97
SEEDS = 80
"""Cells from which the next box is grown; the best is kept."""
DENSE = 0.45
"""Cells between two points on the mesh's faces."""
THINNEST = 0.001
"""Metres that a box is thick, at least, to each side of its middle."""


@dataclass(frozen=True, eq=False)
class HullPart:
    """A box, and the corners (k, 3) of the convex hull of what of the solid is in it: surface and inside."""

    box: Shape
    hull: Array


def cover(corners: Array, rng: np.random.Generator) -> list[HullPart]:
    """Boxes around faces with corners (n, 3, 3), metres, and around what they enclose."""
    from trimesh import remesh

    cut: Any = remesh.subdivide_to_size
    vertices, faces = corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)
    low = corners.min(axis=(0, 1))
    longest = float((corners.max(axis=(0, 1)) - low).max())
    for along in ALONG:
        cell = longest / along
        points, _ = cut(vertices, faces, DENSE * cell)
        index = np.floor((points - low) / cell - 1e-6).astype(int).clip(0)
        touched: Numbers = np.zeros(index.max(axis=0) + 1, dtype=bool)
        touched[tuple(index.T)] = True
        whole: Numbers = np.asarray(binary_fill_holes(touched))
        found, covered = _cover(whole, rng)
        if covered >= ENOUGH or along == ALONG[-1]:
            break
    inside = low + cell * np.argwhere(whole & ~touched)[:, None] + cell * np.array(list(np.ndindex(2, 2, 2)))
    solid = np.concatenate([points, inside.reshape(-1, 3)])
    return [HullPart(shape, _hull(shape, solid)) for shape in (_shape(box, points, low, cell) for box in found)]


def covering(filled: Numbers, points: Array, low: Array, cell: float, most: int) -> tuple[list[Shape], float]:
    """At most so many boxes around the cells of a grid (nx, ny, nz) that are filled, whose lower corner is at `low`
    (3,); they end where the points (n, 3) of the surface do; and the share of the cells that they cover."""
    found, covered = _cover(filled, np.random.default_rng(0), most)
    return [_shape(box, points, low, cell) for box in found], covered


def inside_of(name: str, points: Array, bottom: float) -> tuple[Region, ...]:
    """The inside of what is open above, as a region of a thing with points (n, 3) all over its surface, which stands
    on height `bottom` (m); none of what is not."""
    tops, low = heights(points - [0.0, 0.0, bottom], HOLLOW_CELL)
    box = hollow_in(np.where(tops > 0, tops + bottom, -np.inf), low[:2], HOLLOW_CELL)
    if box is None:
        return ()
    return (Region(f"{name}{CONTAIN}", "interior", pose(np.mean(box, axis=0)), 0.5 * np.ptp(box, axis=0), name),)


def heights(local: Array, cell: float) -> tuple[Array, Array]:
    """How high (m) each cell of a grid is filled under points (n, 3), and the lower corner (3,) of the first one."""
    index = np.floor(local[:, :2] / cell).astype(int)
    first = index.min(axis=0)
    tops = np.zeros(index.max(axis=0) - first + 1)
    np.maximum.at(tops, tuple((index - first).T), local[:, 2])
    tops[binary_fill_holes(tops > 0) & (tops == 0)] = cell
    smooth = median_filter(tops, 3)
    return np.where(smooth > 0, smooth, tops), np.append(first * cell, 0.0)  # a stray point is no column


def _hull(box: Shape, solid: Array) -> Array:
    """The corners (k, 3) of the hull of the points (n, 3) in a box; the box's own where they have no volume."""
    own = solid[(np.abs(solid - box.T_body_shape[:3, 3]) <= box.size + 1e-6).all(axis=1)]
    if len(own) < 4 or np.linalg.svd(own - own.mean(axis=0), compute_uv=False)[2] < THINNEST * len(own) ** 0.5 / 2:
        return box.corners()
    own = np.unique(own.round(4), axis=0)  # slivers make contacts unstable
    return own[ConvexHull(own, qhull_options="QJ").vertices]


def _cover(filled: Numbers, rng: np.random.Generator, most: int = MOST_BOXES) -> tuple[list[Array], float]:
    """Boxes (6,) of cells that are all filled, first and last index and one more along each axis in turn: each the one,
    of those that were tried, that covers most cells that no other does. And the share that they cover together."""
    whole, left, found = _sums(filled), filled.copy(), list[Array]()
    while left.any() and len(found) < most:
        cells: Any = np.argwhere(left)
        grown = _grown(cells[rng.choice(len(cells), min(SEEDS, len(cells)), replace=False)], whole)
        best = grown[np.argmax(_count(_sums(left), grown))]
        found.append(best)
        left[best[0] : best[1], best[2] : best[3], best[4] : best[5]] = False
    return found, 1.0 - float(left.sum()) / float(filled.sum())


def _sums(grid: Numbers) -> Array:
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
