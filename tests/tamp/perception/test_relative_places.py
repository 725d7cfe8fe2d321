"""Places beside things: where they are, what they are called, and where there are none."""

from __future__ import annotations

import numpy as np
import pytest

from motion.poses import pose, rotation_about
from motion.shapes import Shape
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.backend import Observation
from tamp.model.scene import Part, Region, RobotState, Scene, SceneObject, with_object_at
from tamp.perception.predicates import above
from tamp.perception.relative_places import GAP, SIDES, PlacesBeside, places, with_places

TOP = 0.4
HALF = {"cup": (0.03, 0.03, 0.05), "tray": (0.15, 0.10, 0.01)}
ROBOT = RobotState(np.zeros(7), 0.08, np.eye(4))


def thing(name: str, x: float, y: float, on: float = TOP) -> SceneObject:
    half = np.array(HALF[name])
    T = pose([x, y, on + half[2]])
    return SceneObject(name, name, True, (Part(name, "body", T, (Shape("box", half, np.eye(4)),)),))


def table() -> SceneObject:
    half = np.array([0.5, 0.6, 0.02])
    part = Part("desk_body", "body", pose([0.0, 0.0, TOP - half[2]]), (Shape("box", half, np.eye(4)),))
    top = Region("desk", "surface", pose([0.0, 0.0, TOP]), np.array([0.5, 0.6, 0.0]), "desk_body")
    return SceneObject("desk_body", "table", False, (part,), (top,))


def desk(*some: SceneObject) -> Scene:
    return Scene((*some, table()), ROBOT)


def place_of(scene: Scene, symbol: str) -> Region:
    return with_places(scene, places([Atom("on", ("cup", symbol))], scene)).region(symbol)[1]


@pytest.mark.parametrize(
    ("side", "direction"), [("front-of", [1, 0]), ("behind", [-1, 0]), ("right-of", [0, 1]), ("left-of", [0, -1])]
)
def test_what_is_put_there_stands_beside_with_a_gap(side: str, direction: list[int]) -> None:
    scene = desk(thing("cup", 0.0, 0.4), thing("tray", 0.05, 0.0))
    middle = place_of(scene, f"{side}-tray").T_world_region[:3, 3]
    put = with_object_at(scene, "cup", pose([*middle[:2], TOP + HALF["cup"][2]]))
    (low, high), (under, over) = put.object("cup").bounds(), put.object("tray").bounds()
    axis, sign = SIDES[side]
    apart = (low - over)[axis] if sign > 0 else (under - high)[axis]
    assert apart == pytest.approx(GAP)
    assert np.dot(direction, (middle - put.object("tray").position)[:2]) > 0
    assert above(put.object("cup").position, place_of(scene, f"{side}-tray"))


def test_it_goes_along_when_the_thing_is_moved() -> None:
    scene = desk(thing("cup", 0.0, 0.4), thing("tray", 0.05, 0.0))
    wanted = places([Atom("on", ("cup", "behind-tray"))], scene)
    moved = with_object_at(scene, "tray", pose([0.05, -0.3, TOP + 0.01], rotation_about([0, 0, 1], 0.5 * np.pi)))

    heard: list[Observation] = []

    class Seen:
        def perceive(self) -> Scene:
            return moved

        def felt(self, observation: Observation) -> None:
            heard.append(observation)

    seen, felt = PlacesBeside(Seen(), wanted), Observation(0.0, moved.robot)
    seen.felt(felt)
    assert heard == [felt]
    middle = seen.perceive().region("behind-tray")[1].T_world_region[:3, 3]
    assert middle[0] == pytest.approx(0.05 - HALF["tray"][1] - GAP - HALF["cup"][0]), "the tray is turned"
    assert middle[1] == pytest.approx(-0.3)


def test_there_is_none_beyond_the_edge_of_the_table() -> None:
    scene = desk(thing("cup", 0.0, 0.4), thing("tray", 0.36, 0.0))
    with pytest.raises(Refusal, match="no room for cup front of tray"):
        places([Atom("on", ("cup", "front-of-tray"))], scene)
    wanted = places([Atom("on", ("cup", "behind-tray"))], scene)
    fallen = with_object_at(scene, "tray", pose([0.0, 0.0, TOP - 0.2]))
    assert [r.name for _, r in with_places(fallen, wanted).regions()] == ["desk"]
