"""One episode in physics of one's own: the scene is seen once, and built there with the robot that is asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.run import wanted_in
from tamp.backends.libero.tasks import Task
from tamp.backends.physics.engines import world_in
from tamp.backends.physics.start import started
from tamp.backends.physics.table import PhysicsTable
from tamp.runs.at_table import carry_out
from tamp.runs.episode import GoalSource, Result, Settings, begin, timed
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.labels import in_physics


def run(
    engine: str,
    task: Task,
    goal_source: GoalSource | None,
    settings: Settings,
    folder: Path,
    say: Callable[[str], None],
    environment: LiberoEnvironment | None = None,
) -> Result:
    """Run one episode into `folder`: see `tamp.backends.libero.run.run`. LIBERO's simulator, where the scene is one of
    LIBERO's, says what is where at the start, and nothing after that: what counts is whether what was asked for holds
    in the engine's world."""
    result = Result(out=str(folder), perception=in_physics(engine, settings.body))
    with EpisodeLog(folder) as log, timed(result, "total"), contextlib.ExitStack() as stack:
        begin(log, task, settings, result.perception, backend=engine)
        say("building the scene")
        with timed(result, "build"):
            drawn = (settings.seed, settings.init_state, settings.body, environment, settings.sight)
            start, environment = stack.enter_context(started(task, *drawn, places=goal_source is None))
            world = world_in(engine, start)
            stack.callback(world.close)
            table = PhysicsTable(world, start.robot)
        wanted = partial(wanted_in, goal_source, task, environment, settings=settings, log=log)
        carry_out(table, table, wanted, settings, task.step_limit, log, result, say, stack)
        log.event("outcome", **result.as_dict())
    return result
