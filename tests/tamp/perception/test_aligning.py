"""A camera that is not where it is said to be is put where others see the same surfaces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from motion.poses import Array, inverse, moved, pose, rotation_about
from tamp.model.images import Image
from tamp.perception.looks import Look
from tamp.perception.registration import Surface, SurfaceView, aligned, untold
from tests.synthetic_looks import HEIGHT, boxed, looking

FIXED = looking("front", (0.65, -0.5, 1.5), (0.0, 0.0, 0.95), 480)
HAND = looking("hand", (0.35, -0.15, HEIGHT + 0.35), (0.08, 0.02, HEIGHT), 480)
SEEN = np.array([[0.1, 0.05, HEIGHT], [0.05, -0.05, HEIGHT + 0.1], [0.2, 0.1, HEIGHT]])
"""Places that both cameras have in view."""


BOXES = ((0.08, 0.05, 0.2, 0.15, 0.1), (0.0, -0.15, 0.1, -0.05, 0.06))
"""Low and high corner in x and y, and height, of what stands there."""


def look(image: Image) -> Look:
    return Look.of(image, np.zeros(image.size, dtype=bool))


def astray(image: Image, off: Array) -> float:
    """Metres by which a camera at `off` from where it is said to be puts what it sees elsewhere, at most."""
    D = image.T_world_camera @ off @ inverse(HAND.T_world_camera)
    return float(np.linalg.norm(moved(SEEN, D) - SEEN, axis=1).max())


@settings(max_examples=5)
@given(axis=st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda a: np.linalg.norm(a) > 0.1), seed=st.integers(0, 99))
def test_an_error_in_the_hand_is_taken_out(axis: tuple[float, float, float], seed: int) -> None:
    n, p = np.array(axis) / np.linalg.norm(axis), np.random.default_rng(seed).normal(size=3)
    wrong = pose(0.005 * p / np.linalg.norm(p), rotation_about(n, np.radians(1.0)))
    fixed, right = (boxed(camera, BOXES) for camera in (FIXED, HAND))
    said = replace(right, T_world_camera=right.T_world_camera @ wrong)
    assert astray(said, aligned(look(said), [look(fixed)])) < max(0.002, 0.3 * astray(said, np.eye(4)))


def test_a_right_camera_is_left_alone() -> None:
    fixed, right = (boxed(camera, BOXES) for camera in (FIXED, HAND))
    assert np.array_equal(aligned(look(right), [look(fixed)]), np.eye(4))


def test_the_bare_table_tells_nothing() -> None:
    wrong = pose([0.004, 0.003, 0.0], rotation_about(np.array([0.0, 0.0, 1.0]), 0.017))
    fixed, right = (boxed(camera, []) for camera in (FIXED, HAND))
    said = replace(right, T_world_camera=right.T_world_camera @ wrong)
    assert np.array_equal(aligned(look(said), [look(fixed)]), np.eye(4))


def seen_by_both(boxes: tuple[tuple[float, ...], ...]) -> tuple[list[SurfaceView], Array]:
    """What a hand camera sees of boxes against the fixed one, and the direction (3,) of world y in its frame."""
    fixed, hand = (boxed(camera, boxes) for camera in (FIXED, HAND))
    view = SurfaceView.of(look(hand), Surface.of([look(fixed)]))
    return [view], view.T_world_camera[:3, :3].T @ np.array([0.0, 1.0, 0.0])


def test_walls_that_all_face_one_way_leave_it_open_where_a_camera_is_along_them() -> None:
    wall = ((-0.05, -0.45, 0.1, 0.45, 0.1),)  # its ends are out of the hand camera's view
    views, along = seen_by_both(wall)
    open_way = untold(views, np.eye(4))
    assert open_way is not None and abs(open_way @ along) > 0.95


def test_sides_that_face_two_ways_tell_all() -> None:
    assert untold(seen_by_both(BOXES)[0], np.eye(4)) is None
