"""Inverse kinematics of the arms: what can be reached is, within limits; lines are followed without jumps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from motion import kinematics
from motion.arm_model import arm_world
from motion.arms import ARMS, TURN, Arm
from motion.poses import pose
from tests.arm_cases import EACH, bent, configurations


@EACH
def test_the_jacobian_is_the_derivative_of_the_pose(arm: Arm) -> None:
    world = arm_world(arm)
    h = 1e-6
    for q in configurations(arm, 20, seed=1):
        J = world.jacobian(q)[1]
        for i, dq in enumerate(h * np.eye(arm.joints)):
            before, after = arm.forward(q - dq), arm.forward(q + dq)
            turned = Rotation.from_matrix(after[:3, :3] @ before[:3, :3].T).as_rotvec()
            assert np.allclose(J[:, i], np.concatenate([after[:3, 3] - before[:3, 3], turned]) / (2 * h), atol=1e-7)


@EACH
def test_what_can_be_reached_is_found_within_limits(arm: Arm) -> None:
    world = arm_world(arm)
    starts = configurations(arm, 300, seed=2)
    missed = 0
    for q, start in zip(configurations(arm, 300, seed=3), starts, strict=True):
        found = kinematics.solve_near(world, arm.forward(q), start)
        if found is None:
            missed += 1
            continue
        assert arm.within(found)
        assert np.abs(arm.forward(found) - arm.forward(q)).max() < 1e-6
    assert missed <= 1


def test_an_arm_of_five_joints_cannot_tilt_sideways() -> None:
    arm = ARMS["xarm5"]
    world = arm_world(arm)
    T = arm.forward(bent(arm))
    tilted = T @ pose([0.0, 0.0, 0.0], Rotation.from_rotvec([0.3, 0.2, 0.0]).as_matrix())
    sideways = pose(T[:3, 3], Rotation.from_rotvec(0.2 * T[:3, 3] / np.linalg.norm(T[:3, 3])).as_matrix() @ T[:3, :3])
    assert kinematics.solve_near(world, T, bent(arm)) is not None
    assert kinematics.solve_near(world, sideways, bent(arm)) is None
    assert kinematics.solve_near(world, tilted, bent(arm)) is None


@EACH
def test_a_solution_is_not_a_whole_turn_away(arm: Arm) -> None:
    world = arm_world(arm)
    free = np.subtract(arm.upper, arm.lower) >= TURN
    for q in configurations(arm, 50, seed=4):
        other = q + np.where(free, np.where(q > 0, -TURN, TURN), 0.0)  # the same pose
        found = kinematics.solve_near(world, arm.forward(q), other)
        assert found is not None
        assert np.all(np.abs(found - other)[free] <= TURN / 2 + 1e-6) or not arm.within(
            found - TURN * np.round((found - other) / TURN)
        )
        assert np.abs(kinematics.solve_near(world, arm.forward(q), q) - q).max() < 1e-6


@EACH
def test_tracking_never_makes_a_turn(arm: Arm) -> None:
    """At its limit a joint that turns fully must not come round from the other side."""
    world = arm_world(arm)
    q = bent(arm)
    q[-1] = arm.upper[-1] - 0.01
    T = arm.forward(q + np.eye(arm.joints)[-1] * 0.05)
    found = kinematics.solve(world, T, q)
    assert found is None or np.abs(found - q).max() < 1.0
    solved = kinematics.solve_near(world, T, q)
    assert solved is not None and arm.within(solved)


def test_a_redundant_arm_that_comes_back_is_where_it_was() -> None:
    arm = ARMS["xarm7"]
    world = arm_world(arm)
    q = start = bent(arm)
    T = arm.forward(start)
    circle = [pose([0.1 * np.cos(a) - 0.1, 0.1 * np.sin(a), 0.0]) for a in np.linspace(0, TURN, 40)]
    for offset in circle:
        following = kinematics.solve(world, T @ offset, q)
        assert following is not None
        q = following
    assert np.abs(q - start).max() < 0.3


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_pose_that_is_no_pose_has_no_solution(bad: float) -> None:
    for arm in ARMS.values():
        world = arm_world(arm)
        T = arm.forward(bent(arm))
        T[0, 3] = bad
        assert kinematics.solve_near(world, T, bent(arm)) is None
        assert kinematics.solve(world, T, bent(arm)) is None
