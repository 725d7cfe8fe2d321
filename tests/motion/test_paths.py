"""Paths: straight where asked, round what is in the way, and a named reason where there is none."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from motion import kinematics, paths
from motion.paths import Blocked
from motion.poses import Array, error, pose
from motion.shapes import Body, Shape
from motion.world import Contact, World

AHEAD = np.array([0.05, 0.0, 1.1])
"""Where these tests are about, in metres; the tool points straight down."""
ASIDE = np.array([0.0, 0.12, 0.0])
"""From the middle of the wall to either side."""
NEAR = np.array([-0.12, 0.0, 1.1])
"""Well within reach all round."""
DOWN = np.diag([1.0, -1.0, -1.0])
CLEARANCE = 0.005


def box(name: str, half: list[float], centre: list[float]) -> Body:
    return Body(name, (Shape("box", np.array(half), np.eye(4)),), pose(centre))


@pytest.fixture(scope="module")
def world(build: Callable[..., World], table: Body) -> World:
    return build(table, box("wall", [0.12, 0.01, 0.14], [0.05, 0.0, 1.04]), box("lump", [0.05] * 3, [0.05, 0.3, 0.95]))


@pytest.fixture(scope="module")
def bare(build: Callable[..., World], table: Body) -> World:
    return build(table)


def configuration(world: World, T: Array) -> Array:
    q = kinematics.solve(world, T, world.robot.posture)
    assert q is not None
    return q


def resampled(path: Array, times: int) -> Array:
    """The polyline with `times` as many configurations."""
    parts = [a + (b - a) * s for a, b in itertools.pairwise(path) for s in np.linspace(0, 1, times + 1)[1:]]
    return np.array([path[0], *parts])


@pytest.mark.parametrize("seed", range(8))
def test_a_straight_line_is_straight(bare: World, seed: int) -> None:
    rng = np.random.default_rng(seed)
    T_start, T_goal = (pose(NEAR + rng.uniform(-0.15, 0.15, 3), DOWN) for _ in range(2))
    path = paths.straight(bare, configuration(bare, T_start), T_goal, None)
    assert not isinstance(path, Blocked)
    points = np.array([bare.forward(q)[:3, 3] for q in resampled(path, 6)])
    start, way = points[0], T_goal[:3, 3] - points[0]
    along = way / np.linalg.norm(way)
    off = (points - start) - np.outer((points - start) @ along, along)
    assert np.linalg.norm(off, axis=1).max() < 1e-3
    assert np.linalg.norm(error(bare.forward(path[-1]), T_goal)[:3]) < 5e-4


def test_a_wall_is_gone_round(world: World) -> None:
    q = configuration(world, pose(AHEAD - ASIDE, DOWN))
    T_goal = pose(AHEAD + ASIDE, DOWN)
    assert paths.straight(world, q, T_goal, paths.checker(world)) == Blocked("collision", "wall")
    path = paths.transit(world, q, T_goal, paths.checker(world, CLEARANCE), np.random.default_rng(0))
    assert not isinstance(path, Blocked)
    assert np.array_equal(path[0], q)
    e = error(world.forward(path[-1]), T_goal)
    assert np.linalg.norm(e[:3]) < 5e-4 and np.linalg.norm(e[3:]) < 5e-3
    touched = [c for way in resampled(path, 4) for c in world.contacts(way)]
    assert touched == []


def test_what_stands_between_two_waypoints_is_seen(build: Callable[..., World], table: Body) -> None:
    """A post that both waypoints are clear of, in the middle of what the hand sweeps."""
    q = configuration(build(table), pose(NEAR, DOWN))
    turn = np.eye(7)[0] * 0.4
    world = build(table, box("post", [0.005, 0.005, 0.1], [*build(table).forward(q + turn / 2)[:2, 3], 1.1]))
    T_goal = world.forward(q + turn)
    assert world.contacts(q) == world.contacts(q + turn) == []
    assert paths.along(world, q, [T_goal], paths.checker(world)) == Blocked("collision", "post")
    looked: list[Array] = []

    def free(at: Array) -> list[Contact]:
        looked.append(at)
        return []

    path = paths.along(world, q, [T_goal], free)
    assert not isinstance(path, Blocked)
    assert np.abs(np.diff([q, *looked], axis=0)).max() <= paths.JOINT_STEP + 1e-9


@pytest.mark.parametrize("aside", [-1.0, 0.0, 1.0])
def test_an_arm_that_was_pushed_against_a_limit_gets_out_of_there(bare: World, aside: float) -> None:
    q = np.array([0.0, 1.37, 0.22, bare.limits[3, 1] + 1e-5, 0.16, 1.77, -1.64])
    T_goal = pose(NEAR + aside * ASIDE, DOWN)
    path = paths.transit(bare, q, T_goal, paths.checker(bare), np.random.default_rng(0))
    assert not isinstance(path, Blocked), path
    assert np.abs(path[0] - q).max() < 1e-3 and np.abs(np.diff(path, axis=0)).max() < bare.robot.tracking.jump
    assert np.linalg.norm(error(bare.forward(path[-1]), T_goal)[:3]) < 1e-3
