"""Inverse kinematics of the arms: what can be reached is, within limits; lines are followed without jumps."""

from __future__ import annotations

import numpy as np
import pytest

from motion import kinematics
from motion.arm_model import arm_world
from motion.arms import ARMS, Arm
from tests.arm_cases import EACH, bent, configurations


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


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_pose_that_is_no_pose_has_no_solution(bad: float) -> None:
    for arm in ARMS.values():
        world = arm_world(arm)
        T = arm.forward(bent(arm))
        T[0, 3] = bad
        assert kinematics.solve_near(world, T, bent(arm)) is None
        assert kinematics.solve(world, T, bent(arm)) is None
