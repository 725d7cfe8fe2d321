"""The camera's perceiver on synthetic pictures: what it recognises, and what it says of pictures that are none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motion.poses import Array, pose, rotation_about
from tamp.errors import InputError, Refusal
from tamp.model.backend import Observation
from tamp.model.images import Image
from tamp.model.scene import Scene
from tamp.perception.camera import CameraPerceiver
from tamp.perception.modelling import modelled
from tamp.perception.object_model import PlacedModel
from tests.perception_scores import pose_errors
from tests.solids import UP, prism, rectangle, skin, thing
from tests.synthetic_looks import HEIGHT, library, observed, painted, robot, standing

pytestmark = pytest.mark.slow

PLACES = ((-0.15, -0.15), (0.12, -0.1), (-0.12, 0.18), (0.14, 0.2))


class Viewer:
    """A perceiver that is shown one observation after the other."""

    def __init__(self) -> None:
        self.now: Observation | None = None
        self.perceiver = CameraPerceiver(self._look, library(), robot())

    def _look(self) -> Observation:
        assert self.now is not None
        return self.now

    def see(self, now: Observation) -> Scene:
        self.now = now
        return self.perceiver.perceive()


def some() -> list[PlacedModel]:
    known = library()
    return [standing(known["can"], 0.1, 0.15, 0.0), standing(known["carton"], -0.1, -0.1, 0.4)]


def changed(observation: Observation, change: Callable[[Image], Image]) -> Observation:
    return replace(observation, images=tuple(map(change, observation.images)))


@settings(max_examples=6)
@given(
    yaws=st.tuples(*[st.floats(0, 6.28)] * 4),
    nudges=st.tuples(*[st.floats(-0.03, 0.03)] * 8),
    order=st.permutations(("can", "carton", "box", "disc")),
)
def test_things_are_recognised_wherever_they_stand(
    yaws: tuple[float, ...], nudges: tuple[float, ...], order: Sequence[str]
) -> None:
    known = library()
    true = [
        standing(known[name], x + nudges[2 * i], y + nudges[2 * i + 1], yaws[i])
        for i, (name, (x, y)) in enumerate(zip(order, PLACES, strict=True))
    ]
    viewer = Viewer()
    scene = viewer.see(observed(true))
    assert sorted(o.category for o in scene if o.movable) == sorted(order)
    for placed in true:
        (track,) = [t for t in viewer.perceiver.tracks.values() if t.placed.model is placed.model]
        millimetres, degrees = pose_errors(placed.model, placed.T_world_object, track.placed.T_world_object)
        assert millimetres < 4.0 and degrees < 4.0, (track.name, millimetres, degrees)


BAD: dict[str, tuple[Callable[[Image], Image], str]] = {
    "black": (lambda i: replace(i, colour=np.zeros_like(i.colour)), "the picture of front is black"),
    "no depth": (lambda i: replace(i, depth=np.zeros_like(i.depth)), "front measured depth in 0% of its pixels"),
    "depth that is no number": (lambda i: replace(i, depth=i.depth * np.nan), "front measured depth in 0%"),
    "one camera without depth": (
        lambda i: replace(i, depth=np.zeros_like(i.depth)) if i.camera == "above" else i,
        "above measured depth in 0%",
    ),
    "twice the focal length": (lambda i: replace(i, K=scaled(i.K, 2.0)), "does not show the robot where"),
    "half the focal length": (lambda i: replace(i, K=scaled(i.K, 0.5)), "does not show the robot where"),
    "one camera's focal length a tenth too long": (
        lambda i: replace(i, K=scaled(i.K, 1.1)) if i.camera == "above" else i,
        "above and front do not show the same things",
    ),
    "colour of another size than depth": (
        lambda i: replace(i, colour=i.colour[::2, ::2].copy()),
        r"front: colour is \(120, 120, 3\), depth \(240, 240\)",
    ),
}


def scaled(K: Array, by: float) -> Array:
    return K * np.array([[by, 1.0, 1.0], [1.0, by, 1.0], [1.0, 1.0, 1.0]])


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("name", BAD)
def test_pictures_that_cannot_be_are_refused_with_one_reason(name: str, later: bool) -> None:
    change, why = BAD[name]
    viewer = Viewer()
    if later:
        viewer.see(observed(some()))
    with pytest.raises((Refusal, InputError), match=why):
        viewer.see(changed(observed(some()), change))


@pytest.mark.parametrize("lag", [1, 3])
def test_a_camera_that_shows_what_was_is_refused(lag: int) -> None:
    """One that is frozen, and one that lags behind while the arm comes down."""
    viewer = Viewer()
    angles = [0.0, 0.15, 0.3, 0.45]
    then = [observed(some(), q) for q in angles]
    viewer.see(then[0])
    with pytest.raises(Refusal, match="does not show the robot where its encoders have it"):
        viewer.see(replace(then[3], images=then[3 - lag].images))
    assert {o.category for o in viewer.see(then[3]) if o.movable} == {"can", "carton"}


def test_an_arm_over_the_table_is_an_obstacle_where_it_is_and_nothing_once_it_is_gone() -> None:
    """A forearm along y, 11 cm above the table."""
    points, normals = prism(rectangle(0.08, 0.6), 0.08, 0.003)
    made, _ = thing("arm", points, normals)
    forearm = modelled(made, {"arm": skin(points, normals, (220, 170, 140))}, ("arm",), "")
    viewer = Viewer()
    assert not boxes(viewer.see(observed(some())))
    for x in (0.2, -0.02):
        scene = viewer.see(observed([*some(), standing(forearm, x, 0.25, 0.0, above=0.13)]))
        assert {o.category for o in scene if o.movable} == {"can", "carton"}, "no known thing is seen in it"
        middle = np.array([x, 0.1, HEIGHT + 0.15])
        assert any(np.all(middle > low) and np.all(middle < high) for low, high in boxes(scene))
        old = np.array([0.22 - x, 0.2, HEIGHT + 0.15])
        assert not any(np.all(old > low) and np.all(old < high) for low, high in boxes(scene)), "where it was before"
    assert not boxes(viewer.see(observed(some())))


def boxes(scene: Scene) -> list[tuple[Array, Array]]:
    """The obstacles of a scene."""
    return [o.bounds() for o in scene if not o.movable and not o.regions]


def test_a_known_shape_in_other_colours_is_an_unknown_thing_of_that_shape() -> None:
    known = library()
    can = standing(painted(known["can"], (40, 60, 220)), 0.1, 0.15, 0.0)
    viewer = Viewer()
    scene = viewer.see(observed([can, standing(known["carton"], -0.1, -0.1, 0.4)]))
    assert sorted(o.category for o in scene if o.movable) == ["blue_cylinder", "carton"]
    assert scene.unknown == ("unknown_1",) and scene.object("unknown_1").movable
    size = np.ptp(viewer.perceiver.tracks["unknown_1"].placed.points(), axis=0)
    assert size == pytest.approx([0.066, 0.066, 0.1], abs=0.003)
    assert viewer.see(observed([can, standing(known["carton"], -0.1, -0.1, 0.4)])).unknown == ("unknown_1",), "followed"


def test_an_unknown_thing_that_was_moved_out_of_sight_keeps_its_name() -> None:
    points, normals = prism(rectangle(0.05, 0.15), 0.06)
    made, _ = thing("brick", points, normals)
    brick = modelled(made, {"brick": skin(points, normals, (230, 210, 40))}, ("brick",), "")
    can, viewer = standing(library()["can"], 0.1, 0.15, 0.0), Viewer()
    for time, (x, y, yaw) in enumerate([(-0.1, -0.1, 0.4), (0.12, -0.15, 1.3), (-0.15, 0.2, 2.0)]):
        scene = viewer.see(observed([can, standing(brick, x, y, yaw)], time=float(time)))
        assert scene.unknown == ("unknown_1",) and scene.object("unknown_1").category == "yellow_box"
        assert np.linalg.norm(scene.object("unknown_1").position[:2] - [x, y]) < 0.006
    assert {o.name for o in scene if o.movable} == {"can_1", "unknown_1"}


def test_what_fell_over_is_found_again_as_what_it_was() -> None:
    known = library()["carton"]
    viewer = Viewer()
    before = [t for t in some() if t.model is known]
    viewer.see(observed(before))
    lying = rotation_about(np.array([0.0, 1.0, 0.0]), 0.5 * np.pi)
    for where in (-0.1, 0.15):
        fallen = PlacedModel(known, pose([where, 0.1, HEIGHT + 0.035], rotation_about(UP, 0.7) @ lying))
        scene = viewer.see(observed([fallen]))
        assert [o.name for o in scene if o.movable] == ["carton_1"]
        box = np.array([scene.object("carton_1").bounds(), fallen.as_object("carton_1").bounds()])
        assert np.abs(box[0] - box[1]).max() < 0.005


@pytest.mark.parametrize(("one", "other"), [("can", "carton"), ("carton", "box"), ("box", "disc")])
def test_things_that_change_places_keep_their_names(one: str, other: str) -> None:
    known, viewer = library(), Viewer()
    places = [(0.1, 0.15), (-0.1, -0.1)]
    viewer.see(observed([standing(known[n], x, y, 0.3) for n, (x, y) in zip((one, other), places, strict=True)]))
    there = [standing(known[n], x, y, 0.3) for n, (x, y) in zip((other, one), places, strict=True)]
    scene = viewer.see(observed(there, time=1.0))
    assert {o.name for o in scene if o.movable} == {f"{one}_1", f"{other}_1"}
    for placed, name in zip(there, (f"{other}_1", f"{one}_1"), strict=True):
        assert np.linalg.norm(scene.object(name).position[:2] - placed.T_world_object[:2, 3]) < 0.004
