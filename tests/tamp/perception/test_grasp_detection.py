"""What the hand holds, from the fingers alone."""

from __future__ import annotations

import numpy as np
import pytest

from motion.poses import inverse, pose
from motion.shapes import Shape
from tamp.model.scene import Part, RobotState, SceneObject
from tamp.perception.grasp_detection import HandTracker
from tamp.perception.object_model import ObjectModel, PlacedModel, Skin, field_around

HALF = 0.02
DOWN = pose([0.4, 0.0, 0.1], np.diag([1.0, -1.0, -1.0]))


def cube(p: list[float]) -> PlacedModel:
    """A cube of 4 cm with its middle at `p`."""
    side = np.linspace(-HALF, HALF, 21)
    faces = [np.insert(grid, axis, end, axis=1) for axis in range(3) for end in (-HALF, HALF)
             for grid in [np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)]]  # fmt: skip
    points = np.concatenate(faces)
    part = Part("cube", "body", np.eye(4), (Shape("box", np.full(3, HALF), np.eye(4)),))
    thing = SceneObject("cube", "cube", True, (part,))
    normals = points / np.linalg.norm(points, axis=1, keepdims=True)
    skin = Skin(points, normals, np.zeros_like(points, dtype=np.uint8), 4e-6, field_around(points))
    model = ObjectModel(thing, {"cube": skin}, np.eye(3)[None], 4, np.zeros(2), ("cube",), "test")
    return PlacedModel(model, pose(p))


def closing(hand: HandTracker, openings: list[float], thing: PlacedModel, T: np.ndarray = DOWN) -> list[str | None]:
    return [hand.felt(RobotState(np.zeros(7), o, T), [("cube_1", thing)]) for o in openings]


STOPPED = [0.08, 0.08, 0.079, 0.07, 0.06, 0.05, 0.0402, 0.0401, 0.04, 0.04, 0.04]


def test_fingers_that_stop_at_a_thing_hold_it_where_it_is_between_them() -> None:
    hand, thing = HandTracker(), cube([0.403, 0.001, 0.1])
    closing(hand, STOPPED, thing)
    assert hand.held == "cube_1"
    assert hand.T_tool_held is not None
    T = DOWN @ hand.T_tool_held
    assert T[:3, 3] == pytest.approx([0.4, 0.001, 0.1], abs=0.0015)  # the fingers have pushed it to their middle
    assert inverse(T)[:3, :3] == pytest.approx(np.eye(3))


def test_fingers_that_stand_open_around_a_thing_do_not_hold_it() -> None:
    hand = HandTracker()
    closing(hand, [0.08] * 20, cube([0.4, 0.0, 0.1]))
    assert hand.held is None


def test_fingers_that_close_on_nothing_hold_nothing() -> None:
    hand = HandTracker()
    closing(hand, [0.08, 0.06, 0.04, 0.02, 0.0005, 0.0004, 0.0004, 0.0004, 0.0004], cube([0.4, 0.0, 0.1]))
    assert hand.held is None


def test_what_is_elsewhere_is_not_held() -> None:
    hand = HandTracker()
    closing(hand, STOPPED, cube([0.4, 0.06, 0.1]))
    assert hand.held is None


def test_fingers_that_were_set_to_a_width_on_the_way_still_take_hold_later() -> None:
    hand, thing = HandTracker(), cube([0.4, 0.0, 0.1])
    away = DOWN @ pose([0.0, 0.0, -0.2])
    closing(hand, [0.08, 0.075, 0.07, 0.07, 0.07, 0.07, 0.07], thing, away)
    assert hand.held is None
    closing(hand, [0.07, 0.06, 0.05, 0.0401, 0.04, 0.04, 0.04, 0.04], thing)
    assert hand.held == "cube_1"


def test_a_thing_is_let_go_of_when_the_fingers_open() -> None:
    hand, thing = HandTracker(), cube([0.4, 0.0, 0.1])
    closing(hand, STOPPED, thing)
    said = closing(hand, [0.04, 0.042, 0.05], thing)
    assert said == [None, None, "cube_1"]
    assert hand.held is None


def test_a_thing_that_is_knocked_out_is_let_go_of_while_the_fingers_still_close() -> None:
    hand, thing = HandTracker(), cube([0.4, 0.0, 0.1])
    closing(hand, STOPPED, thing)
    assert closing(hand, [0.033], thing) == ["cube_1"] and hand.held is None


def test_a_soft_thing_that_gives_way_is_held() -> None:
    hand, thing = HandTracker(), cube([0.4, 0.0, 0.1])
    closing(hand, STOPPED, thing)
    closing(hand, [0.04 - 0.0009 * n for n in range(1, 25)], thing)
    assert hand.held == "cube_1"


def test_fingers_that_were_hardly_wider_than_a_thing_hold_it_once_they_press() -> None:
    hand, thing = HandTracker(), cube([0.4, 0.0, 0.1])
    felt = [0.042, 0.0415, 0.041, *[0.0402] * 9]
    for opening in felt:
        hand.felt(RobotState(np.zeros(7), opening, DOWN), [("cube_1", thing)], asked=0.0)
    assert hand.held == "cube_1"


def test_fingers_that_have_just_been_asked_to_close_hold_nothing_yet() -> None:
    hand, thing = HandTracker(), cube([0.4, 0.0, 0.1])
    for asked in [0.045] * 10 + [0.0] * 3:
        hand.felt(RobotState(np.zeros(7), 0.045, DOWN), [("cube_1", thing)], asked=asked)
    assert hand.held is None


def test_a_thing_that_gives_way_is_held_where_the_fingers_stop_once_more() -> None:
    """A rim that turns between them, while the hand lifts it."""
    hand, thing = HandTracker(), cube([0.4, 0.0, 0.1])
    closing(hand, STOPPED, thing)
    lifted = DOWN.copy()
    lifted[2, 3] += 0.05
    for opening in [0.037, 0.034, 0.031, 0.03, *[0.03] * 8]:
        hand.felt(RobotState(np.zeros(7), opening, lifted), [("cube_1", thing)], asked=0.0)
    assert hand.held == "cube_1", "where it was is not where it is: it went with the hand"


def test_a_thing_that_gives_way_until_the_fingers_meet_is_lost() -> None:
    hand, thing = HandTracker(), cube([0.4, 0.0, 0.1])
    closing(hand, STOPPED, thing)
    for opening in [0.03, 0.02, 0.01, 0.0005, *[0.0005] * 8]:
        hand.felt(RobotState(np.zeros(7), opening, DOWN), [("cube_1", thing)], asked=0.0)
    assert hand.held is None
