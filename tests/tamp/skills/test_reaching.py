"""What is out of the arm's reach is told to come nearer, or to go farther: it is within reach then."""

from __future__ import annotations

import re

import numpy as np
import pytest

from motion.poses import pose
from motion.robot import RobotDescription
from motion.shapes import Shape
from motion.world import World
from tamp.backends.libero.panda import panda
from tamp.model.bodies import world_of
from tamp.model.scene import Part, RobotState, Scene, SceneObject
from tamp.model.situation import Situation
from tamp.skills.base import Refinement, Tools
from tamp.skills.pick import Pick


@pytest.fixture(scope="module")
def robot() -> RobotDescription:
    return panda()


def beside_the_base(robot: RobotDescription, far: float) -> tuple[Situation, Tools]:
    """A small box `far` metres before the axis of the first joint, 20 cm below the shoulder."""
    bare = World(robot, [])
    at = bare.base_position() + np.array([far, 0.0, -0.2])
    part = Part("box", "body", pose(at), (Shape("box", np.array([0.02, 0.02, 0.03]), np.eye(4)),))
    state = RobotState(np.array(robot.posture), 0.08, bare.forward(robot.posture))
    scene = Scene((SceneObject("box", "box", True, (part,)),), state)
    return Situation(scene, None), Tools(world_of(scene, robot), np.random.default_rng(0))


@pytest.mark.parametrize(("far", "where"), [(0.16, "farther from"), (1.1, "nearer to")])
def test_it_says_which_way_and_there_it_is_picked(robot: RobotDescription, far: float, where: str) -> None:
    told = Pick().advice(("box", "table"), *beside_the_base(robot, far)) or ""
    found = re.fullmatch(rf"box would be within reach about (\d+) cm {where} the robot", told)
    assert found, told
    moved = int(found[1]) / 100
    there = beside_the_base(robot, far + moved if where == "farther from" else far - moved)
    assert any(isinstance(s, Refinement) for s in Pick().refine(("box", "table"), *there))
