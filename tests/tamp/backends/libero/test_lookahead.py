"""The forward model against real physics, and the look-ahead in real episodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motion.lookahead import Lookahead, Veto
from motion.poses import pose
from motion.robot import Response
from tamp.agent.trajectory_tracker import TrajectoryTracker
from tamp.backends.libero import tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.model.atoms import GroundAction
from tamp.model.bodies import world_of
from tamp.model.motions import timed
from tamp.model.situation import Situation
from tamp.pddl.domain_file import load
from tamp.pddl.planner import Plan
from tamp.planning.refinement import Refined, SearchBudget, refine
from tamp.runs.episode import Settings
from tamp.runs.episode_log import read
from tamp.skills.base import Tools
from tamp.skills.registry import bind
from tests.places import in_libero as run

pytestmark = pytest.mark.episode
PERIOD, AHEAD = 0.05, 3


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """A bowl picked from beside others and placed on a plate."""
    folder: Path = tmp_path_factory.mktemp("lookahead") / "episode"
    done = run(tasks.find("libero_spatial/0"), None, Settings(load("tabletop"), init_state=0), folder, lambda _: None)
    assert done.success
    return read(folder / "episode.jsonl")


def test_the_tool_goes_where_the_model_says(events: list[dict[str, Any]]) -> None:
    """Three steps ahead, from positions and the commands that were given."""
    commands = [e for e in events if e["event"] == "command"]
    tool = np.array([c["tool"] for c in commands])
    asked = np.array([c["displacement"] for c in commands])
    off = []
    for i in range(1, len(commands) - AHEAD):
        p, twist = tool[i], np.append(tool[i] - tool[i - 1], np.zeros(3)) / PERIOD
        for k in range(AHEAD):
            moved, twist = Response().after(twist, asked[i + k], PERIOD)
            p = p + moved[:3]
        off.append(float(np.linalg.norm(p - tool[i + AHEAD])))
    assert np.median(off) < 0.003 and np.percentile(off, 90) < 0.012


def test_a_thing_that_appears_in_the_way_stops_the_arm_before_it() -> None:
    """A pick is executed while a box is elsewhere than it was planned with, for the look-ahead alone."""
    environment = LiberoEnvironment(tasks.find("libero_spatial/0"), init_state=0)
    scene, bowl = OraclePerceiver(environment).perceive(), "akita_black_bowl_1"
    hand, target = scene.robot.T_world_tool[:3, 3], scene.object(bowl).position
    world = world_of(scene, environment.robot_model())
    tools, plan = Tools(world, np.random.default_rng(0)), Plan((GroundAction("pick", (bowl, "main_table")),))
    found = refine(plan, Situation(scene), bind(load("tabletop")), tools, SearchBudget.of(world, 60.0))
    assert isinstance(found, Refined)
    moved = {"cookies_1": pose(0.5 * (hand + target + np.array([0.0, 0.0, 0.05])))}
    watch = Lookahead(world, seen=moved, ignore=frozenset({bowl}))
    timeline = timed([found.steps[0].segments], world)
    execution, vetoes = TrajectoryTracker(timeline, environment.observe().opening, watch=watch), list[Veto]()
    while (command := execution.step(robot := environment.observe())) is not None:
        environment.command(*command)
        vetoes += [execution.veto] if execution.veto else []
        assert all(c.distance >= 0 for c in world.contacts(robot.q) if c.other in moved)
    environment.close()
    assert execution.halted and vetoes[0].other == "cookies_1"
