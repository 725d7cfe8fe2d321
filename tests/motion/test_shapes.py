"""Boxes around shapes hold every point of the shape; a mesh becomes a simple shape; hollows are where water stands."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from motion.cavities import cavity
from motion.fitting import least_width
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


def box(half: tuple[float, float, float], at: tuple[float, float, float]) -> Shape:
    return Shape("box", np.array(half), pose(list(at)))


def walls(x: float, y: float, z: float) -> tuple[Shape, ...]:
    """A box without a lid, inside 2 x by 2 y by 2 z from the floor on, walls of a centimetre."""
    sides = (box((0.005, y, z), (x + 0.005, 0, z)), box((0.005, y, z), (-x - 0.005, 0, z)))
    ends = (box((x, 0.005, z), (0, y + 0.005, z)), box((x, 0.005, z), (0, -y - 0.005, z)))
    return (box((x, y, 0.005), (0, 0, -0.005)), *sides, *ends)


def test_a_box_holds_what_its_walls_leave() -> None:
    found = cavity(walls(0.1, 0.06, 0.04), np.eye(4))
    assert found is not None
    low, high = found
    assert low == pytest.approx([-0.1, -0.06, 0.0], abs=0.005)
    assert high == pytest.approx([0.1, 0.06, 0.08], abs=0.005)


def test_water_stands_as_high_as_the_lowest_wall() -> None:
    floor, high_wall, *others = walls(0.1, 0.06, 0.04)
    low_wall = box((0.005, 0.06, 0.015), (0.105, 0, 0.015))
    found = cavity((floor, low_wall, *others), np.eye(4))
    assert found is not None
    assert found[1][2] == pytest.approx(0.03, abs=0.005)
    assert cavity((floor, *others), np.eye(4)) is None, f"it runs off where {high_wall.kind} was"


def test_a_table_a_lid_and_a_box_on_its_side_hold_nothing() -> None:
    legs = tuple(box((0.02, 0.02, 0.3), (x, y, -0.32)) for x in (-0.3, 0.3) for y in (-0.3, 0.3))
    assert cavity((box((0.4, 0.4, 0.02), (0, 0, 0)), *legs), np.eye(4)) is None
    assert cavity((*walls(0.1, 0.06, 0.04), box((0.11, 0.07, 0.005), (0, 0, 0.085))), np.eye(4)) is None
    on_its_side: Array = pose([0.0, 0.0, 0.0], rotation_about(np.array([1.0, 0.0, 0.0]), np.pi / 2))
    assert cavity(walls(0.1, 0.06, 0.04), on_its_side) is None


def test_no_turn_makes_a_body_thinner_than_its_least_width() -> None:
    """A box turned askew, and a tetrahedron of beads, which is thinnest between two edges."""
    R = rotation_about(np.array([0.6, 0.0, 0.8]), 0.7)
    box = Shape("box", np.array([0.02, 0.03, 0.05]), pose(np.array([0.1, 0.2, 0.3]), R))
    assert least_width((box,)) == pytest.approx(0.04)
    at = 0.1 * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    beads = tuple(Shape("box", np.full(3, 1e-6), pose(p)) for p in at)
    assert least_width(beads) == pytest.approx(0.2, abs=1e-4)
