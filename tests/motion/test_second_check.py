"""The second check: PyBullet agrees with MuJoCo about what touches, and sees what happens between samples."""

from __future__ import annotations

import numpy as np
import pytest

from motion import second_check
from motion.arm_model import robot_model
from motion.arms import Arm
from motion.poses import Array, pose, rotation_vector_to_matrix
from motion.robot import RobotDescription
from motion.shapes import Body, Shape
from motion.world import State, World
from tamp.backends.bodies import find
from tests.arm_cases import EACH, bent

MARGIN = 0.001
"""Metres within which the engines may differ about whether something touches: on 12,000 comparisons they did on 9, by
0.3 mm at most."""
APART = 0.002
"""Metres by which they may differ about how far apart two things are: 1.04 mm was the most seen."""
KINDS = {
    "box": np.array([0.1, 0.06, 0.08]),
    "cylinder": np.array([0.07, 0.1, 0.0]),
    "sphere": np.array([0.09, 0.0, 0.0]),
    "capsule": np.array([0.05, 0.1, 0.0]),
}


def scattered(reach: float, seed: int, middle: Array | None = None) -> list[Body]:
    """One body of each kind and a few boxes, turned anyhow, about a point (3,) over an arm's base at the origin."""
    rng = np.random.default_rng(seed)
    middle = np.array([0.0, 0.0, 0.4]) if middle is None else middle
    kinds = [*KINDS, "box", "box", "box"]
    return [
        Body(
            f"{kind} {i}",
            (Shape(kind, KINDS[kind], np.eye(4)),),  # type: ignore[arg-type]
            pose(rng.uniform(-0.5, 0.5, 3) * reach + middle, rotation_vector_to_matrix(rng.uniform(-2, 2, 3))),
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


def worst_apart(world: World, samples: Array, opening: float | None = None) -> float:
    """How far apart in metres the engines' distances are at most, where both see something near, at random
    configurations (k, n). That they agree about what touches is asserted."""
    counted, worst = {True: 0, False: 0}, 0.0
    with second_check.second_engine(world.robot, world.bodies.values(), opening) as engine:
        for q in samples:
            engine.move(q)
            for mine, theirs in zip(by_mujoco(world, q), (engine.to_bodies(0.1), engine.to_itself(0.1)), strict=True):
                other = 0.1 if theirs is None else theirs.distance
                if abs(mine) > MARGIN:
                    assert (mine < 0) == (other < 0), (q, mine, theirs)
                if 0 < mine < 0.018:
                    worst = max(worst, abs(other - mine))
                counted[mine < 0] += 1
    assert min(counted.values()) > 50
    return worst


@pytest.mark.parametrize("name", ["panda", "xarm6", "xarm7"])
def test_it_agrees_about_bodies_with_fingers_wherever_they_stand(name: str, robot: RobotDescription) -> None:
    """LIBERO's Panda is made of meshes, whose hulls are a millimetre thicker in PyBullet: that is within the margin."""
    turned = pose([0.3, 0.2, 0.5], rotation_vector_to_matrix(np.array([0.0, 0.0, 0.7])))
    body = robot if name == "panda" else find(name).at(turned)
    base = World(body, []).base_position()
    world = World(body, scattered(1.2, seed=1, middle=base + np.array([0.0, 0.0, 0.2])))
    world.set_opening(0.03)
    samples = np.random.default_rng(5).uniform(*world.limits.T, (600, len(body.arm_joints)))
    assert worst_apart(world, samples, 0.03) < APART


def test_what_is_held_goes_with_the_tool() -> None:
    """A rod in the hand touches a ball that the hand alone passes; as an obstacle of the scene it is gone."""
    robot = find("xarm7").at(np.eye(4))
    q = robot.posture
    T_tool_held = pose([0.0, 0.0, 0.1])
    T_world_tool = World(robot, []).forward(q)
    rod = Body("rod", (Shape("cylinder", np.array([0.01, 0.12, 0.0]), np.eye(4)),), pose([9.0, 9.0, 9.0]))
    below = T_world_tool @ pose([0.0, 0.0, 0.23])
    ball = Body("ball", (Shape("sphere", np.array([0.02, 0.0, 0.0]), np.eye(4)),), below)
    swing = np.linspace(-0.5, 0.5, 3)[:, None] * np.eye(7)[0] + q
    world = World(robot, [rod, ball])
    world.load(State(q, 0.03, {"ball": ball.T_world_body}, "rod", T_tool_held))
    (theirs,) = world.contacts(q)
    held = second_check.Held(rod, T_tool_held)
    met = second_check.nearest(robot, [rod, ball], swing, np.arange(3.0), 0.03, held).touches()
    assert met is not None and (met.link, met.other) == (theirs.robot, theirs.other) == ("rod", "ball")
    assert met.distance == pytest.approx(theirs.distance, abs=APART) and met.time == pytest.approx(1.0, abs=0.1)
    assert second_check.nearest(robot, [ball], swing, np.arange(3.0), 0.03).touches() is None


@EACH
def test_a_motion_through_a_box_is_caught_between_its_samples(arm: Arm) -> None:
    """Two samples, both free, and a thin wall between them."""
    q, robot = bent(arm), robot_model(arm)
    p = arm.forward(q)[:3, 3]
    wall = Body("wall", (Shape("box", np.array([0.05, 0.003, 0.05]), np.eye(4)),), pose(p))
    turned = [q + np.eye(arm.joints)[0] * angle for angle in (-0.9, 0.9)]
    before = [second_check.nearest(robot, [wall], end, np.zeros(1)).touches() for end in turned]
    assert before == [None, None]
    report = second_check.nearest(robot, [wall], np.array(turned), np.array([2.0, 4.0]))
    met = report.touches()
    assert met is not None and met.other == "wall" and met.distance < 0
    assert met.link.startswith("link") and 2.0 < met.time < 4.0
    assert report.bodies == met
