"""Distances between two robots: never larger than PyBullet says they are, and right for what is easy to see."""

from __future__ import annotations

import numpy as np
import pytest

from motion.bullet import Bullet
from motion.clearance import NOTHING, Clearance, distances, held, near
from motion.poses import Array, pose, rotation_about
from motion.robot import RobotDescription
from motion.shapes import Shape
from motion.urdf import links_of, written
from tamp.backends import bodies

UP = np.array([0.0, 0.0, 1.0])


def standing(x: float, yaw: float) -> RobotDescription:
    return bodies.find("xarm6").at(pose(np.array([x, 0.0, 0.0]), rotation_about(UP, yaw)))


@pytest.fixture(scope="module")
def robots() -> tuple[RobotDescription, RobotDescription]:
    return standing(-0.45, 0.0), standing(0.45, np.pi)


def capsule(p: list[float], r: list[float], radius: float) -> Array:
    return np.array([[*p, *r, radius]])


@pytest.mark.parametrize(
    ("one", "other", "metres"),
    [
        (capsule([0, 0, 0], [1, 0, 0], 0.1), capsule([0.5, 1, 0], [0.5, 2, 0], 0.1), 0.8),
        (capsule([0, 0, 0], [1, 0, 0], 0.1), capsule([0, 0, 1], [1, 0, 1], 0.2), 0.7),
        (capsule([0, 0, 0], [1, 0, 0], 0.1), capsule([3, 0, 0], [3, 0, 0], 0.0), 1.9),
        (capsule([0, 0, 0], [1, 0, 0], 0.1), capsule([0.5, -1, 0], [0.5, 1, 0], 0.1), -0.2),
    ],
    ids=["crossing", "parallel", "a point", "overlapping"],
)
def test_capsules_are_as_far_apart_as_they_look(one: Array, other: Array, metres: float) -> None:
    assert distances(one, other)[0, 0] == pytest.approx(metres)
    assert distances(other, one)[0, 0] == pytest.approx(metres)
    assert near(one[None], other[None], metres + 0.01) and not near(one[None], other[None], metres - 0.01)


def test_no_distance_is_said_to_be_larger_than_it_is(robots: tuple[RobotDescription, RobotDescription]) -> None:
    between, rng, bullet = Clearance(*robots), np.random.default_rng(0), Bullet()
    loaded = [bullet.load(lambda f, r=r: written("robot", links_of(r, f)), np.eye(4), fixed=True) for r in robots]
    infos = [bullet.getJointInfo(loaded[0], i) for i in range(bullet.getNumJoints(loaded[0]))]
    numbers = {info[1].decode(): info[0] for info in infos}
    off = []
    for _ in range(40):
        q = [r.posture + rng.uniform(-0.7, 0.7, 6) for r in robots]
        for body, robot, one in zip(loaded, robots, q, strict=True):
            for name, value in zip(robot.arm_joints, one, strict=True):
                bullet.resetJointState(body, numbers[name], value)
            for name in robot.finger_joints:
                low, high = infos[numbers[name]][8:10]
                bullet.resetJointState(body, numbers[name], low if abs(low) > abs(high) else high)
        points = bullet.getClosestPoints(loaded[0], loaded[1], 2.0)
        off.append(min(p[8] for p in points) - between.of(q[0], q[1]))
    bullet.close()
    assert min(off) > -2e-3, "never further apart than PyBullet has it"
    assert np.median(off) < 0.03, "and not much nearer"


def test_what_is_held_counts(robots: tuple[RobotDescription, RobotDescription]) -> None:
    between, q = Clearance(*robots), robots[0].posture
    stick, alone = Shape("box", np.array([0.01, 0.01, 0.2]), np.eye(4)), between.of(q, robots[1].posture)
    with_it = []
    for axis in np.eye(3)[:2]:  # level, along and across the fingers' way: one of these points to the other arm
        T_tool_stick = pose(np.zeros(3), rotation_about(axis, np.pi / 2))
        with_it.append(between.of(q, robots[1].posture, (held((stick,), T_tool_stick), None)))
    assert max(with_it) <= alone and min(with_it) < alone - 0.05
    assert between.swept(0, q[None])[0, -1, 6] == NOTHING


def test_bases_that_overlap() -> None:
    assert Clearance(standing(0.0, 0.0), standing(0.05, 0.0)).of_bases() < 0.0
    assert Clearance(standing(0.0, 0.0), standing(0.5, 0.0)).of_bases() == pytest.approx(0.5 - 0.14, abs=0.02)
