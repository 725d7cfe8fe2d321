"""Inverse kinematics: what it answers is right, and it answers where an answer is known to exist."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from motion import kinematics
from motion.poses import Array, error, pose
from motion.shapes import Body
from motion.world import World

REACHABLE = 60
SHARE = 0.95


@pytest.fixture(scope="module")
def world(build: Callable[..., World], table: Body) -> World:
    return build(table)


@pytest.fixture(scope="module")
def answers(world: World) -> list[tuple[Array, Array | None]]:
    """Tool poses of configurations near the posture, and what inverse kinematics makes of them."""
    rng = np.random.default_rng(3)
    low, high = world.limits[:, 0] + 0.01, world.limits[:, 1] - 0.01
    out = []
    for _ in range(REACHABLE):
        q = np.clip(world.robot.posture + rng.uniform(-0.7, 0.7, len(low)), low, high)
        T = world.forward(q)
        out.append((T, kinematics.solve_any(world, T, [world.robot.posture], rng)))
    return out


def test_what_can_be_reached_is_reached(world: World, answers: list[tuple[Array, Array | None]]) -> None:
    right = 0
    for T, q in answers:
        if q is None:
            continue
        e = error(world.forward(q), T)
        assert np.linalg.norm(e[:3]) < 5e-4 and np.linalg.norm(e[3:]) < 5e-3, e
        right += 1
    assert right >= SHARE * REACHABLE, f"{right} of {REACHABLE}"


def test_joints_with_much_inertia_give_way_least(world: World) -> None:
    """Where operational-space control settles: no motion that leaves the tool where it is comes nearer to the posture,
    measured by the arm's inertia (Khatib 1987); measured without it, one would."""
    posture = world.robot.posture
    T = world.forward(posture + np.array([0.3, 0.2, 0.0, 0.3, 0.0, -0.2, 0.0]))
    q = posture
    for i in range(30):  # the iteration ends when the tool is there; from there it goes on
        found = kinematics.solve(world, T @ pose([1e-3, 0.0, 0.0]) if i % 2 else T, q)
        assert found is not None
        q = found
    null = np.linalg.svd(world.jacobian(q)[1])[2][6]
    off, M = q - posture, world.inertia(q)
    by_inertia = abs(null @ M @ off) / np.sqrt((null @ M @ null) * (off @ M @ off))
    by_angle = abs(null @ off) / np.linalg.norm(off)
    assert by_inertia < 0.05 < by_angle
