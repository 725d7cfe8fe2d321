"""What pictures say before anything is recognised: where there is something, and where one sees through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import minimum_filter

from motion.poses import Numbers, inverse
from tamp.model.images import Image

BLUR = 3
"""Pixels, square, over which the nearest depth counts as what is seen: edges are not sharper than that."""


@dataclass(frozen=True, eq=False)
class Look:
    """One picture, taken apart: `points` (h, w, 3) in the world, nan where nothing was measured; `robot` (h, w) where
    the robot itself is seen; `nearest` (h, w) the depth up to which one sees for certain, metres, 0 where nothing was
    measured."""

    image: Image
    points: Numbers
    robot: Numbers
    nearest: Numbers
    T_camera_world: Numbers
    K: Numbers

    @staticmethod
    def of(image: Image, robot: Numbers) -> Look:
        """A picture, and where it shows the robot."""
        depth = np.where(image.depth > 0, image.depth, 0.0).astype(np.float32)
        nearest = minimum_filter(depth, BLUR)
        T = np.ascontiguousarray(inverse(image.T_world_camera), dtype=np.float32)
        return Look(image, image.points().astype(np.float32), robot, nearest, T, image.K.astype(np.float32))
