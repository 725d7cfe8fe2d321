"""What a camera gives: colour and depth with the intrinsics and the pose they were taken with. Arrays only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from motion.poses import Array, Numbers, inverse


@dataclass(frozen=True, eq=False)
class Image:
    """One picture of one camera at one moment.

    `colour` (h, w, 3) bytes, `depth` (h, w) metres along the optical axis, 0 where nothing was measured, both upright;
    `K` (3, 3) the pinhole intrinsics in pixels, the middle of the first pixel being (0, 0). `T_world_camera` (4, 4) has
    x to the right, y down and z into the picture.
    """

    camera: str
    colour: Array
    depth: Array
    K: Array
    T_world_camera: Array

    @property
    def size(self) -> tuple[int, int]:
        """Height and width in pixels."""
        return int(self.depth.shape[0]), int(self.depth.shape[1])

    def points(self) -> Array:
        """The world points (h, w, 3) that the pixels show, metres; nan where nothing was measured."""
        h, w = self.size
        u, v = np.meshgrid(np.arange(w), np.arange(h))
        z = np.where(self.depth > 0, self.depth, np.nan)
        K = self.K
        rays = np.stack([(u - K[0, 2]) / K[0, 0], (v - K[1, 2]) / K[1, 1], np.ones((h, w))], axis=-1)
        T = self.T_world_camera
        return np.asarray((rays * z[..., None]) @ T[:3, :3].T + T[:3, 3])

    def project(self, p_world: Array) -> tuple[Array, Array]:
        """Where points (..., 3) appear: pixel coordinates (..., 2) and depths (...) in metres, not positive behind the
        camera."""
        T = inverse(self.T_world_camera)
        p = p_world @ T[:3, :3].T + T[:3, 3]
        z = p[..., 2]
        safe = np.where(np.abs(z) > 1e-9, z, 1e-9)
        return np.stack([p[..., i] / safe * self.K[i, i] + self.K[i, 2] for i in (0, 1)], axis=-1), z

    def pixels(self, p_world: Array) -> tuple[tuple[Numbers, Numbers], Array, Numbers]:
        """The pixels in which points (n, 3) appear, rows and columns (n,), depths (n,) in metres, and which (n,) are in
        the picture: the first pixel stands for the others."""
        uv, z = self.project(p_world)
        u, v = (np.rint(np.nan_to_num(uv[:, i])).astype(int) for i in (0, 1))
        h, w = self.size
        inside = (u >= 0) & (u < w) & (v >= 0) & (v < h) & (z > 0.01)
        return (np.where(inside, v, 0), np.where(inside, u, 0)), z, inside


def pinhole(height: int, width: int, vertical_view: float, aside: Sequence[float] = (0.0, 0.0)) -> Array:
    """Intrinsics (3, 3) of a camera with square pixels and a vertical field of view in radians. `aside`: pixels to the
    right and down from the picture's middle at which the optical axis is."""
    f = 0.5 * height / np.tan(0.5 * vertical_view)
    u, v = 0.5 * (width - 1) + aside[0], 0.5 * (height - 1) + aside[1]
    return np.array([[f, 0.0, u], [0.0, f, v], [0.0, 0.0, 1.0]])


def metric_depth(raw: Array, near: float, far: float) -> Array:
    """Depth in metres (h, w) from a depth buffer's (h, w) in [0, 1], between the planes `near` and `far` (m); 0 where
    there is nothing up to the far one."""
    z = near / (1.0 - raw.astype(np.float64) * (1.0 - near / far))
    return np.where(raw < 1.0, z, 0.0)


def as_png(pixels: Array) -> bytes:
    """A picture (h, w, 3) as the bytes of a PNG."""
    import imageio.v3 as imageio

    return bytes(imageio.imwrite("<bytes>", pixels, extension=".png"))
