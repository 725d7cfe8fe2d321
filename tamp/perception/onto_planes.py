"""One step of point-to-plane ICP (Chen and Medioni 1992), with errors that count less the larger they are."""

from __future__ import annotations

import numpy as np

from motion.poses import Array, Numbers, pose, rotation_vector, rotation_vector_to_matrix

SOFT = 0.004
"""Metres off a plane from which on a point counts less."""
LEAST = 1e-8
"""What is known of any direction before."""


def onto_planes(
    p: Numbers, off: Numbers, n: Numbers, share: Numbers | float = 1.0, held: tuple[float, float] = (0.0, 0.0)
) -> Array:
    """The small motion (4, 4) that brings points (k, 3) onto the planes with normals (k, 3) in front of which they are
    `off` (k,) metres. `share` is what each counts; `held` is how much a radian, and a metre, is resisted: what nothing
    tells then stays."""
    middle = p.mean(axis=0)
    weights = share / (1.0 + (off / SOFT) ** 2)
    A = np.column_stack([np.cross(p - middle, n), n]) * weights[:, None]
    resisted = np.diag([held[0]] * 3 + [held[1]] * 3)
    x = np.linalg.lstsq(np.vstack([A, resisted]), np.concatenate([-off * weights, np.zeros(6)]), rcond=None)[0]
    R = rotation_vector_to_matrix(x[:3])
    return pose(middle + x[3:] - R @ middle, R)


def spread(p: Numbers, n: Numbers, share: Numbers | float = 1.0) -> tuple[Numbers, Numbers]:
    """How uncertain such a motion is: covariances (3, 3) of its turn [rad^2] and of its shift [m^2] for errors of one
    metre off the planes, where points of one share in all are told apart."""
    A = np.column_stack([np.cross(p - p.mean(axis=0), n), n]) * np.reshape(share, (-1, 1))
    covariance = np.linalg.inv(A.T @ A + LEAST * np.eye(6))
    return covariance[:3, :3], covariance[3:, 3:]


def size(T: Array) -> tuple[float, float]:
    """Metres and radians by which a pose (4, 4) is off."""
    return float(np.linalg.norm(T[:3, 3])), float(np.linalg.norm(rotation_vector(T[:3, :3])))
