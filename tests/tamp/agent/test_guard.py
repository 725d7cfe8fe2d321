"""The guard: arms that head for each other are held before they are too near, one at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from motion import kinematics
from motion.clearance import Clearance
from motion.lookahead import Lookahead
from motion.poses import Array, displaced, pose, rotation_about
from motion.world import World
from tamp.agent.guard import HORIZON, Guard
from tamp.backends import bodies
from tamp.model.backend import Command
from tamp.model.scene import RobotState

APART = 0.05


@pytest.fixture(scope="module")
def arms() -> tuple[World, World]:
    body, up = bodies.find("xarm7"), np.array([0.0, 0.0, 1.0])
    ends = (pose(np.array([-0.55, 0.0, 0.0])), pose(np.array([0.55, 0.0, 0.0]), rotation_about(up, np.pi)))
    one, other = (World(body.at(T), []) for T in ends)
    return one, other


@dataclass
class Moved:
    """An arm that answers to commands as its description says."""

    world: World
    twist: Array
    now: RobotState

    def go(self, displacement: Array) -> None:
        moved, self.twist = self.world.robot.response.after(self.twist, displacement, 0.05)
        T = displaced(self.now.T_world_tool, moved)
        q = kinematics.solve(self.world, T, self.now.q)
        assert q is not None
        self.now = RobotState(q, self.now.opening, self.world.forward(q))


def resting(world: World) -> Moved:
    q = world.robot.posture
    return Moved(world, np.zeros(6), RobotState(q, 0.08, world.forward(q)))


def test_arms_that_head_for_each_other_stop_in_time(arms: tuple[World, World]) -> None:
    clearance = Clearance(arms[0].robot, arms[1].robot)
    guard = Guard(clearance, APART, (Lookahead(arms[0], horizon=HORIZON), Lookahead(arms[1], horizon=HORIZON)))
    one, other = map(resting, arms)
    towards = np.array([0.05, 0, 0, 0, 0, 0])
    for _ in range(60):
        given = Command(towards, 0.08), Command(-towards, 0.08)
        told = guard.checked((one.now, other.now), given, (None, None), first=0)
        one.go(told[0].displacement)
        other.go(told[1].displacement)
    assert APART <= guard.least < APART + 0.03
    assert guard.held[1] >= guard.held[0] > 0, "never the first one alone"


def test_arms_far_apart_do_as_they_are_told(arms: tuple[World, World]) -> None:
    clearance = Clearance(arms[0].robot, arms[1].robot)
    guard = Guard(clearance, APART, (Lookahead(arms[0], horizon=HORIZON), Lookahead(arms[1], horizon=HORIZON)))
    one, other = (RobotState(w.robot.posture, 0.08, w.forward(w.robot.posture)) for w in arms)
    given = Command(np.array([-0.01, 0, 0, 0, 0, 0]), 0.08), Command(np.array([0.01, 0, 0, 0, 0, 0]), 0.08)
    assert guard.checked((one, other), given, (None, None), first=0) == given
    assert guard.held == [0, 0]
