"""The second check: PyBullet agrees with MuJoCo about what touches, and sees what happens between samples."""

from __future__ import annotations

import numpy as np
import pybullet
import pytest

from motion import arm_ik, arm_paths, paths, second_check
from motion.arm_model import robot_model
from motion.arm_shape import Tool
from motion.arms import ARMS, Arm
from motion.paths import Blocked
from motion.poses import Array, pose, rotation_vector_to_matrix
from motion.robot import Limits
from motion.shapes import Body, Shape
from motion.world import World
from tests.arm_cases import EACH, bent, configurations

MARGIN = 0.001
"""Metres within which the engines may differ about whether something touches: on 12,000 comparisons they did on 9, by
0.3 mm at most."""
APART = 0.002
"""Metres by which they may differ about how far apart two things are: 1.04 mm was the most seen."""
HAND = Tool(Shape("box", np.array([0.03, 0.05, 0.06]), pose([0.0, 0.0, 0.06])), pose([0.0, 0.0, 0.12]))
KINDS = {
    "box": np.array([0.1, 0.06, 0.08]),
    "cylinder": np.array([0.07, 0.1, 0.0]),
    "sphere": np.array([0.09, 0.0, 0.0]),
    "capsule": np.array([0.05, 0.1, 0.0]),
}


def scattered(arm: Arm, seed: int) -> list[Body]:
    """One body of each kind and a few boxes, turned anyhow, about the arm."""
    rng = np.random.default_rng(seed)
    reach = sum(np.abs(arm.d)) + sum(np.abs(arm.a))
    kinds = [*KINDS, "box", "box", "box"]
    return [
        Body(
            f"{kind} {i}",
            (Shape(kind, KINDS[kind], np.eye(4)),),  # type: ignore[arg-type]
            pose(rng.uniform(-0.5, 0.5, 3) * reach + [0, 0, 0.4], rotation_vector_to_matrix(rng.uniform(-2, 2, 3))),
        )
        for i, kind in enumerate(kinds)
    ]


def by_mujoco(world: World, q: Array) -> tuple[float, float]:
    """The nearest distance to the bodies and of the arm to itself, at most the margin of detection."""
    world.contacts(q)
    near = world._near_pairs(0.019)
    return (
        min((c.distance for c in near if c.other in world.bodies), default=0.019),
        min((c.distance for c in near if c.other not in world.bodies), default=0.019),
    )


@pytest.mark.parametrize("tool", [None, HAND], ids=["flange", "tool"])
@EACH
def test_it_agrees_with_mujoco_about_what_touches(arm: Arm, tool: Tool | None) -> None:
    bodies = scattered(arm, seed=1)
    world = World(robot_model(arm, tool), bodies)
    counted, worst = {True: 0, False: 0}, 0.0
    with second_check._scene(arm, tool, bodies) as scene:
        for q in configurations(arm, 300, seed=21):
            scene.move(q)
            for mine, theirs in zip(by_mujoco(world, q), (scene.to_bodies(0.1), scene.to_itself(0.1)), strict=True):
                other = 0.1 if theirs is None else theirs[0]
                if abs(mine) > MARGIN:
                    assert (mine < 0) == (other < 0), (q, mine, theirs)
                if 0 < mine < 0.018:
                    worst = max(worst, abs(other - mine))
                counted[mine < 0] += 1
    assert min(counted.values()) > 50
    assert worst < APART


@EACH
def test_a_motion_through_a_box_is_caught_between_its_samples(arm: Arm) -> None:
    """Two samples, both free, and a thin wall between them."""
    q = bent(arm)
    p = arm.forward(q)[:3, 3]
    wall = Body("wall", (Shape("box", np.array([0.05, 0.003, 0.05]), np.eye(4)),), pose(p))
    turned = [q + np.eye(arm.joints)[0] * angle for angle in (-0.9, 0.9)]
    before = [second_check.nearest(arm, [wall], end, np.zeros(1)).touches() for end in turned]
    assert before == [None, None]
    report = second_check.nearest(arm, [wall], np.array(turned), np.array([2.0, 4.0]))
    met = report.touches()
    assert met is not None and met.other == "wall" and met.distance < 0
    assert met.link.startswith("link") and 2.0 < met.time < 4.0
    assert report.bodies == met and report.looked > 50


def test_an_arm_that_folds_into_itself_is_caught() -> None:
    arm = ARMS["xarm6"]
    q = np.zeros((2, 6))
    q[1, 1] = 1.0
    report = second_check.nearest(arm, [], q, np.array([0.0, 1.0]))
    assert report.bodies is None
    met = report.touches()
    assert met is not None and met == report.itself and "base" in {met.link, met.other}


def test_the_distance_the_link_and_the_time_are_right() -> None:
    """A ball that the tool passes at 3 cm, half-way."""
    arm = ARMS["xarm7"]
    tip = Tool(Shape("sphere", np.array([0.01, 0.0, 0.0]), pose([0.0, 0.0, 0.1])), pose([0.0, 0.0, 0.1]))
    q = np.array([[-0.4, *bent(arm)[1:]], [0.4, *bent(arm)[1:]]])
    T = arm.forward(q.mean(axis=0))
    outward = np.append(T[:2, 3], 0.0) / np.linalg.norm(T[:2, 3])
    centre = (T @ [0.0, 0.0, 0.1, 1.0])[:3]
    ball = Body("ball", (Shape("sphere", np.array([0.02, 0.0, 0.0]), np.eye(4)),), pose(centre + 0.06 * outward))
    report = second_check.nearest(arm, [ball], q, np.array([0.0, 8.0]), tip)
    assert report.bodies is not None
    assert report.bodies.distance <= 0.03 + 1e-3
    assert report.bodies.link in {"tool", "link7"} and report.bodies.other == "ball"
    assert report.touches() is None and report.touches(0.05) == report.bodies
    assert report.looked > 20 and 0 < report.bodies.time < 8


@EACH
def test_what_was_planned_with_a_clearance_is_free(arm: Arm) -> None:
    s = {"850": 1.4, "lite6": 0.7}.get(arm.name, 1.0)
    half = s * np.array([0.15, 0.02, 0.17])
    wall = Body("wall", (Shape("box", half, np.eye(4)),), pose(s * np.array([0.4, 0.0, 0.17])))
    table = Body("table", (Shape("plane", np.array([2.0, 2.0, 0.1]), np.eye(4)),), pose([0.0, 0.0, -0.005]))
    cell = arm_paths.cell(arm, [wall, table])
    check = paths.checker(cell.world, 0.01)
    start, goal = (arm_ik.solve(arm, T, np.zeros(arm.joints)) for T in tools(s))
    assert start is not None and goal is not None
    path = arm_paths.joint_move(cell, start, goal, check, seed=0)
    assert not isinstance(path, Blocked), path
    timed = arm_paths.timed(cell, path, Limits(), paths.checker(cell.world, 0.01 - arm_paths.SWING))
    assert not isinstance(timed, Blocked), timed
    report = second_check.nearest(arm, [wall, table], timed.q, timed.times)
    assert report.touches() is None
    assert report.bodies is not None and 0.007 < report.bodies.distance < second_check.FAR
    through = np.linspace(start, goal, 10)
    met = second_check.nearest(arm, [wall, table], through, np.linspace(0, 1, 10)).touches()
    assert met is not None and met.other == "wall"


def tools(s: float) -> list[Array]:
    """The flange straight down on either side of the wall."""
    out = []
    for y in (-0.2, 0.2):
        yaw = np.arctan2(y, 0.4)
        facing = rotation_vector_to_matrix(np.array([0.0, 0.0, yaw]))
        out.append(pose(s * np.array([0.4, y, 0.2]), facing @ np.diag([1.0, -1.0, -1.0])))
    return out


def test_what_is_no_motion_is_refused() -> None:
    arm = ARMS["lite6"]
    for q, times in (
        (np.zeros((2, 7)), np.zeros(2)),
        (np.zeros((2, 6)), np.zeros(3)),
        (np.full((1, 6), np.nan), np.zeros(1)),
    ):
        with pytest.raises(ValueError, match="lite6"):
            second_check.nearest(arm, [], q, times)


def test_no_client_is_left_behind() -> None:
    arm = ARMS["lite6"]
    with pytest.raises(ValueError, match="cannot be a plane"):
        second_check.nearest(
            arm, [], np.zeros(6), np.zeros(1), Tool(Shape("plane", np.ones(3), np.eye(4)), np.eye(4))
        )
    second_check.nearest(arm, scattered(arm, 0), np.zeros(6), np.zeros(1))
    assert [c for c in range(64) if pybullet.isConnected(c)] == []
