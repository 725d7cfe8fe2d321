"""Rigid transforms: algebra that holds for all of them, and scipy as a second opinion."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from motion import poses
from motion.poses import Array

COORDINATE = st.floats(-2.0, 2.0)
VECTOR = st.tuples(COORDINATE, COORDINATE, COORDINATE).map(np.array)
UNIT = VECTOR.filter(lambda v: np.linalg.norm(v) > 0.1).map(lambda v: v / np.linalg.norm(v))
ANGLE = st.floats(-3.1, 3.1)
ROTATION = st.builds(lambda axis, angle: Rotation.from_rotvec(axis * angle).as_matrix(), UNIT, ANGLE)
POSE = st.builds(poses.pose, VECTOR, ROTATION)


def close(a: Array, b: Array, tolerance: float = 1e-9) -> bool:
    return bool(np.allclose(a, b, rtol=0, atol=tolerance))


@given(POSE, POSE)
def test_the_error_is_the_way_to_the_other_pose(T_a: Array, T_b: Array) -> None:
    e = poses.error(T_a, T_b)
    R = Rotation.from_rotvec(e[3:]).as_matrix() @ T_a[:3, :3]
    assert close(T_a[:3, 3] + e[:3], T_b[:3, 3]) and close(R, T_b[:3, :3], 1e-7)
    assert np.linalg.norm(e[3:]) <= np.pi + 1e-9


@given(VECTOR, ROTATION)
def test_quaternions_survive_the_round_trip(p: Array, R: Array) -> None:
    quat = poses.to_quat(R)
    assert close(poses.from_quat(p, quat), poses.pose(p, R), 1e-7)
    w, *xyz = quat
    assert close(Rotation.from_quat([*xyz, w]).as_matrix(), R, 1e-7)


@given(VECTOR, VECTOR.map(lambda v: v * np.pi))
def test_roll_pitch_and_yaw_are_turns_about_fixed_axes_one_after_the_other(p: Array, rpy: Array) -> None:
    T = poses.from_rpy(p, rpy)
    assert close(T, poses.pose(p, Rotation.from_euler("xyz", rpy).as_matrix()))
    roll, pitch, yaw = poses.to_rpy(T[:3, :3])
    assert close(poses.from_rpy(p, [roll, pitch, yaw]), T, 1e-8)
    assert abs(pitch) <= np.pi / 2
