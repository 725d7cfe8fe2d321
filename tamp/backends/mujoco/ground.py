"""What things stand on, and belongs to none of them."""

from __future__ import annotations

import numpy as np

from motion.poses import Array
from motion.shapes import Shape, bounds

LEVEL = 0.02
"""Metres between the lowest thing's bottom and the top of what it may stand on."""
NARROW = 0.1
"""Metres: narrower shapes are no ground to stand on."""


def top_of(shapes: tuple[Shape, ...], bottoms: list[float]) -> tuple[Array, Array]:
    """Corners (3,), (3,) of the level rectangle made of the shapes that end where the lowest thing stands; with
    nothing standing anywhere, of the largest shape."""
    boxes = [bounds((s,), np.eye(4)) for s in shapes]
    level = min(bottoms, default=np.inf)
    under = [(low, high) for low, high in boxes if abs(high[2] - level) < LEVEL and min((high - low)[:2]) > NARROW]
    under = under or [max(boxes, key=lambda b: float(np.prod((b[1] - b[0])[:2])))]
    low = np.min([b[0] for b in under], axis=0)
    high = np.max([b[1] for b in under], axis=0)
    return np.array([*low[:2], high[2]]), high
