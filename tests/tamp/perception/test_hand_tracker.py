"""What the hand holds, from the fingers alone."""

from __future__ import annotations

import numpy as np
import pytest

from motion.poses import inverse, pose
from motion.shapes import Shape
from tamp.model.scene import Part, RobotState, SceneObject
from tamp.perception.object_model import ObjectModel, PlacedModel, Skin, field_around
from tamp.perception.tracking import HandTracker

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


def closing(hand: HandTracker, openings: list[float], x: float = 0.4, asked: float | None = None) -> list[str | None]:
    """Feel the fingers at some openings around a cube at `x`, asked to be `asked` apart; what was let go of."""
    thing = cube([x, 0.001, 0.1])
    return [hand.felt(RobotState(np.zeros(7), o, DOWN), [("cube_1", thing)], asked) for o in openings]


STOPPED = [0.08, 0.08, 0.079, 0.07, 0.06, 0.05, 0.0402, 0.0401, 0.04, 0.04, 0.04]


def test_fingers_that_stop_at_a_thing_hold_it_where_it_is_between_them_until_they_open() -> None:
    hand = HandTracker()
    closing(hand, STOPPED, 0.403)
    assert hand.held == "cube_1" and hand.T_tool_held is not None
    T = DOWN @ hand.T_tool_held
    assert T[:3, 3] == pytest.approx([0.4, 0.001, 0.1], abs=0.0015)  # the fingers have pushed it to their middle
    assert inverse(T)[:3, :3] == pytest.approx(np.eye(3))
    assert closing(hand, [0.04, 0.042, 0.05]) == [None, None, "cube_1"] and hand.held is None


@pytest.mark.parametrize(
    ("openings", "x", "asked"),
    [
        ([0.08] * 20, 0.4, None),
        ([0.08, 0.06, 0.04, 0.02, 0.0005, *[0.0004] * 4], 0.4, None),
        (STOPPED, 0.46, None),
        ([0.045] * 10, 0.4, 0.045),
    ],
    ids=["stand open", "close on nothing", "the thing is elsewhere", "are asked for no less"],
)
def test_fingers_hold_nothing(openings: list[float], x: float, asked: float | None) -> None:
    hand = HandTracker()
    closing(hand, openings, x, asked)
    assert hand.held is None


@pytest.mark.parametrize(
    ("openings", "held"),
    [
        ([0.04 - 0.0009 * n for n in range(1, 25)], True),
        ([0.037, 0.034, 0.031, *[0.03] * 9], True),
        ([0.03, 0.02, 0.01, *[0.0005] * 9], False),
        ([0.033], False),
    ],
    ids=["soft", "a rim that turns", "until they meet", "knocked out"],
)
def test_a_thing_that_gives_way_is_held_where_the_fingers_stop_once_more(openings: list[float], held: bool) -> None:
    hand = HandTracker()
    closing(hand, STOPPED)
    closing(hand, openings, asked=0.0)
    assert (hand.held == "cube_1") == held
