"""One episode of two xArms at a table, through the SDK: what `tamp.backends.xarm.table_run` is for one."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from tamp.backends.arms_file import Arms
from tamp.backends.libero.run import wanted_in
from tamp.backends.libero.tasks import Task
from tamp.backends.physics.start import started
from tamp.backends.xarm.arm_table import ArmTable
from tamp.backends.xarm.arms_table import ArmsTable
from tamp.backends.xarm.claim import claimed
from tamp.backends.xarm.emulated_eyes import EmulatedEyes
from tamp.backends.xarm.faults import ArmFault
from tamp.backends.xarm.stopping import Stop
from tamp.backends.xarm.table_run import ArmAddress, prepared, stopped_by
from tamp.model.scene import Scene
from tamp.runs.at_shared_table import SharedResult, carry_out
from tamp.runs.episode import GoalSource, Settings, begin, timed
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.labels import through_sdk


def run(
    task: Task,
    goal_source: GoalSource | None,
    settings: Settings,
    folder: Path,
    say: Callable[[str], None],
    arms: Arms,
    port: int,
    eyes: tuple[str, int],
    stop: Stop,
) -> SharedResult:
    """Run one episode into `folder`. The emulated arms stand in the task's scene already, and one says at `eyes` what
    is there. Arms work in real time, and what is thought about is thought beside. A fault of one arm stops both,
    and so does `stop`."""
    result = SharedResult(out=str(folder), perception=through_sdk(str(arms)))
    settings = replace(settings, clock="real")
    with EpisodeLog(folder) as log, timed(result, "total"), contextlib.ExitStack() as stack:
        begin(log, task, settings, result.perception, backend="xarm")
        say("building the scene")
        with timed(result, "build"):
            start, environment = stack.enter_context(started(task, settings.seed, settings.init_state, None))
        wanted = partial(wanted_in, goal_source, task, environment, settings=settings, log=log)
        shared = ArmsTable()
        try:
            with contextlib.ExitStack() as connected:
                log.best_effort()
                _connect(shared, arms, port, eyes, start.scene, stop, connected)
                carry_out(shared, arms, wanted, settings, task.step_limit, log, result, say, stack)
        except ArmFault as fault:  # also where an arm does not say in the end that it stands still
            stopped_by(fault, result, [seat.table for seat in shared.seats])
        log.event("outcome", **result.as_dict())
    return result


def _connect(
    shared: ArmsTable,
    arms: Arms,
    port: int,
    eyes: tuple[str, int],
    start: Scene,
    stop: Stop,
    stack: contextlib.ExitStack,
) -> None:
    """Make the arms ready at their table. However it ends, both are told to stand still."""
    for arm, host in arms.addressed():
        stack.enter_context(claimed(host))
        driver = stack.enter_context(prepared(ArmAddress(host, port, eyes), arm.body))
        table = stack.enter_context(closing(ArmTable(driver, arm.robot, stop)))
        shared.add(arm.name, table, stack.enter_context(closing(EmulatedEyes(*eyes, start, table.observe))))
