"""One skin of several that move against each other, with their joints at some values."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from motion.poses import Array, Numbers
from tamp.perception.object_model import FAR, Field, Skin
from tamp.perception.skinning import UNIT, grid_around

CELLS = 88
"""Most cells along an axis of its field: it is made while somebody waits."""


def joined(skins: Sequence[tuple[Skin, Array]]) -> Skin:
    """One skin of several, each with its pose (4, 4) in the frame that the one is to be in."""
    points = np.concatenate([s.points @ T[:3, :3].T + T[:3, 3] for s, T in skins])
    normals = np.concatenate([s.normals @ T[:3, :3].T for s, T in skins])
    colours = np.concatenate([s.colours for s, _ in skins])
    return Skin(points, normals, colours, float(np.mean([s.area for s, _ in skins])), _joined_field(points, skins))


def _joined_field(points: Array, skins: Sequence[tuple[Skin, Array]]) -> Field:
    grid, low, cell = grid_around(points, CELLS)
    steps: Numbers = np.full(grid.shape[:3], FAR, dtype=np.uint8)
    for skin, T in skins:
        f = skin.field
        first, last = _cells(T, f, low, cell, steps.shape)
        block = tuple(slice(a, b) for a, b in zip(first, last, strict=True))
        near = f.distance((grid[block] - T[:3, 3]) @ T[:3, :3]) / UNIT
        steps[block] = np.minimum(steps[block], np.minimum(np.rint(near), FAR).astype(np.uint8))
    return Field(low, cell, UNIT, steps)


def _cells(T: Array, f: Field, low: Array, cell: float, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """First and last cells (3,), (3,) of a grid that a field at pose `T` reaches."""
    ends = np.array(f.steps.shape) * f.cell
    corners = f.origin + np.array(list(itertools.product((0, 1), repeat=3))) * ends
    world = corners @ T[:3, :3].T + T[:3, 3]
    first = np.floor((world.min(axis=0) - low) / cell).astype(int)
    last = np.ceil((world.max(axis=0) - low) / cell).astype(int) + 1
    return np.clip(first, 0, shape), np.clip(last, 0, shape)
