"""A camera that is not where it is said to be is put where the robot, or what others see too, shows it to be."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motion.poses import Array, inverse, moved, pose, rotation_about, rotation_vector
from tamp.model.images import Image
from tamp.perception.looks import Look
from tamp.perception.object_model import Skin
from tamp.perception.registration import (
    Surface,
    SurfaceView,
    aligned,
    corrected,
    correction,
    undetermined_direction,
)
from tests.solids import prism, rectangle, skin
from tests.synthetic_looks import CAMERAS, HEIGHT, bodies, boxed, library, looking, standing, taken

ARM = 0.5
FIXED = looking("front", (0.65, -0.5, 1.5), (0.0, 0.0, 0.95), 480)
HAND = looking("hand", (0.35, -0.15, HEIGHT + 0.35), (0.08, 0.02, HEIGHT), 480)
SEEN = np.array([[0.1, 0.05, HEIGHT], [0.05, -0.05, HEIGHT + 0.1], [0.2, 0.1, HEIGHT]])
"""Places that both cameras have in view."""


BOXES = ((0.08, 0.05, 0.2, 0.15, 0.1), (0.0, -0.15, 0.1, -0.05, 0.06))
"""Low and high corner in x and y, and height, of what stands there."""


@cache
def hand() -> Skin:
    return skin(*prism(rectangle(0.05, 0.3), 0.12, 0.003))


def robot() -> tuple[dict[str, Array], dict[str, Skin]]:
    """The robot with a hand across its arm, so that its shape tells all six directions."""
    where, skins = dict(bodies(ARM)), dict(library().robots["panda"].skins)
    where["hand"], skins["hand"] = where["arm"] @ pose([0.5, 0.0, 0.0]), hand()
    return where, skins


@pytest.fixture(scope="module")
def image() -> Image:
    from tamp.perception.looks import drawn_skins

    where, skins = robot()
    seen = taken(CAMERAS[0], [standing(library()["can"], 0.1, 0.1, 0.0)], ARM)
    _, nearest = drawn_skins([[(skins["hand"], where["hand"])]], seen)
    return replace(seen, depth=np.minimum(seen.depth, nearest))


def off_by(T: Array) -> tuple[float, float]:
    return float(np.linalg.norm(T[:3, 3])), float(np.degrees(np.linalg.norm(rotation_vector(T[:3, :3]))))


@settings(max_examples=6)
@given(axis=st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda a: np.linalg.norm(a) > 0.1), seed=st.integers(0, 99))
def test_half_a_degree_and_half_a_centimetre_are_found(
    axis: tuple[float, float, float], seed: int, image: Image
) -> None:
    n = np.array(axis) / np.linalg.norm(axis)
    p = np.random.default_rng(seed).normal(size=3)
    wrong = pose(0.005 * p / np.linalg.norm(p), rotation_about(n, np.radians(0.5)))
    said = replace(image, T_world_camera=image.T_world_camera @ wrong)
    off = correction(said, *robot())
    assert off is not None
    put = corrected(said, off)
    metres, degrees = off_by(inverse(image.T_world_camera) @ put.T_world_camera)
    assert metres < 0.002 and degrees < 0.15


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


def test_walls_that_all_face_one_way_leave_it_open_where_a_camera_is_along_them() -> None:
    wall = ((-0.05, -0.45, 0.1, 0.45, 0.1),)  # its ends are out of the hand camera's view
    for boxes, is_open in ((wall, True), (BOXES, False)):
        fixed, hand = (boxed(camera, boxes) for camera in (FIXED, HAND))
        view = SurfaceView(look(hand), Surface([look(fixed)]))
        open_way = undetermined_direction([view], np.eye(4))
        assert (open_way is not None) == is_open
        if open_way is not None:
            assert abs(open_way @ view.T_world_camera[:3, :3].T @ np.array([0.0, 1.0, 0.0])) > 0.95
