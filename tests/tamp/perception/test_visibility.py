"""Views that a camera in the hand may take, and what no picture has shown yet."""

from __future__ import annotations

import numpy as np
import pytest

from motion.poses import Array, pose, rotation_about
from tamp.model.images import Image, pinhole
from tamp.perception.looks import Look
from tamp.perception.segmentation import Ground
from tamp.perception.visibility import HandEye, Unseen, views

DOWN = np.array([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
EYE = HandEye(pose([0.05, 0.0, -0.1], rotation_about(np.array([0.0, 0.0, 1.0]), 0.3)), np.array([0.7, 0.7]))
T_HAND = pose([0.4, 0.0, 0.5], DOWN)
SPOT = np.array([0.5, 0.1, 0.0])
PATCH = SPOT + np.array([[x, y, 0.0] for x in (-0.03, 0.0, 0.03) for y in (-0.03, 0.0, 0.03)])


def everything(p: Array, points: Array) -> Array:
    return np.ones(len(points), dtype=bool)


def test_a_view_has_what_it_shows_in_its_picture() -> None:
    found = list(views(PATCH, np.ones(len(PATCH)), EYE, T_HAND, everything))
    assert found[0].share == pytest.approx(1.0) and found[0].worth == max(v.worth for v in found)
    for v in found[:20]:
        T_world_camera = v.T_world_tool @ EYE.T_tool_camera
        assert np.array_equal(EYE.pictured(T_world_camera, PATCH), v.shown)
        away = SPOT - T_world_camera[:3, 3]
        assert away @ T_world_camera[:3, 2] == pytest.approx(np.linalg.norm(away)), "it looks at the middle"


def from_above(height: float = 1.0, hidden: float = 0.0) -> Look:
    """A picture of level ground at 0, from straight above (0.5, 0): left of the middle something is `hidden` metres
    above it."""
    depth = np.full((60, 60), height)
    depth[:, :30] -= hidden
    T = pose([0.5, 0.0, height], np.array([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]))
    K = pinhole(60, 60, 0.8)
    return Look.of(Image("c", np.zeros((60, 60, 3), dtype=np.uint8), depth, K, T), np.zeros((60, 60), dtype=bool))


def test_places_stay_seen() -> None:
    from tamp.model.scene import RobotState, Scene

    scene = Scene((), RobotState(np.zeros(7), 0.0, np.eye(4)))
    ground = Ground(0.0, np.array([0.0, -1.0]), np.array([1.0, 1.0]), 0.0)
    unseen = Unseen.of(ground, np.zeros(3))
    before = len(unseen.hidden(scene))
    unseen.saw([from_above(hidden=0.3)])
    half = len(unseen.hidden(scene))
    unseen.saw([from_above()])
    whole = len(unseen.hidden(scene))
    assert before > half > whole > 0
    unseen.saw([from_above(hidden=0.3)])
    assert len(unseen.hidden(scene)) == whole
