"""Rigid transforms as 4x4 arrays. `T_a_b` maps coordinates in frame b to frame a.

Quaternions are MuJoCo's, imported where they are used: scenes, domains and plans are read without it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = NDArray[Any]
"""Arrays of other kinds: masks, indices, bytes, short floats."""

_IDENTITY = np.eye(3)


def pose(p: Array | list[float], R: Array | None = None) -> Array:
    """Transform with translation `p` (3,) in metres and rotation `R` (3, 3); identity rotation by default."""
    T = np.zeros((4, 4))
    T[:3, :3] = _IDENTITY if R is None else R
    T[:3, 3] = p
    T[3, 3] = 1.0
    return T


def inverse(T: Array) -> Array:
    """Inverse of a rigid transform (4, 4)."""
    R = T[:3, :3]
    out = np.eye(4)
    out[:3, :3] = R.T
    out[:3, 3] = -R.T @ T[:3, 3]
    return out


def is_rigid(T: Array, tolerance: float = 1e-6) -> bool:
    """Whether an array is a rigid transform (4, 4): finite, a rotation up to `tolerance`, a position, and 0 0 0 1."""
    if T.shape != (4, 4) or not np.isfinite(T).all() or not np.array_equal(T[3], [0.0, 0.0, 0.0, 1.0]):
        return False
    R = T[:3, :3]
    return bool(np.allclose(R @ R.T, np.eye(3), atol=tolerance) and np.linalg.det(R) > 0)


def moved(p: Numbers, T: Array) -> Array:
    """Points (n, 3) carried by a transform (4, 4)."""
    return np.asarray(p @ T[:3, :3].T + T[:3, 3])


def from_quat(p: Array, quat_wxyz: Array) -> Array:
    """Transform from a position (3,) and a unit quaternion (4,) in w x y z order."""
    import mujoco

    R = np.empty(9)
    mujoco.mju_quat2Mat(R, np.asarray(quat_wxyz, dtype=float))
    return pose(p, R.reshape(3, 3))


def to_quat(R: Array) -> Array:
    """Unit quaternion (4,), w x y z, of a rotation matrix (3, 3)."""
    import mujoco

    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(R).ravel())
    return quat


def from_rpy(xyz: Array | list[float], rpy: Array | list[float]) -> Array:
    """Transform (4, 4) from a position (3,) and roll, pitch, yaw (3,) in radians: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    (sr, sp, sy), (cr, cp, cy) = np.sin(rpy), np.cos(rpy)
    R = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return pose(xyz, np.array(R))


def to_rpy(R: Array) -> Array:
    """Roll, pitch, yaw (3,) in radians of a rotation matrix (3, 3); pitch is within a quarter turn.

    With the pitch at a quarter turn roll and yaw turn about the same axis: then the roll is 0.
    """
    level = math.hypot(R[0, 0], R[1, 0])
    pitch = math.atan2(-R[2, 0], level)
    if level < 1e-9:
        return np.array([0.0, pitch, math.atan2(-R[0, 1], R[1, 1])])
    return np.array([math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])])


def rotation_about(axis: Array, angle: float) -> Array:
    """Rotation matrix (3, 3) by `angle` radians about the unit vector `axis` (3,)."""
    return rotation_vector_to_matrix(np.asarray(axis, dtype=float) * angle)


def rotation_vector(R: Array) -> Array:
    """Axis times angle (3,), radians, of a rotation matrix."""
    import mujoco

    vector = np.empty(3)
    mujoco.mju_quat2Vel(vector, to_quat(R), 1.0)
    return vector


def error(T_from: Array, T_to: Array) -> Array:
    """Twist (6,) [metres, radians], in world axes, that carries `T_from` to `T_to` in unit time."""
    twist = np.empty(6)
    twist[:3] = T_to[:3, 3] - T_from[:3, 3]
    twist[3:] = rotation_vector(T_to[:3, :3] @ T_from[:3, :3].T)
    return twist


def travelled(poses: Iterable[Array]) -> float:
    """How far a tool moves through poses (4, 4), in metres; a radian of rotation counts as 0.15 m."""
    steps = np.array([error(a, b) for a, b in itertools.pairwise(poses)]).reshape(-1, 6)
    return float(np.linalg.norm(steps * np.repeat([1.0, 0.15], 3), axis=1).sum())


def interpolate(T_a: Array, T_b: Array, s: float) -> Array:
    """Pose at fraction `s` of the straight line (position) and geodesic (rotation) from `T_a` to `T_b`."""
    twist = error(T_a, T_b)
    return displaced(T_a, s * twist)


def displaced(T: Array, displacement: Array) -> Array:
    """The pose after a displacement (6,), metres and rotation vector in the axes of the frame that it is in: what
    `error` gives from the one to the other."""
    return pose(T[:3, 3] + displacement[:3], rotation_vector_to_matrix(displacement[3:]) @ T[:3, :3])


def rotation_vector_to_matrix(w: Array) -> Array:
    """Rotation matrix (3, 3) of a rotation vector (3,) in radians."""
    import mujoco

    angle = float(np.linalg.norm(w))
    quat, R = np.array([1.0, *(0.5 * np.asarray(w))]), np.empty(9)
    if angle > 1e-12:
        mujoco.mju_axisAngle2Quat(quat, np.asarray(w) / angle, angle)
    mujoco.mju_quat2Mat(R, quat / np.linalg.norm(quat))
    return R.reshape(3, 3)


def turned_to(direction: Array) -> Array:
    """A rotation (3, 3) whose z is the unit vector `direction` (3,)."""
    across = np.eye(3)[np.abs(direction).argmin()]
    x = np.cross(across, direction)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(direction, x), direction])


def joint_transform(kind: str, axis: Array, anchor: Array, value: float) -> Array:
    """Displacement (4, 4) of a body whose slide or hinge joint moves by `value` (metres or radians).

    `axis` (3,) and `anchor` (3,) are given in the frame in which the displacement is applied on the left.
    """
    if kind == "slide":
        return pose(np.asarray(axis) * value)
    R = rotation_about(axis, value)
    return pose(np.asarray(anchor) - R @ anchor, R)
