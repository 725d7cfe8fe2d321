"""Boxes around shapes: they hold every point of the shape, and no more than they must."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from motion.poses import Array, inverse, pose
from motion.shapes import Body, Kind, Shape, bounds

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


@pytest.mark.parametrize(
    ("kind", "size", "half"),
    [
        ("box", [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]),
        ("cylinder", [0.1, 0.2, 0.0], [0.1, 0.1, 0.2]),
        ("capsule", [0.1, 0.2, 0.0], [0.1, 0.1, 0.3]),
        ("sphere", [0.1, 0.0, 0.0], [0.1, 0.1, 0.1]),
        ("plane", [3.0, 2.0, 0.1], [3.0, 2.0, 0.0]),
    ],
)
def test_half_extents_are_those_of_the_kind(kind: Kind, size: list[float], half: list[float]) -> None:
    shape = Shape(kind, np.array(size), np.eye(4))
    assert np.allclose(shape.half_extent, half)
    low, high = bounds((shape,), np.eye(4))
    assert np.allclose(high, half) and np.allclose(low, -np.array(half))


@given(SIZE, POSE)
def test_corners_are_the_eight_corners_in_the_bodys_frame(size: Array, T: Array) -> None:
    corners = Shape("box", size, T).corners()
    local = (np.column_stack([corners, np.ones(8)]) @ inverse(T).T)[:, :3]
    assert np.allclose(np.abs(local), size)
    assert len({tuple(row) for row in np.sign(local)}) == 8


def test_bounds_of_many_shapes_hold_them_all() -> None:
    left, right = (Shape("sphere", np.array([0.1, 0, 0]), pose([x, 0.0, 0.0])) for x in (-1.0, 2.0))
    low, high = bounds((left, right), pose([0.0, 0.0, 1.0]))
    assert np.allclose(low, [-1.1, -0.1, 0.9]) and np.allclose(high, [2.1, 0.1, 1.1])


def test_only_what_holds_a_plane_is_ground() -> None:
    box, plane = (Shape(k, np.full(3, 0.1), np.eye(4)) for k in ("box", "plane"))
    assert Body("floor", (box, plane), np.eye(4)).is_ground
    assert not Body("crate", (box,), np.eye(4)).is_ground
