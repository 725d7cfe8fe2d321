"""An episode at a table outside LIBERO: whoever knows all says whether what was asked for holds, once it is over."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Protocol

from motion.robot import RobotDescription
from tamp.backends.backend import Backend
from tamp.errors import Refusal
from tamp.execution.clock import run_in_real_time, run_paused
from tamp.model.goal import Goal
from tamp.model.scene import Perceiver, Scene, poses_of
from tamp.model.state import WorldState
from tamp.perception.predicates import held_in
from tamp.runs.asked import asked_of
from tamp.runs.bystanders import operands_of, shifted
from tamp.runs.episode import Result, Settings, noted, robot_at_table, take_up, timed, told
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.events import Events

LASTS = 20
"""Control periods for which what was reached has to last."""

Wanted = Callable[[Scene, WorldState], tuple[Goal, ...]]
"""What is wanted of a scene. Refusal where that cannot be said of it."""


class Table(Backend, Protocol):
    """A robot at a table. `stepping_seconds` are those that its world or its controller took."""

    robot_model: RobotDescription

    @property
    def stepping_seconds(self) -> float:
        """Seconds so far."""
        ...


def carry_out(
    table: Table,
    eyes: Perceiver,
    wanted: Wanted,
    settings: Settings,
    step_limit: int,
    log: EpisodeLog,
    result: Result,
    say: Callable[[str], None],
    stack: contextlib.ExitStack,
) -> None:
    """See, take up what is wanted, work towards it to the end, and put into the result what came of it. `eyes` know
    all: they judge, too."""
    ready = robot_at_table(table, eyes, table.robot_model, settings, log, say, stack, step_limit)
    scene, state, _ = ready.table.look()
    noted(scene, state, log)
    try:
        with timed(result, "language"):
            goals = wanted(scene, state)
        session = take_up(ready, goals, result)
    except Refusal as e:
        result.stage, result.reason = "goal", str(e)
        return
    asked = asked_of(goals, eyes, ready.table.sight, scene)
    ready.table.publish = Events(ready.table.publish, asked.heard)

    def after() -> None:
        asked.sight.felt(table.time, table.observe())

    try:
        if settings.clock == "real":
            run_in_real_time(session, table, ready.table.publish, after=after)
        else:
            run_paused(session, table, after=after)
    finally:
        told(ready.pursuit, session, result)
    result.reached = result.success = asked.reached(ready.table.sight.beliefs)
    for _ in range(LASTS):
        table.stop()
    final, atoms, _ = ready.table.look()
    result.lasting = asked.reached(ready.table.sight.beliefs) and held_in(atoms) is None
    result.seconds["step"] = round(table.stepping_seconds, 3)
    result.shifted = shifted(scene, state, final, operands_of(result.executed))
    log.event("final", atoms=atoms.atoms, poses=poses_of(final))
