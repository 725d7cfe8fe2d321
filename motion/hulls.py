"""Simple shapes around convex hulls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from motion.poses import Array, pose
from motion.shapes import Shape


def fitted(points: Array, axes: Iterable[Array]) -> Shape:
    """The smallest box or cylinder around points (n, 3) along the axes of one of some frames, each a rotation
    (3, 3)."""
    return min((s for R in axes for s in _around(points, R)), key=_size)


def _around(points: Array, R: Array) -> Iterator[Shape]:
    local = points @ R
    low, high = local.min(axis=0), local.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    yield Shape("box", np.maximum(half, 1e-4), pose(R @ middle, R))
    for axis in range(3):
        across = [i for i in range(3) if i != axis]
        radius = float(np.linalg.norm(local[:, across] - middle[across], axis=1).max())
        turn = np.roll(np.eye(3), -axis - 1, axis=1)  # z goes along that axis
        yield Shape("cylinder", np.array([radius, half[axis], 0.0]), pose(R @ middle, R @ turn))


def _size(shape: Shape) -> float:
    """Cubic metres."""
    a, b, c = shape.size
    return float(8.0 * a * b * c if shape.kind == "box" else 2.0 * np.pi * a**2 * b)
