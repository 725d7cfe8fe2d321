"""A camera that is not where it is said to be is put where the robot that it sees says."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motion.poses import Array, inverse, pose, rotation_about, rotation_vector
from tamp.model.images import Image
from tamp.perception.object_model import Skin
from tamp.perception.registration import corrected, correction, sought
from tests.solids import prism, rectangle, skin
from tests.synthetic_looks import CAMERAS, bodies, library, standing, taken

ARM = 0.5


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
    from tamp.perception.masks import drawn_skins

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


@pytest.mark.parametrize("seed", range(6))
def test_a_camera_that_somebody_ran_into_is_found(seed: int, image: Image) -> None:
    """Not from everywhere: this robot is two bars, and about one pose of 40 looks as well as the true one."""
    n, p = np.random.default_rng(seed).normal(size=(2, 3))
    n, p = n / np.linalg.norm(n), p / np.linalg.norm(p)
    wrong = pose(0.02 * p, rotation_about(n, np.radians(5.0)))
    said = replace(image, T_world_camera=image.T_world_camera @ wrong)
    off = sought(said, *robot())
    assert off is not None
    metres, degrees = off_by(inverse(image.T_world_camera) @ corrected(said, off).T_world_camera)
    assert metres < 0.004 and degrees < 0.3


def test_a_camera_without_the_robot_in_view_is_left_where_it_is_said_to_be(image: Image) -> None:
    far = {name: pose([5.0, 0.0, 0.0]) @ T for name, T in robot()[0].items()}
    assert correction(image, far, robot()[1]) is None
