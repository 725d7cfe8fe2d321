"""What cannot fit, whichever way it is turned: proofs in milliseconds, before anything is tried."""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np
from scipy.spatial import ConvexHull

from motion.poses import Array, rotation_about
from motion.shapes import Shape

ROUND = 16
"""Points on a circle of a round shape: they are all on the shape, so that it is never taken for larger than it is."""


def points(shape: Shape) -> Array:
    """Points (n, 3) of a shape, in the body's frame, whose hull lies in that of the shape and nearly fills it."""
    if shape.kind == "box":
        return shape.corners()
    r, half = float(shape.size[0]), float(shape.size[1])
    turns = [rotation_about(np.array([0.0, 0.0, 1.0]), a)[:, 0] for a in 2 * np.pi * np.arange(ROUND) / ROUND]
    along = np.array([0.0, 0.0, half if shape.kind in ("cylinder", "capsule") else 0.0])
    local = [r * t + s * along for t in turns for s in (-1, 1)]
    if shape.kind in ("sphere", "capsule"):
        local += [s * (along + np.array([0.0, 0.0, r])) for s in (-1, 1)]
    return np.array(local) @ shape.T_body_shape[:3, :3].T + shape.T_body_shape[:3, 3]


@lru_cache(maxsize=256)
def least_width(shapes: tuple[Shape, ...]) -> float:
    """The least distance, in metres, of two parallel planes between which a body passes, whichever way it is turned: a
    lower bound, that is met by a face, or by two edges, of the hull of its shapes."""
    found = np.concatenate([points(s) for s in shapes if s.kind != "plane"])
    hull = ConvexHull(found)
    corners = found[hull.vertices]
    edges = {tuple(sorted(pair)) for face in hull.simplices for pair in itertools.combinations(face.tolist(), 2)}
    along = _directions(np.array([found[b] - found[a] for a, b in edges]))
    normals = np.concatenate([hull.equations[:, :3], np.cross(along[:, None], along[None]).reshape(-1, 3)])
    return float(np.ptp(_directions(normals) @ corners.T, axis=1).min())


def _directions(vectors: Array) -> Array:
    """The different directions (m, 3) of vectors (n, 3), up to their signs."""
    lengths = np.linalg.norm(vectors, axis=1)
    some = vectors[lengths > 1e-9] / lengths[lengths > 1e-9, None]
    some *= np.where(some @ [0.6, 0.64, 0.48] < 0, -1.0, 1.0)[:, None]
    return np.asarray(some[np.unique(some.round(6), axis=0, return_index=True)[1]])
