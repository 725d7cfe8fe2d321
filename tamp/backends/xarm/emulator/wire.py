"""Poses as the wire has them: millimetres, and radians as roll, pitch, yaw (R = Rz Ry Rx) or axis times angle."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from motion.poses import Array, pose, rotation_vector, rotation_vector_to_matrix


def rotation(roll: float, pitch: float, yaw: float) -> Array:
    """The rotation matrix (3, 3) of roll, pitch and yaw in radians."""
    cr, sr, cp, sp, cy, sy = (f(v) for v in (roll, pitch, yaw) for f in (math.cos, math.sin))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def angles(R: Array) -> tuple[float, float, float]:
    """Roll, pitch and yaw in radians of a rotation matrix (3, 3); at pitch ±90° the yaw is 0."""
    across = math.hypot(R[0, 0], R[1, 0])
    if across < 1e-9:
        return math.atan2(-R[1, 2], R[1, 1]), math.atan2(-R[2, 0], across), 0.0
    return math.atan2(R[2, 1], R[2, 2]), math.atan2(-R[2, 0], across), math.atan2(R[1, 0], R[0, 0])


def to_pose(values: Sequence[float], axis_angle: bool = False) -> Array:
    """A pose (4, 4) in metres from six numbers of the wire."""
    p = np.array(values[:3]) / 1000
    R = rotation_vector_to_matrix(np.array(values[3:6])) if axis_angle else rotation(*values[3:6])
    return pose(p, R)


def from_pose(T: Array, axis_angle: bool = False) -> list[float]:
    """Six numbers of the wire from a pose (4, 4) in metres."""
    turned = rotation_vector(T[:3, :3]) if axis_angle else angles(T[:3, :3])
    return [float(v) for v in (*T[:3, 3] * 1000, *turned)]
