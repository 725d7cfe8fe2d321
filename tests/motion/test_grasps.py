"""Grasps of bodies made by hand, whose good and bad grasps are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from motion.grasps import Grasp, antipodal, diverse, hand_clear
from motion.poses import Array, pose
from motion.robot import Gripper
from motion.shapes import Shape

GRIPPER = Gripper()
TABLE = 0.9
CUBE = 0.04
RADIUS, WALL, HEIGHT = 0.055, 0.004, 0.06
"""A ring of walls: metres from its middle to the middle of a wall, a wall's thickness, and its height."""


def box(half: list[float], T: Array | None = None) -> Shape:
    return Shape("box", np.array(half), np.eye(4) if T is None else T)


def yawed(angle: float) -> Array:
    return Rotation.from_euler("z", angle).as_matrix()


def ring(walls: int = 12) -> tuple[Shape, ...]:
    """A mug without a bottom."""
    half = [WALL / 2, RADIUS * np.tan(np.pi / walls), HEIGHT / 2]
    turns = 2 * np.pi * np.arange(walls) / walls
    return tuple(box(half, pose([RADIUS * np.cos(a), RADIUS * np.sin(a), 0.0], yawed(a))) for a in turns)


def in_world(grasp: Grasp, T_world_body: Array) -> Array:
    return T_world_body @ grasp.T_body_tool


@pytest.mark.parametrize("height", [0.01, 0.015])
def test_what_is_low_is_held_by_the_ends_of_the_pads(height: float) -> None:
    found = antipodal((box([0.08, 0.01, height / 2]),), pose([0.0, 0.0, TABLE + height / 2]), GRIPPER)
    assert any(g.T_body_tool[2, 3] + height / 2 > 0.0115 for g in found), "as high as the fingertips need"


@given(yaw=st.floats(-3.1, 3.1), x=st.floats(-0.2, 0.2), y=st.floats(-0.3, 0.3))
def test_a_cube_is_grasped_across_two_parallel_faces(yaw: float, x: float, y: float) -> None:
    T_world_body = pose([x, y, TABLE + CUBE / 2], yawed(yaw))
    found = antipodal((box([CUBE / 2] * 3),), T_world_body, GRIPPER)
    assert len(found) > 10
    for grasp in found:
        closing, p = grasp.T_body_tool[:3, 0], grasp.T_body_tool[:3, 3]
        across = int(np.argmax(np.abs(closing)))
        assert np.abs(closing[across]) > np.cos(np.radians(25))
        assert grasp.width >= CUBE - 1e-9
        if np.abs(closing[across]) > 0.9999:
            assert grasp.width == pytest.approx(CUBE, abs=1e-3)
        assert abs(p[across]) < 1e-3 + np.abs(np.delete(p, across)).max() * np.tan(np.radians(25))
    best = found[0]
    assert np.abs(best.T_body_tool[:3, 0]).max() == pytest.approx(1.0, abs=1e-6)
    assert best.width == pytest.approx(CUBE, abs=1e-3)
    assert in_world(best, T_world_body)[2, 2] < -0.99, "straight down is best"


@pytest.mark.parametrize(("width", "some"), [(0.066, True), (0.075, False), (0.0799, False)])
def test_the_open_fingers_need_room(width: float, some: bool) -> None:
    found = antipodal((box([width / 2, 0.1, 0.04]),), pose([0.0, 0.0, TABLE + 0.04]), GRIPPER)
    assert bool(found) == some
    assert all(g.width < GRIPPER.opening for g in found)


@pytest.mark.parametrize("yaw", [0.0, 0.2, 1.9])
def test_a_ring_of_walls_is_grasped_at_its_rim(yaw: float) -> None:
    T_world_body = pose([0.0, 0.1, TABLE + HEIGHT / 2], yawed(yaw))
    found = antipodal(ring(), T_world_body, GRIPPER)
    assert len(found) > 20
    best = found[0]
    p, closing = best.T_body_tool[:3, 3], best.T_body_tool[:3, 0]
    radial = np.array([*p[:2], 0.0]) / np.linalg.norm(p[:2])
    assert np.linalg.norm(p[:2]) == pytest.approx(RADIUS, abs=0.005)
    assert abs(closing @ radial) > 0.9, "across the wall"
    assert WALL - 1e-6 <= best.width < 4 * WALL
    assert in_world(best, T_world_body)[2, 2] < -0.9
    assert 0.0 < HEIGHT / 2 - p[2] < 0.04, "fingertips below the rim"


@given(noise=st.lists(st.floats(-1e-12, 1e-12), min_size=3, max_size=3))
def test_which_of_equal_grasps_comes_first_does_not_depend_on_the_last_digits(noise: list[float]) -> None:
    shapes, T_world_body = ring(), pose([0.1, -0.2, TABLE])
    ordered = diverse(antipodal(shapes, T_world_body, GRIPPER), T_world_body)
    T_moved = T_world_body @ pose(noise, Rotation.from_rotvec(noise).as_matrix())
    again = diverse(antipodal(shapes, T_moved, GRIPPER), T_moved)
    assert np.allclose([g.T_body_tool for g in ordered], [g.T_body_tool for g in again], atol=1e-9)


def test_a_hand_is_clear_of_boxes_where_it_is_clear_of_each() -> None:
    rng = np.random.default_rng(0)
    turns = Rotation.random(60, random_state=0).as_matrix()
    at = rng.uniform(-0.12, 0.12, (60, 3))
    hands = np.array([pose(p, R) for p, R in zip(at[:40], turns[:40], strict=True)])
    boxes = [(pose(p, R), rng.uniform(0.005, 0.04, 3)) for p, R in zip(at[40:], turns[40:], strict=True)]
    opening = rng.uniform(0.0, 0.08, 40)
    one_by_one = [hand_clear(hands, opening, [box], GRIPPER) for box in boxes]
    assert 0 < np.all(one_by_one, axis=0).sum() < 40
    assert (hand_clear(hands, opening, boxes, GRIPPER) == np.all(one_by_one, axis=0)).all()
