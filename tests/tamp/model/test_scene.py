"""Scenes that change: what is moved is where it was put, however often."""

from __future__ import annotations

import numpy as np

from motion.poses import pose, rotation_about
from motion.shapes import Shape
from tamp.model.scene import Part, RobotState, Scene, SceneObject, with_object_at


def test_a_thing_that_is_moved_again_and_again_keeps_its_shape() -> None:
    cube = (Shape("box", np.full(3, 0.02), np.eye(4)),)
    cup = SceneObject("cup", "cup", True, (Part("cup", "body", np.eye(4), cube),))
    scene = Scene((cup,), RobotState(np.zeros(7), 0.08, np.eye(4)))
    for n in range(200):
        T = pose([0.001 * n, 0.0, 0.5], rotation_about(np.array([0.3, 0.5, 0.81]), 0.01 * n))
        scene = with_object_at(scene, "cup", T)
    R = scene.object("cup").T_world_object[:3, :3]
    assert np.allclose(R @ R.T, np.eye(3), atol=1e-12)
    assert np.array_equal(scene.object("cup").T_world_object, T)
