"""Where a camera really is: where the robot that it sees is where the encoders have it.

A calibration that is off by half a degree moves things a metre away by a centimetre. Point-to-plane ICP of the pixels
near the robot's skin (Chen and Medioni 1992), by small steps in all six directions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from motion.poses import Array, inverse, pose, rotation_vector, rotation_vector_to_matrix
from tamp.perception.images import Image
from tamp.perception.object_model import Skin

REACHES = (0.05, 0.03, 0.02, 0.012, 0.012, 0.008, 0.008, 0.008)
"""Metres from the robot's skin up to which a point is taken for one of it, step after step."""
POINTS, FEWEST = 4000, 600
"""Points of a picture that are looked at, and how many of them have to be near the robot at least."""
SPREAD = 0.12
"""Standard deviation (m) of the robot's points along their longest axis: of less of a robot nothing follows."""
NOTICED = (0.0015, 0.0015)
"""Metres and radians from which on a camera is not where it is said to be."""
FARTHEST = (0.04, 0.04)
"""Metres and radians up to which a camera is moved: further away, it is not a matter of calibration."""


def correction(image: Image, bodies: Mapping[str, Array], skins: Mapping[str, Skin]) -> Array:
    """The pose (4, 4) of a camera in the frame of where it is said to be; the identity where the picture shows too
    little of the robot, or nothing that would be noticed. `bodies` has the poses (4, 4) of the robot's bodies in the
    world, `skins` their skins."""
    skin = np.concatenate([skins[name].points @ T[:3, :3].T + T[:3, 3] for name, T in bodies.items()])
    normals = np.concatenate([skins[name].normals @ T[:3, :3].T for name, T in bodies.items()])
    tree, p = cKDTree(skin), _some(image, skin)
    D = np.eye(4)  # in the world
    for reach in REACHES:
        moved = p @ D[:3, :3].T + D[:3, 3]
        away, nearest = tree.query(moved, distance_upper_bound=reach)
        near = np.isfinite(away)
        if near.sum() < FEWEST or np.linalg.svd(moved[near] - moved[near].mean(axis=0))[1][0] < SPREAD * near.sum() ** 0.5:
            return np.eye(4)
        D = _step(moved[near], skin[nearest[near]], normals[nearest[near]]) @ D
    T = image.T_world_camera
    off = inverse(T) @ D @ T
    size = float(np.linalg.norm(off[:3, 3])), float(np.linalg.norm(rotation_vector(off[:3, :3])))
    noticed = size[0] > NOTICED[0] or size[1] > NOTICED[1]
    return off if noticed and size[0] < FARTHEST[0] and size[1] < FARTHEST[1] else np.eye(4)


def corrected(image: Image, off: Array) -> Image:
    """A picture of a camera that is at `off` (4, 4) from where it is said to be."""
    return replace(image, T_world_camera=image.T_world_camera @ off)


def _some(image: Image, skin: Array) -> Array:
    """Points (n, 3) of a picture in the box around the robot."""
    p = image.points().reshape(-1, 3)
    low, high = skin.min(axis=0) - REACHES[0], skin.max(axis=0) + REACHES[0]
    with np.errstate(invalid="ignore"):
        p = p[np.all((p > low) & (p < high), axis=1)]
    return np.asarray(p[:: max(1, len(p) // POINTS)])


def _step(p: Array, q: Array, n: Array) -> Array:
    """The small motion (4, 4) that brings points (k, 3) onto the planes at `q` with normals `n`."""
    middle = p.mean(axis=0)
    A = np.column_stack([np.cross(p - middle, n), n])
    b = np.einsum("ij,ij->i", q - p, n)
    weights = 1.0 / (1.0 + (b / 0.004) ** 2)
    x = np.linalg.lstsq(A * weights[:, None], b * weights, rcond=None)[0]
    R = rotation_vector_to_matrix(x[:3])
    return pose(middle + x[3:] - R @ middle, R)
