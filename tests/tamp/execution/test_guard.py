"""The guard: arms that head for each other are held before they are too near, one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from motion.clearance import Clearance
from motion.lookahead import Lookahead
from motion.poses import pose, rotation_about
from motion.world import World
from tamp.backends import bodies
from tamp.execution.following import Command
from tamp.execution.guard import HORIZON, Guard
from tamp.model.scene import RobotState

APART = 0.05


@pytest.fixture(scope="module")
def arms() -> tuple[World, World]:
    body, up = bodies.find("xarm7"), np.array([0.0, 0.0, 1.0])
    ends = (pose(np.array([-0.55, 0.0, 0.0])), pose(np.array([0.55, 0.0, 0.0]), rotation_about(up, np.pi)))
    one, other = (World(body.at(T), []) for T in ends)
    return one, other


def gone(watch: Lookahead, before: RobotState | None, now: RobotState, command: Command) -> RobotState:
    """Where an arm is a control period later, as it answers to commands."""
    q, T = next(iter(watch.predict(before, now, lambda T, k: command.displacement)))
    return RobotState(q, now.opening, T)


def test_arms_that_head_for_each_other_stop_in_time(arms: tuple[World, World]) -> None:
    clearance = Clearance(arms[0].robot, arms[1].robot)
    watches = Lookahead(arms[0], horizon=HORIZON), Lookahead(arms[1], horizon=HORIZON)
    guard, before = Guard(clearance, APART, watches), (None, None)
    robots = tuple(RobotState(w.robot.posture, 0.08, w.forward(w.robot.posture)) for w in arms)
    towards = np.array([0.05, 0, 0, 0, 0, 0]), np.array([-0.05, 0, 0, 0, 0, 0])
    alone = [0, 0]
    for _ in range(60):
        given = (Command(towards[0], 0.08), Command(towards[1], 0.08))
        told = guard.checked((robots[0], robots[1]), given, (None, None), first=0)
        moving = [bool(np.any(c.displacement)) for c in told]
        alone = [n + (m and not o) for n, m, o in zip(alone, moving, reversed(moving), strict=True)]
        after = tuple(gone(*one) for one in zip(watches, before, robots, told, strict=True))
        before, robots = robots, after
    assert APART <= guard.least < APART + 0.06
    assert guard.held[1] > 0 and alone[0] > 0 and alone[0] >= alone[1], "the first one goes on for longer"


def test_arms_far_apart_do_as_they_are_told(arms: tuple[World, World]) -> None:
    clearance = Clearance(arms[0].robot, arms[1].robot)
    guard = Guard(clearance, APART, (Lookahead(arms[0], horizon=HORIZON), Lookahead(arms[1], horizon=HORIZON)))
    one, other = (RobotState(w.robot.posture, 0.08, w.forward(w.robot.posture)) for w in arms)
    given = Command(np.array([-0.01, 0, 0, 0, 0, 0]), 0.08), Command(np.array([0.01, 0, 0, 0, 0, 0]), 0.08)
    assert guard.checked((one, other), given, (None, None), first=0) == given
    assert guard.held == [0, 0]
