"""What is cut out of pictures shows the thing that was asked for."""

from __future__ import annotations

import numpy as np

from motion.poses import moved, pose
from tamp.model.images import Image, as_png
from tamp.perception.overlay import cut_out
from tests.synthetic_looks import HEIGHT, looking

LOW, HIGH = np.array([-0.05, 0.1, HEIGHT]), np.array([0.05, 0.2, HEIGHT + 0.1])


def painted(camera: Image) -> Image:
    """A white picture, red where the box between the corners is projected."""
    colour = np.full_like(camera.colour, 255)
    inside = np.random.default_rng(0).uniform(LOW, HIGH, (20000, 3))
    uv, _ = camera.project(inside)
    u, v = np.rint(uv.T).astype(int)
    shown = (u >= 0) & (u < camera.size[1]) & (v >= 0) & (v < camera.size[0])
    colour[v[shown], u[shown]] = (255, 0, 0)
    return Image(camera.camera, colour, camera.depth, camera.K, camera.T_world_camera)


def test_the_picture_that_shows_most_of_it_is_cut() -> None:
    near, far = (painted(looking(n, (x, 0.15, HEIGHT + 0.4), (0.0, 0.15, HEIGHT))) for n, x in (("n", 0.5), ("f", 1.0)))
    part = cut_out([far, near], LOW, HIGH)
    assert part is not None
    red = (part == (255, 0, 0)).all(axis=2)
    assert red.sum() == (near.colour == (255, 0, 0)).all(axis=2).sum(), "all of it"
    assert 0.2 < red.mean() < 0.8, "with some room around"


def test_what_no_camera_has_in_view_is_not_cut() -> None:
    away = looking("away", (0.5, 0.15, HEIGHT + 0.4), (1.0, 0.15, HEIGHT))
    aside = looking("aside", (0.5, 3.0, HEIGHT + 0.4), (0.0, 3.0, HEIGHT))
    assert cut_out([away, aside], LOW, HIGH) is None
    tiny = moved(np.array([LOW, LOW + 0.001]), pose(np.zeros(3)))
    assert cut_out([looking("n", (0.5, 0.15, HEIGHT + 0.4), (0.0, 0.15, HEIGHT))], *tiny) is None


def test_a_picture_survives_as_png() -> None:
    import imageio.v3 as imageio

    pixels = np.random.default_rng(0).integers(0, 255, (9, 7, 3), dtype=np.uint8)
    assert np.array_equal(imageio.imread(as_png(pixels), extension=".png"), pixels)
