"""One episode of two arms at a table in PyBullet: what `tamp.backends.pybullet.run` is for one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tamp.backends.arms_file import Arms
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import goal_regions
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.run import wanted_in
from tamp.backends.libero.tasks import Task
from tamp.backends.pybullet.table import SharedTable
from tamp.runs.at_shared_table import SharedResult, carry_out
from tamp.runs.episode import GoalSource, Settings, begin, timed
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.labels import in_pybullet


def run(
    task: Task,
    goal_source: GoalSource | None,
    settings: Settings,
    folder: Path,
    say: Callable[[str], None],
    arms: Arms,
    environment: LiberoEnvironment | None = None,
) -> SharedResult:
    """Run one episode into `folder`, with the arms of a file in place of the scene's own robot."""
    result = SharedResult(out=str(folder), perception=in_pybullet(arms))
    with EpisodeLog(folder) as log, timed(result, "total"), contextlib.ExitStack() as stack:
        begin(log, task, settings, result.perception, backend="pybullet")
        say("building the scene")
        with timed(result, "build"):
            if environment is None:
                environment = LiberoEnvironment(
                    task, seed=settings.seed, init_state=settings.init_state, render=settings.sight
                )
                stack.callback(environment.close)
            places = goal_regions(environment) if goal_source is None else ()
            shared = SharedTable(OraclePerceiver(environment, places).perceive(), *arms.robots)
            stack.callback(shared.close)
        wanted = partial(wanted_in, goal_source, environment, settings=settings, log=log)
        carry_out(shared, arms, wanted, settings, task.step_limit, log, result, say, stack)
        log.event("outcome", **result.as_dict())
    return result
