"""An episode at a table outside LIBERO: whoever knows all says whether what was asked for holds, once it is over."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Protocol

import numpy as np

from motion.robot import RobotDescription
from tamp.backends.backend import Backend
from tamp.errors import Refusal
from tamp.execution.clock import run_in_real_time, run_paused
from tamp.model.goal import Goal
from tamp.model.scene import Perceiver, Scene, poses_of
from tamp.model.state import WorldState
from tamp.perception.predicates import held_in
from tamp.runs.asked import asked_of
from tamp.runs.episode import Result, Settings, noted, robot_at_table, take_up, timed, told
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.events import Events

LASTS = 20
"""Control periods for which what was reached has to last."""
SHIFT = 0.01
"""Metres from which a bystander counts as moved."""

Wanted = Callable[[Scene, WorldState], tuple[Goal, ...]]
"""What is wanted of a scene. Refusal where that cannot be said of it."""


class Table(Backend, Protocol):
    """A robot at a table. `stepping_seconds` are those that its world or its controller took."""

    robot_model: RobotDescription
    stepping_seconds: float


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
    result.shifted = _shifted(scene, final, result)
    log.event("final", atoms=atoms.atoms, poses=poses_of(final))


def _shifted(before: Scene, after: Scene, result: Result) -> list[str]:
    """Items that are elsewhere though no action named them."""
    named = {s for action in result.executed for s in action.strip("()").split()[1:]}
    moved = {o.name: float(np.linalg.norm(after.object(o.name).position - o.position)) for o in before if o.movable}
    return [name for name, distance in moved.items() if distance > SHIFT and name not in named]
