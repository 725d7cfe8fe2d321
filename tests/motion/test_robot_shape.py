"""A robot to be drawn: its links are where its kinematics have them, and as large as what collides."""

from __future__ import annotations

import numpy as np
import pytest

from motion.arm_model import XARM_GRIPPER, robot_model
from motion.arms import ARMS
from motion.poses import Array
from motion.robot_parts import Hull
from motion.robot_shape import RobotShape
from motion.shapes import Shape
from motion.world import World

XARM6 = robot_model(ARMS["xarm6"], hand=XARM_GRIPPER, posture=np.array([0.3, -0.4, -1.0, 0.2, 1.3, 0.5]))


def reach(of: Shape | Hull, directions: Array) -> Array:
    """How far (n,) a box or a capsule goes in directions (n, 3), metres."""
    assert isinstance(of, Shape)
    if of.kind == "box":
        return np.asarray((of.corners() @ directions.T).max(axis=0))
    axis, middle = of.T_body_shape[:3, 2], of.T_body_shape[:3, 3]
    return np.asarray(directions @ middle + np.abs(directions @ axis) * of.size[1] + of.size[0])


def test_links_are_where_the_kinematics_have_them() -> None:
    shape, world = RobotShape.of(XARM6), World(XARM6, [])
    world.set_opening(0.05)
    world.forward(XARM6.posture)
    bodies = [world.data.body(name) for name in shape.links]
    frames = shape.part_frames(XARM6.posture, 0.05)
    for body, T in ((body, frames[body.name]) for body in bodies):
        assert T[:3, 3] == pytest.approx(body.xpos, abs=1e-9)
        assert T[:3, :3].ravel() == pytest.approx(body.xmat, abs=1e-9)
    assert world.shoulder() == pytest.approx(shape.shoulder())


def test_solids_are_closed_and_as_large_as_what_collides() -> None:
    shape = RobotShape.of(XARM6)
    parts = {p.name: p for p in shape.parts}
    directions = np.random.default_rng(0).normal(size=(200, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for name, solids in zip(shape.links, shape.solids, strict=True):
        far = np.max([(s.points @ directions.T).max(axis=0) for s in solids], axis=0)
        meant = np.max([reach(of, directions) for of in parts[name].solids.values()], axis=0)
        assert (far < meant + 1e-9).all() and (far > meant - 0.01).all()
        for s in solids:
            assert len(s.points) <= 80
            assert len(s.points) - 3 * len(s.faces) / 2 + len(s.faces) == 2  # Euler: it is closed
            a, b, c = (s.points[s.faces[:, k]] for k in range(3))
            outwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - s.points.mean(axis=0))
            assert (outwards > 0).all()
