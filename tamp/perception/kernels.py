"""The inner loops of fitting models to pictures, compiled: a few nanoseconds a point and pose."""

from __future__ import annotations

import numba
import numpy as np

from motion.poses import Numbers


@numba.njit(cache=True, fastmath=True, nogil=True)
def on_skin(
    points: Numbers, T: Numbers, steps: Numbers, origin: Numbers, cell: float, unit: float, reach: float
) -> Numbers:
    """For each pose (k, 4, 4) how much of `points` (n, 3) lies on a skin: the mean of 1 on it and 0 from `reach` metres
    away on. The other arguments are a `Field`'s."""
    out = np.zeros(len(T), dtype=np.float32)
    nx, ny, nz = steps.shape
    for k in range(len(T)):
        total = 0.0
        for i in range(len(points)):
            x, y, z = points[i, 0] - T[k, 0, 3], points[i, 1] - T[k, 1, 3], points[i, 2] - T[k, 2, 3]
            a = int(np.floor((x * T[k, 0, 0] + y * T[k, 1, 0] + z * T[k, 2, 0] - origin[0]) / cell + 0.5))
            b = int(np.floor((x * T[k, 0, 1] + y * T[k, 1, 1] + z * T[k, 2, 1] - origin[1]) / cell + 0.5))
            c = int(np.floor((x * T[k, 0, 2] + y * T[k, 1, 2] + z * T[k, 2, 2] - origin[2]) / cell + 0.5))
            if 0 <= a < nx and 0 <= b < ny and 0 <= c < nz:
                near = 1.0 - steps[a, b, c] * unit / reach
                if near > 0.0:
                    total += near
        out[k] = total / max(1, len(points))
    return out


@numba.njit(cache=True, fastmath=True, nogil=True)
def seen_past(
    samples: Numbers, T: Numbers, T_camera_world: Numbers, K: Numbers, nearest: Numbers, past: float, fully: float
) -> Numbers:
    """For each pose (k, 4, 4) and sample (m, 3) of a skin what one picture says: how surely one sees past it, 0 to 1,
    from `past` metres on and for certain `fully` metres further; -1 where it is hidden or out of the picture.
    `nearest` (h, w) is the depth up to which one sees."""
    out = np.full((len(T), len(samples)), -1.0, dtype=np.float32)
    h, w = nearest.shape
    fx, fy, cx, cy = K[0, 0], K[1, 1], K[0, 2], K[1, 2]
    for k in range(len(T)):
        M = T_camera_world @ T[k]
        for i in range(len(samples)):
            sx, sy, sz = samples[i, 0], samples[i, 1], samples[i, 2]
            z = M[2, 0] * sx + M[2, 1] * sy + M[2, 2] * sz + M[2, 3]
            if z < 1e-3:
                continue
            u = int(np.floor((M[0, 0] * sx + M[0, 1] * sy + M[0, 2] * sz + M[0, 3]) / z * fx + cx + 0.5))
            v = int(np.floor((M[1, 0] * sx + M[1, 1] * sy + M[1, 2] * sz + M[1, 3]) / z * fy + cy + 0.5))
            if 0 <= u < w and 0 <= v < h:
                gap = nearest[v, u] - z
                if gap > -past:
                    out[k, i] = min(max((gap - past) / fully, 0.0), 1.0)
    return out


@numba.njit(cache=True, nogil=True)
def stored(points: Numbers, steps: Numbers, origin: Numbers, cell: float, far: int) -> Numbers:
    """What a `Field` has at each of `points` (n, 3); `far` off its grid, and where a coordinate is no number."""
    out = np.full(len(points), far, dtype=np.uint8)
    nx, ny, nz = steps.shape
    for i in range(len(points)):
        x = (points[i, 0] - origin[0]) / cell + 0.5
        y = (points[i, 1] - origin[1]) / cell + 0.5
        z = (points[i, 2] - origin[2]) / cell + 0.5
        if 0 <= x < nx and 0 <= y < ny and 0 <= z < nz:
            out[i] = steps[int(x), int(y), int(z)]
    return out


@numba.njit(cache=True)
def splat(
    p: Numbers, n: Numbers, radius: float, K: Numbers, number: int, nearest: Numbers, numbers: np.ndarray
) -> None:
    """Draw discs of a `radius` (m) around points (k, 3) with normals (k, 3), in a camera's frame, at least the pixel
    of each: where one is nearer than `nearest` (h, w) it becomes that, and `number` stands in `numbers` (h, w)."""
    h, w = nearest.shape
    fx, fy, cx, cy = K[0, 0], K[1, 1], K[0, 2], K[1, 2]
    for i in range(len(p)):
        px, py, pz = p[i, 0], p[i, 1], p[i, 2]
        u, v, r = px / pz * fx + cx, py / pz * fy + cy, radius / pz * max(fx, fy)
        plane = n[i, 0] * px + n[i, 1] * py + n[i, 2] * pz
        for y in range(max(0, int(np.floor(v - r))), min(h - 1, int(np.ceil(v + r))) + 1):
            for x in range(max(0, int(np.floor(u - r))), min(w - 1, int(np.ceil(u + r))) + 1):
                dx, dy = (x - cx) / fx, (y - cy) / fy
                slope = n[i, 0] * dx + n[i, 1] * dy + n[i, 2]
                z = plane / slope if slope < -1e-6 else pz
                inside = (z * dx - px) ** 2 + (z * dy - py) ** 2 + (z - pz) ** 2 <= radius * radius
                if not inside and abs(x - u) <= 0.5 and abs(y - v) <= 0.5:
                    inside, z = True, pz
                if inside and z < nearest[y, x]:
                    nearest[y, x] = z
                    numbers[y, x] = number
