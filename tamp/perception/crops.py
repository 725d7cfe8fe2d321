"""What pictures show of one thing: cut out, with some room around it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motion.poses import Array
from tamp.model.images import Image

AROUND = 0.4
"""Room on each side of a thing, as a share of what is seen of it."""
LEAST = 16
"""Pixels across and down that are worth looking at."""


def cut_out(images: Sequence[Image], low: Array, high: Array) -> Array | None:
    """The part (h, w, 3) of the picture that shows most of the box between two corners (3,), (3,) in the world, metres;
    None where it is in none of them, or tiny."""
    parts = [part for image in images if (part := _part(image, low, high)) is not None]
    return max(parts, key=lambda part: part.shape[0] * part.shape[1], default=None)


def _part(image: Image, low: Array, high: Array) -> Array | None:
    corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
    uv, z = image.project(corners)
    if z.min() <= 0.0:
        return None
    h, w = image.size
    room = AROUND * np.ptp(uv, axis=0)
    (u0, v0), (u1, v1) = np.rint(uv.min(axis=0) - room).astype(int), np.rint(uv.max(axis=0) + room).astype(int)
    part = image.colour[max(0, v0) : min(h, v1), max(0, u0) : min(w, u1)]
    middle = uv.mean(axis=0)
    inside = (middle >= 0).all() and (middle < (w, h)).all()
    return np.ascontiguousarray(part) if inside and min(part.shape[:2]) >= LEAST else None


def as_png(pixels: Array) -> bytes:
    """A picture (h, w, 3) as the bytes of a PNG."""
    import imageio.v3 as imageio

    return bytes(imageio.imwrite("<bytes>", pixels, extension=".png"))
