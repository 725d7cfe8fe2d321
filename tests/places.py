"""Episodes at the places where tests and benches run them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tamp.agent.searching import Reads
from tamp.backends.libero.cameras import Noise, no_noise
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.scene_description import Task
from tamp.model.scene import Perceiver
from tamp.runs.episode import GoalSource, Result, Settings
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.episode_runner import EpisodeSetup, EpisodeWorld, perform, run_episode
from tamp.runs.policy.remote import PolicyProcess
from tamp.runs.policy_world import InLiberoByPolicy
from tamp.runs.table_worlds import Cameras, InPhysics
from tamp.runs.worlds import InLibero

Say = Callable[[str], None]


def in_libero(
    task: Task,
    source: GoalSource | None,
    settings: Settings,
    folder: Path,
    say: Say,
    environment: LiberoEnvironment | None = None,
) -> Result:
    """An episode in LIBERO's simulator, whose state is perceived."""
    return run_episode(InLibero(environment), task, source, settings, folder, say)


def in_physics(
    engine: str,
    task: Task,
    source: GoalSource | None,
    settings: Settings,
    folder: Path,
    say: Say,
    environment: LiberoEnvironment | None = None,
    cameras: Cameras | None = None,
) -> Result:
    """An episode in another simulator."""
    return run_episode(InPhysics(engine, environment, cameras), task, source, settings, folder, say)


def by_policy(
    task: Task,
    source: GoalSource | None,
    settings: Settings,
    process: PolicyProcess,
    folder: Path,
    say: Say,
    environment: LiberoEnvironment | None = None,
    noise: Noise = no_noise,
    perception: str = "camera",
) -> Result:
    """An episode of a policy that is given images."""
    place = InLiberoByPolicy(process, perception, noise, environment)
    return run_episode(place, task, source, settings, folder, say)


def at_table(
    table: Any, perceiver: Perceiver, truth: Perceiver, wanted: Reads, settings: Settings, log: EpisodeLog
) -> Result:
    """An episode of 400 control steps with a robot that is there, a scene's task apart."""
    result: Result = Result()
    task: Any = None
    episode = EpisodeSetup(task, None, settings, log, lambda line: None)
    seconds = lambda: {"step": table.stepping_seconds}  # noqa: E731
    world = EpisodeWorld(table, table.robot_model, perceiver, truth, wanted, 400, seconds)
    with contextlib.ExitStack() as opened:
        perform(world, episode, result, opened)
    return result
