"""Trajectories: limits that hold when differentiated, ends that are the path's, and clamped reading."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from motion import paths, timing
from motion.paths import Blocked
from motion.poses import Array, pose
from motion.robot import Limits
from motion.shapes import Body
from motion.world import World

FINE = 0.004
"""Seconds between the samples that are differentiated."""
SLACK = 1.02


@pytest.fixture(scope="module")
def world(build: Callable[..., World], table: Body) -> World:
    return build(table)


def line(world: World) -> Array:
    T = world.forward(world.robot.posture) @ pose([0.08, 0.05, 0.15])
    path = paths.straight(world, world.robot.posture, T, None)
    assert not isinstance(path, Blocked)
    return path


def over(world: World) -> Array:
    """Up, across and down: two corners."""
    T = world.forward(world.robot.posture)
    legs, q = [np.array([world.robot.posture])], world.robot.posture
    for step in ([0.0, 0.0, 0.08], [0.0, 0.2, 0.0], [0.0, 0.0, -0.15]):
        T = pose(T[:3, 3] + step, T[:3, :3])
        leg = paths.straight(world, q, T, None)
        assert not isinstance(leg, Blocked)
        legs.append(leg[1:])
        q = leg[-1]
    return np.concatenate(legs)


def swing(world: World) -> Array:
    """A long joint motion in a few far waypoints."""
    q = world.robot.posture
    turns = np.array([[0.0] * 7, [0.8, 0.2, -0.3, 0.2, 0.4, 0.3, -0.8], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5]])
    return paths.densify(q + turns)


PATHS = {"line": line, "over": over, "swing": swing}


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("factor", [1.0, 0.4])
def test_limits_hold(world: World, name: str, factor: float) -> None:
    limits = Limits().scaled(factor)
    trajectory = timing.parameterise(world, PATHS[name](world), limits, period=FINE)
    dt = np.diff(trajectory.times)[0]
    velocity = np.diff(trajectory.q, axis=0) / dt
    acceleration = np.diff(trajectory.q, 2, axis=0) / dt**2
    tool = np.diff(trajectory.T_world_tool[:, :3, 3], axis=0) / dt
    assert np.abs(velocity).max() <= SLACK * limits.joint_velocity
    assert np.abs(acceleration).max() <= SLACK * limits.joint_acceleration
    assert np.abs(tool).max() <= SLACK * limits.tool_velocity
    assert np.abs(np.diff(tool, axis=0)).max() / dt <= SLACK * limits.tool_acceleration
    tight = np.abs(velocity).max() / limits.joint_velocity, np.abs(tool).max() / limits.tool_velocity
    assert max(tight) > 0.9, f"slower than it must be: {tight}"


@pytest.mark.parametrize("name", PATHS)
def test_it_keeps_to_the_path(world: World, name: str) -> None:
    """What was checked for collisions is what is executed: no configuration is far from the polyline."""
    path = PATHS[name](world)
    trajectory = timing.parameterise(world, path, Limits())
    assert max(off(path, q) for q in trajectory.q) < 0.02


def off(path: Array, q: Array) -> float:
    """Distance (largest joint, rad) from `q` to the polyline."""
    a, d = path[:-1], np.diff(path, axis=0)
    s = np.clip(((q - a) * d).sum(axis=1) / np.maximum((d * d).sum(axis=1), 1e-12), 0.0, 1.0)
    return float(np.abs(q - (a + s[:, None] * d)).max(axis=1).min())
