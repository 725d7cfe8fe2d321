"""Following things from look to look, and whether each is still the one that it was taken for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from motion.poses import Array, pose, rotation_about
from tamp.perception.object_model import PlacedModel
from tamp.perception.segmentation import Points
from tamp.perception.tracking import Track, followed, held_as_seen, kept_apart, mistaken
from tests.perception_scores import pose_errors
from tests.synthetic_looks import CAMERAS, HEIGHT, library, look, painted, standing, taken


def seen_as(true: PlacedModel, thought: PlacedModel) -> Array:
    """Where a thing is said to be that was thought to be elsewhere."""
    looks = [look(taken(c, [true])) for c in CAMERAS]
    points = np.concatenate([k.points.reshape(-1, 3) for k in looks])
    with np.errstate(invalid="ignore"):
        near = points[true.distance(points) < 0.04]
    near = near[near[:, 2] > 0.904]
    track = Track("thing", thought, True, 0.0, 1.0)
    seen = Points(near, np.zeros_like(near))
    return followed(track, seen, looks, 1.0, np.random.default_rng(0)).placed.T_world_object


def tilted(placed: PlacedModel, degrees: float, shift: float = 0.0) -> PlacedModel:
    D = pose([shift, 0.0, 0.0], rotation_about(np.array([1.0, 0.0, 0.0]), np.radians(degrees)))
    T = placed.T_world_object.copy()
    T[:3, :3] = D[:3, :3] @ T[:3, :3]
    T[:3, 3] += D[:3, 3]
    return PlacedModel(placed.model, T)


@pytest.mark.parametrize(("down", "degrees"), [(0.0, 0.0), (0.005, 12.0), (0.018, 0.0), (0.018, 12.0)])
def test_what_has_slipped_in_the_hand_is_seen_where_it_is_now(down: float, degrees: float) -> None:
    thought = standing(library()["carton"], -0.1, 0.1, 0.4, above=0.15)
    true = tilted(thought, degrees)
    true.T_world_object[2, 3] -= down
    looks = [look(taken(c, [true])) for c in CAMERAS]
    points = np.concatenate([k.points.reshape(-1, 3) for k in looks])
    with np.errstate(invalid="ignore"):
        near = points[true.distance(points) < 0.04]
    track = Track("thing", thought, True, 0.0, 1.0)
    found = held_as_seen(track, Points(near, np.zeros_like(near)), looks, np.random.default_rng(0))
    millimetres, turned = pose_errors(true.model, true.T_world_object, found)
    assert millimetres < 4.0 and turned < 4.0


@pytest.mark.parametrize("millimetres", [0.0, 12.0, 25.0])
def test_a_thing_that_was_moved_is_followed_as_far(millimetres: float) -> None:
    true = standing(library()["carton"], -0.1, 0.1, 0.4)
    before = PlacedModel(true.model, pose([0.001 * millimetres, 0.0, 0.0]) @ true.T_world_object)
    off, _ = pose_errors(true.model, true.T_world_object, seen_as(true, before))
    assert off < 2.0


def test_two_that_are_alike_are_not_in_one_place() -> None:
    """One is put into the other, which is not seen any more and followed what is seen of it."""
    lower, upper = standing(library()["disc"], 0.0, 0.0, 0.0), standing(library()["disc"], 0.0, 0.0, 0.0)
    up = upper.T_world_object.copy()
    up[2, 3] += 0.02
    carried = up.copy()
    carried[2, 3] += 0.15
    stacked = replace(upper, T_world_object=up)
    before = {
        "disc_1": Track("disc_1", lower, True, 0.0, 1.0),
        "disc_2": Track("disc_2", replace(upper, T_world_object=carried), True, 0.0, 1.0),
    }
    after = {name: replace(t, placed=stacked, time=1.0) for name, t in before.items()}
    looks = [look(taken(camera, [lower, stacked])) for camera in CAMERAS]
    shown = kept_apart(before, after, looks)
    assert shown["disc_1"].placed is lower, "it is hidden, and where it was"
    assert shown["disc_2"].placed is stacked, "one sees past where it was carried"


HERE = np.array([0.0, 0.0, 1.2])


def shown(true: Sequence[PlacedModel], thought: Sequence[PlacedModel], time: float = 1.0) -> list[str]:
    looks = [look(taken(c, list(true))) for c in CAMERAS]
    tracks = {f"thing_{i}": Track(f"thing_{i}", placed, True, time, 1.0) for i, placed in enumerate(thought)}
    points = np.concatenate([k.points.reshape(-1, 3) for k in looks])
    with np.errstate(invalid="ignore"):
        points = points[points[:, 2] > HEIGHT + 0.004].astype(float)
    return mistaken(tracks, Points(points, np.zeros_like(points)), HERE, looks, 1.0)


def test_another_thing_of_the_same_shape_is_noticed() -> None:
    true = standing(library()["carton"], -0.1, 0.1, 0.4)
    assert shown([true], [standing(painted(library()["carton"], (200, 40, 40)), -0.1, 0.1, 0.4)]) == ["thing_0"]


@pytest.mark.parametrize(("now", "before"), [("box", "carton"), ("can", "carton"), ("disc", "box"), ("carton", "disc")])
def test_a_thing_of_another_shape_is_noticed_and_the_one_beside_it_left_alone(now: str, before: str) -> None:
    beside = standing(library()["can"], 0.0, 0.1, 0.0)
    thought = [standing(library()[before], -0.1, 0.1, 0.4), beside]
    assert shown([standing(library()[now], -0.1, 0.1, 0.4), beside], thought, time=0.5) == ["thing_0"]
    assert shown([thought[0], beside], thought) == []
