"""Noise of cameras: as much of each kind as is said, and the fixed camera wrong in one way all along."""

from __future__ import annotations

import numpy as np
import pytest

from motion.poses import inverse, pose, rotation_vector
from tamp.backends.libero.cameras import CameraNoise, Kind, measured
from tamp.model.images import Image, pinhole

RNG = np.random.default_rng


def picture(camera: str, depth: np.ndarray, grey: int = 100) -> Image:
    h, w = depth.shape
    return Image(camera, np.full((h, w, 3), grey, np.uint8), depth, pinhole(h, w, 0.8), pose([0.1, 0.2, 0.3]))


@pytest.mark.parametrize("metres", [0.3, 1.0, 2.0])
def test_depth_errs_with_the_square_of_the_distance_and_has_holes(metres: float) -> None:
    seen = measured(np.full((300, 300), metres), RNG(0))
    there = seen > 0
    assert (~there).mean() == pytest.approx(0.02, abs=0.002)
    assert seen[there].std() == pytest.approx(0.0015 * metres**2, rel=0.02)
    assert seen[there].mean() == pytest.approx(metres, abs=1e-4)


def test_edges_are_mixed_or_not_measured_and_nowhere_else() -> None:
    depth = np.full((200, 200), 1.0)
    depth[:, 100:] = 1.5
    seen = measured(depth, RNG(0))
    edge, far = seen[:, 99:101], np.delete(seen, np.s_[98:102], axis=1)
    mixed = (edge > 1.02) & (edge < 1.45)
    assert 0.3 < mixed.mean() < 0.6 and 0.4 < (edge == 0).mean() < 0.6
    assert not ((far > 1.02) & (far < 1.45)).any()


@pytest.mark.parametrize(
    ("kind", "wrong", "metres", "degrees"),
    [("pose", 0, 0.005, 0.5), ("moved", 0, 0.02, 5.0), ("hand", 1, 0.005, 1.0)],
)
def test_one_camera_is_wrong_in_one_way_all_along_and_the_other_is_not(
    kind: Kind, wrong: int, metres: float, degrees: float
) -> None:
    noise = CameraNoise(kind, RNG(3))
    images = picture("agentview", np.ones((40, 40))), picture("robot0_eye_in_hand", np.ones((40, 40)))
    first, second = noise(images), noise(images)
    off = inverse(images[wrong].T_world_camera) @ first[wrong].T_world_camera
    assert np.linalg.norm(off[:3, 3]) == pytest.approx(metres)
    assert np.degrees(np.linalg.norm(rotation_vector(off[:3, :3]))) == pytest.approx(degrees)
    assert np.array_equal(first[wrong].T_world_camera, second[wrong].T_world_camera)
    assert np.array_equal(first[1 - wrong].T_world_camera, images[1 - wrong].T_world_camera)
    assert np.array_equal(first[0].depth, images[0].depth) and np.array_equal(first[0].colour, images[0].colour)


def test_the_same_seed_gives_the_same_noise_and_clean_is_clean() -> None:
    images = (picture("agentview", np.ones((40, 40))),)
    one, other, third = (CameraNoise("all", RNG(s))(images)[0] for s in (1, 1, 2))
    assert np.array_equal(one.depth, other.depth) and np.array_equal(one.colour, other.colour)
    assert not np.array_equal(one.depth, third.depth)
    clean = CameraNoise("clean", RNG(1))(images)[0]
    assert np.array_equal(clean.depth, images[0].depth)
    assert np.array_equal(clean.T_world_camera, images[0].T_world_camera)
