"""Proprioception in the form that data sets of LIBERO have it."""

from __future__ import annotations

import numpy as np

from motion.poses import Array


def axis_angle(quaternions: Array) -> Array:
    """Rotation vectors (n, 3) of quaternions (n, 4) x y z w, angles from 0 to 2 pi as
    `robosuite.utils.transform_utils.quat2axisangle` has them: a policy that was trained on others would see jumps."""
    w = np.clip(quaternions[:, 3:], -1.0, 1.0)
    scale = np.sqrt(1.0 - w * w)
    still = np.isclose(scale, 0.0)
    return np.asarray(np.where(still, 0.0, quaternions[:, :3] * 2.0 * np.arccos(w) / np.where(still, 1.0, scale)))
