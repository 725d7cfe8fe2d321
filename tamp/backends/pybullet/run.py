"""One episode in PyBullet: the scene is seen once, built anew there with the robot that is asked for, and all that
follows happens in that other physics.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import goal_regions
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.run import wanted_in
from tamp.backends.libero.tasks import Task
from tamp.backends.pybullet.scenes import robot_of
from tamp.backends.pybullet.table import BulletTable
from tamp.errors import Refusal
from tamp.execution.clock import run_in_real_time, run_paused
from tamp.model.scene import Scene, poses_of
from tamp.perception.predicates import held_in
from tamp.runs.asked import asked_of
from tamp.runs.episode import GoalSource, Result, Settings, begin, noted, robot_at_table, take_up, timed, told
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.events import Events
from tamp.runs.labels import in_pybullet

LASTS = 20
"""Control periods for which what was reached has to last."""
SHIFT = 0.01
"""Metres from which a bystander counts as moved."""


def run(
    task: Task,
    goal_source: GoalSource | None,
    settings: Settings,
    folder: Path,
    say: Callable[[str], None],
    environment: LiberoEnvironment | None = None,
) -> Result:
    """Run one episode into `folder`: see `tamp.backends.libero.run.run`. LIBERO's simulator says what is where at the
    start, and nothing after that: what counts is whether what was asked for holds in PyBullet."""
    result = Result(out=str(folder), perception=in_pybullet(settings.body))
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
            scene = OraclePerceiver(environment, places).perceive()
            table = BulletTable(scene, robot_of(environment, settings.body))
            stack.callback(table.close)
        _episode(environment, table, goal_source, settings, log, result, say, stack)
        log.event("outcome", **result.as_dict())
    return result


def _episode(
    environment: LiberoEnvironment,
    table: BulletTable,
    goal_source: GoalSource | None,
    settings: Settings,
    log: EpisodeLog,
    result: Result,
    say: Callable[[str], None],
    stack: contextlib.ExitStack,
) -> None:
    limit = environment.task.step_limit
    ready = robot_at_table(table, table, table.robot_model, settings, log, say, stack, limit)
    scene, state, _ = ready.table.look()
    noted(scene, state, log)
    try:
        with timed(result, "language"):
            goals = wanted_in(goal_source, environment, scene, state, settings, log)
        session = take_up(ready, goals, result)
    except Refusal as e:
        result.stage, result.reason = "goal", str(e)
        return
    asked = asked_of(goals, table, ready.table.sight, scene)
    ready.table.publish = Events(ready.table.publish, asked.heard)

    def after() -> None:
        asked.sight.felt(table.time, table.observe())

    if settings.clock == "real":
        run_in_real_time(session, table, ready.table.publish, after=after)
    else:
        run_paused(session, table, after=after)
    told(ready.pursuit, session, result)
    result.reached = result.success = asked.reached(ready.table.sight.beliefs)
    for _ in range(LASTS):
        table.stop()
    final, atoms, _ = ready.table.look()
    result.lasting = asked.reached(ready.table.sight.beliefs) and held_in(atoms) is None
    result.seconds["step"] = round(table.stepping_seconds, 3)
    result.shifted = _shifted(scene, final, result)
    log.event("final", atoms=atoms.atoms, poses=poses_of(final))


def _shifted(before: Scene, after: Scene, result: Result) -> list[str]:
    """Items that are elsewhere though no action named them."""
    named = {s for action in result.executed for s in action.strip("()").split()[1:]}
    moved = {o.name: float(np.linalg.norm(after.object(o.name).position - o.position)) for o in before if o.movable}
    return [name for name, distance in moved.items() if distance > SHIFT and name not in named]
