"""Depth made steady: less scatter, nothing between surfaces, and clean depth left as it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tamp.backends.libero.cameras import measured
from tamp.model.images import Image
from tamp.perception.rig import scatter, steady
from tests.synthetic_looks import CAMERAS, model, standing, taken


def noisy(image: Image) -> Image:
    return replace(image, depth=measured(image.depth, np.random.default_rng(0)))


def test_clean_depth_is_left_alone_and_noise_is_measured() -> None:
    image = taken(CAMERAS[0], [standing(model("can"), 0.0, 0.0, 0.0)])
    assert steady(image) is image
    nothing = replace(image, depth=np.zeros(image.size))
    assert not steady(nothing).depth.any() and scatter(nothing.depth) == 0.0
    assert abs(scatter(noisy(image).depth) - 0.0015) < 0.0002


def test_noise_is_averaged_and_what_hangs_between_surfaces_goes() -> None:
    image = taken(CAMERAS[0], [standing(model("can"), 0.0, 0.0, 0.0), standing(model("carton"), 0.0, 0.15, 0.4)])
    before, after = noisy(image).depth, steady(noisy(image)).depth
    off = [np.abs(d - image.depth)[(d > 0) & (image.depth < 2)] for d in (before, after)]
    assert np.median(off[1]) < 0.5 * np.median(off[0])
    hanging = [float((o > 0.02).mean()) for o in off]
    assert hanging[0] > 0.005 and hanging[1] < 0.1 * hanging[0]
    assert (after > 0).mean() > 0.9
