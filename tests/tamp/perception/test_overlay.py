"""What was perceived, drawn on pictures and cut out of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tamp.model.images import Image
from tamp.model.scene import Scene, record_of
from tamp.perception.looks import masks
from tamp.perception.object_model import ObjectModel
from tamp.perception.overlay import cut_out, overlaid
from tests.synthetic_looks import CAMERAS, HEIGHT, library, looking, observed, standing, taken

CAN = standing(library()["can"], 0.1, 0.1, 0.0)
LOW, HIGH = np.array([-0.05, 0.1, HEIGHT]), np.array([0.05, 0.2, HEIGHT + 0.1])


SEEN = record_of(Scene((CAN.as_object("can_1"),), observed([]).robot, confidence={"can_1": 0.9}))


def test_the_pixels_of_a_thing_are_tinted_and_far_from_it_all_is_as_it_was() -> None:
    image = taken(CAMERAS[0], [CAN])
    changed = (overlaid(image, SEEN, library()) != image.colour).any(axis=-1)
    mask = masks([CAN], image) > 0
    assert changed[mask].all() and 1.0 < changed.sum() / mask.sum() < 6.0
    rows, columns = np.nonzero(mask)
    away = changed.copy()
    away[max(0, rows.min() - 40) : rows.max() + 40, max(0, columns.min() - 40) : columns.max() + 90] = False
    assert not away.any()


@pytest.mark.parametrize("known", [library(), {}], ids=["moved away", "known by no model"])
def test_where_a_thing_is_no_longer_or_unknown_only_its_box_is_drawn(known: Mapping[str, ObjectModel]) -> None:
    there, gone = (taken(CAMERAS[0], things) for things in ([CAN], []))
    boxed = {**SEEN, "boxes": {"can_1": [corner.tolist() for corner in CAN.bounds]}}
    filled = [(overlaid(i, boxed, k) != i.colour).any(axis=-1).sum() for i, k in ((there, library()), (gone, known))]
    assert 0 < filled[1] < 0.8 * filled[0]


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
