"""One episode in PyBullet: the scene is seen once, built anew there with the robot that is asked for, and all that
follows happens in that other physics.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import goal_regions
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.run import wanted_in
from tamp.backends.libero.tasks import Task
from tamp.backends.pybullet.scenes import robot_of
from tamp.backends.pybullet.seeing import Seeing
from tamp.backends.pybullet.table import BulletTable
from tamp.runs.at_table import Wanted, carry_out
from tamp.runs.episode import GoalSource, Result, Settings, begin, timed
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.labels import in_pybullet


def run(
    task: Task,
    goal_source: GoalSource | None,
    settings: Settings,
    folder: Path,
    say: Callable[[str], None],
    environment: LiberoEnvironment | None = None,
    seeing: Seeing | None = None,
) -> Result:
    """Run one episode into `folder`: see `tamp.backends.libero.run.run`. LIBERO's simulator says what is where at the
    start, and nothing after that: what counts is whether what was asked for holds in PyBullet. With `seeing` whoever
    acts is shown pictures of that world, drawn as LIBERO's cameras would show it, and told nothing else."""
    label = in_pybullet(settings.body, seeing is not None, settings.said is None)
    result = Result(out=str(folder), perception=label)
    with EpisodeLog(folder) as log, timed(result, "total"), contextlib.ExitStack() as stack:
        begin(log, task, settings, result.perception, backend="pybullet")
        say("building the scene")
        with timed(result, "build"):
            if environment is None:
                environment = LiberoEnvironment(
                    task, seed=settings.seed, init_state=settings.init_state, render=settings.sight
                )
                stack.callback(environment.close)
            places = goal_regions(environment) if goal_source is None and settings.said is None else ()
            scene = OraclePerceiver(environment, places).perceive()
            table = BulletTable(scene, robot_of(environment, settings.body))
            stack.callback(table.close)
        wanted: Wanted = partial(wanted_in, goal_source, environment, settings=settings, log=log)
        if seeing is None:
            carry_out(table, table, table, wanted, settings, task.step_limit, log, result, say, stack)
        else:
            from tamp.backends.pybullet.photographing import Photographer
            from tamp.backends.pybullet.staging import staged

            stage = staged(environment, scene, table.robot_model, settings.body is None)
            photographer = stack.enter_context(contextlib.closing(Photographer(stage)))
            eyes = seeing.eyes(
                table, stage.cameras, lambda: photographer.take(table.world.arrangement()), settings.body, log
            )
            wanted = seeing.wanted(goal_source, environment, scene, settings, log, eyes.shown)
            carry_out(table, eyes, table, wanted, settings, task.step_limit, log, result, say, stack)
        log.event("outcome", **result.as_dict())
    return result
