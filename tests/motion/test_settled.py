"""What turns between the fingers, and what does not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motion.placements import settled
from motion.poses import error, pose, rotation_about
from motion.shapes import Body, Shape
from motion.world import State, World

HALF = np.array([0.002, 0.03, 0.04])
"""A board, 4 mm thick across the fingers."""


@pytest.fixture(scope="module")
def world(build: Callable[..., World]) -> World:
    return build(Body("board", (Shape("box", HALF, np.eye(4)),), pose([0.8, 0.0, 0.5])))


def holding(world: World, angle: float, off: float = 0.0) -> State:
    """The board in the hand, turned by `angle` about the axis across the approach, `off` metres along the fingers."""
    T_tool_item = pose([0.0, 0.0, off], rotation_about(np.array([0.0, 1.0, 0.0]), angle))
    poses = {name: body.T_world_body for name, body in world.bodies.items()}
    return State(world.robot.posture, world.robot.gripper.opening, poses, "board", T_tool_item)


@given(angle=st.floats(-0.3, 0.3), off=st.floats(-0.02, 0.02))
def test_a_board_that_is_gripped_askew_turns_until_it_lies_flat_between_the_pads(
    world: World, angle: float, off: float
) -> None:
    T, opening = settled(world, holding(world, angle, off), 0.03)
    left = float(error(np.eye(4), T)[4])
    if abs(angle) > np.radians(4.0):
        assert abs(left) < np.radians(1.5)
        assert opening == pytest.approx(2 * HALF[0], abs=2e-3)
    else:
        assert abs(left) <= abs(angle) + 1e-6, "never further askew"
