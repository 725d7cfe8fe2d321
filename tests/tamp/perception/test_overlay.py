"""What was perceived, drawn on pictures and cut out of them."""

from __future__ import annotations

import numpy as np

from motion.poses import moved, pose
from tamp.model.images import Image, as_png
from tamp.model.scene import Scene
from tamp.model.scene_record import told_of
from tamp.perception.camera import CameraPerceiver
from tamp.perception.looks import masks
from tamp.perception.overlay import cut_out, overlaid, shown, shown_of, unknown
from tests.synthetic_looks import CAMERAS, HEIGHT, library, looking, observed, robot, standing, taken

CAN, BOX = standing(library()["can"], 0.1, 0.1, 0.0), standing(library()["box"], -0.1, -0.1, 0.5)
LOW, HIGH = np.array([-0.05, 0.1, HEIGHT]), np.array([0.05, 0.2, HEIGHT + 0.1])


def test_the_pixels_of_a_thing_are_tinted_and_far_from_it_all_is_as_it_was() -> None:
    image = taken(CAMERAS[0], [CAN])
    drawn = overlaid(image, [shown("can_1", 0.9, CAN)])
    changed = (drawn != image.colour).any(axis=-1)
    mask = masks([CAN], image) > 0
    assert changed[mask].all() and 1.0 < changed.sum() / mask.sum() < 6.0
    rows, columns = np.nonzero(mask)
    away = changed.copy()
    away[max(0, rows.min() - 40) : rows.max() + 40, max(0, columns.min() - 40) : columns.max() + 90] = False
    assert not away.any()


def test_where_a_thing_is_no_longer_only_its_box_is_drawn() -> None:
    there, gone = (taken(CAMERAS[0], things) for things in ([CAN], []))
    thing = [shown("can_1", 0.9, CAN)]
    filled = [(overlaid(i, thing) != i.colour).any(axis=-1).sum() for i in (there, gone)]
    assert 0 < filled[1] < 0.8 * filled[0]


def test_behind_the_camera_and_out_of_the_picture_nothing_is_drawn() -> None:
    image = taken(CAMERAS[0], [])
    behind = shown("can_1", 0.9, standing(library()["can"], 3.0, 0.0, 0.0))
    assert np.array_equal(overlaid(image, [behind]), image.colour)


def test_what_a_policy_tells_of_a_scene_is_enough_to_draw_it() -> None:
    """Joints, confidence and what no model explains cross as plain data."""
    eyes = CameraPerceiver(lambda: observed([CAN, BOX]), library(), robot())
    scene: Scene = eyes.perceive()
    drawn = shown_of(told_of(scene), library())
    assert {s.name: s.placed is not None for s in drawn} == {"can_1": True, "box_1": True}
    for s in drawn:
        track = eyes.tracks[s.name]
        assert s.placed is not None and np.allclose(s.placed.T_world_object, track.placed.T_world_object, atol=1e-3)
        assert s.confidence == round(track.confidence, 3)
    few = {name: m for name, m in library().items() if name != "box"}
    unlike = {s.name: s for s in shown_of(told_of(scene), few)}
    assert unlike["box_1"].placed is None
    low, high = unlike["box_1"].T_world_box[:3, 3] + unlike["box_1"].box
    assert np.all(low < BOX.T_world_object[:3, 3] + [0, 0, 0.01]) and np.all(high > BOX.T_world_object[:3, 3])


def test_an_unknown_box_is_drawn_where_it_is() -> None:
    image = taken(CAMERAS[0], [])
    low, high = np.array([-0.05, -0.05, HEIGHT]), np.array([0.05, 0.05, HEIGHT + 0.1])
    drawn = overlaid(image, [unknown("unknown_1", low, high)])
    v, u = np.nonzero((drawn != image.colour).any(axis=-1))
    uv, _ = image.project(np.array([0.0, 0.0, HEIGHT + 0.05]))
    assert abs(np.median(u) - uv[0]) < 30 and abs(np.median(v) - uv[1]) < 30


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
