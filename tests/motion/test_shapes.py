"""Boxes around shapes hold every point of the shape; a mesh becomes the simple shape that it fills best."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from motion.poses import Array, pose, rotation_about
from motion.shapes import Kind, Shape, bounds, fitted

SIZE = st.tuples(*[st.floats(0.005, 0.2)] * 3).map(np.array)
PLACE = st.tuples(*[st.floats(-1.0, 1.0)] * 3).map(np.array)
TURN = st.tuples(*[st.floats(-3.0, 3.0)] * 3).map(lambda w: Rotation.from_rotvec(w).as_matrix())
POSE = st.builds(pose, PLACE, TURN)
SOLIDS: tuple[Kind, ...] = ("box", "cylinder", "sphere", "capsule")


def surface(kind: Kind, size: Array, count: int = 300) -> Array:
    """Points (count, 3) on the shape, in its own axes, by its definition in MuJoCo's manual."""
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(count, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    r, h = size[0], size[1]
    if kind == "box":
        return np.asarray(directions / np.abs(directions).max(axis=1)[:, None] * size)
    if kind == "sphere":
        return np.asarray(r * directions)
    if kind == "capsule":
        return np.asarray(r * directions + np.array([0.0, 0.0, h]) * np.sign(directions[:, 2:]))
    around = directions[:, :2] / np.linalg.norm(directions[:, :2], axis=1)[:, None]
    return np.column_stack([r * around, h * rng.choice([-1.0, 1.0], count)])


@pytest.mark.parametrize("kind", SOLIDS)
@given(size=SIZE, T=POSE, T_frame_body=POSE)
def test_bounds_hold_the_whole_shape(kind: Kind, size: Array, T: Array, T_frame_body: Array) -> None:
    points = surface(kind, size) @ T[:3, :3].T + T[:3, 3]
    seen = points @ T_frame_body[:3, :3].T + T_frame_body[:3, 3]
    low, high = bounds((Shape(kind, size, T),), T_frame_body)
    assert np.all(seen >= low - 1e-9) and np.all(seen <= high + 1e-9)


ANGLES = np.linspace(0, 2 * np.pi, 32, endpoint=False)
ROUND = np.array([[0.03 * np.cos(a), 0.03 * np.sin(a), z] for a in ANGLES for z in (-0.06, 0.06)])


def test_what_is_round_is_a_cylinder_whichever_way_it_lies() -> None:
    for axis in np.eye(3):
        R = rotation_about(np.cross([0.0, 0.0, 1.0], axis), np.pi / 2) if axis[2] == 0 else np.eye(3)
        found = fitted(ROUND @ R.T + 0.1, (np.eye(3),))
        assert found.kind == "cylinder"
        assert found.size[:2] == pytest.approx([0.03, 0.06], abs=1e-3)
        assert abs(found.T_body_shape[:3, 2] @ axis) == pytest.approx(1)
        assert found.T_body_shape[:3, 3] == pytest.approx([0.1, 0.1, 0.1], abs=1e-3)
