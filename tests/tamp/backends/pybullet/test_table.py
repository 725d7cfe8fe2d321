"""A scene in PyBullet is the scene that was seen, with forces."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from motion.poses import error
from tamp.backends.libero import tasks
from tamp.backends.physics.start import start_of
from tamp.backends.physics.table import PhysicsTable
from tamp.backends.pybullet.bullet_world import BulletWorld
from tamp.model.scene import Scene

pytestmark = pytest.mark.episode

RESTS = 0.004
"""Metres that anything may settle by: shapes that just touch are pushed apart."""


@pytest.fixture(scope="module", params=[None, "xarm7"], ids=["its-own-robot", "xarm7"])
def started(request: pytest.FixtureRequest) -> Iterator[tuple[Scene, PhysicsTable]]:
    start = start_of(tasks.find("libero_goal/3"), 0, 0, request.param)
    scene, robot = start.scene, start.robot
    table = PhysicsTable(BulletWorld(scene, robot), robot)
    yield scene, table
    table.world.close()


def test_everything_stays_where_it_was_seen(started: tuple[Scene, PhysicsTable]) -> None:
    scene, table = started
    now = table.perceive()
    for o in scene:
        assert np.linalg.norm(now.object(o.name).position - o.position) < RESTS, o.name
        for part in o.parts:
            if part.joint is not None:
                there = now.object(o.name).part(part.name).joint
                assert there is not None and there.value == pytest.approx(part.joint.value, abs=1e-3)


def test_the_tool_goes_where_it_is_told(started: tuple[Scene, PhysicsTable]) -> None:
    _, table = started
    T_goal = table.observe().T_world_tool.copy()
    T_goal[:3, 3] += [0.0, 0.05, 0.04]
    for _ in range(40):
        table.command(error(table.observe().T_world_tool, T_goal), 0.03)
    assert np.abs(error(table.observe().T_world_tool, T_goal)).max() < 2e-3
    assert table.observe().opening == pytest.approx(0.03, abs=2e-3)


def test_what_somebody_lifts_falls(started: tuple[Scene, PhysicsTable]) -> None:
    _, table = started
    T = table.perceive().object("cream_cheese_1").T_world_object.copy()
    height = T[2, 3]
    T[2, 3] += 0.1
    table.put("cream_cheese_1", T)
    assert table.perceive().object("cream_cheese_1").position[2] == pytest.approx(height + 0.1, abs=1e-6)
    for _ in range(20):
        table.stop()
    assert table.perceive().object("cream_cheese_1").position[2] == pytest.approx(height, abs=RESTS)
