"""One episode of an xArm at a table, through the SDK: plans, skills and repair are those of every other robot."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tamp.backends import bodies
from tamp.backends.bodies import RobotBody
from tamp.backends.libero.run import wanted_in
from tamp.backends.libero.tasks import Task
from tamp.backends.physics.seeing import Seeing
from tamp.backends.physics.start import Start, started
from tamp.backends.xarm.arm_table import ArmTable
from tamp.backends.xarm.claim import claimed
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.emulated_cameras import EmulatedCameras
from tamp.backends.xarm.emulated_eyes import EmulatedEyes
from tamp.backends.xarm.faults import ArmFault
from tamp.backends.xarm.stopping import Stop
from tamp.backends.xarm.verdict import STANDS
from tamp.backends.xarm.workcell import Load
from tamp.model.scene import Perceiver
from tamp.runs.episode import GoalSource, Result, Settings, begin, timed
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.episode_runner import Wanted, carry_out
from tamp.runs.labels import through_sdk


@dataclass(frozen=True)
class ArmAddress:
    """Where an arm is, and where its emulator says what is around it."""

    host: str
    port: int
    eyes: tuple[str, int]


def run(
    task: Task,
    goal_source: GoalSource | None,
    settings: Settings,
    folder: Path,
    say: Callable[[str], None],
    at: ArmAddress,
    stop: Stop,
    seeing: Seeing | None = None,
) -> Result:
    """Run one episode into `folder`: see `tamp.backends.libero.run.run`. The emulated arm `at` an address stands in the
    task's scene already; what counts is whether what was asked for holds in its world. An arm that stops is a result
    with the stage `execution`, one that is stopped with `stopped`. With `seeing` whoever acts is shown the emulator's
    pictures, and told nothing else."""
    assert settings.body is not None
    result = Result(out=str(folder), perception=through_sdk(settings.body, seeing is not None, settings.said is None))
    with EpisodeLog(folder) as log, timed(result, "total"), contextlib.ExitStack() as stack:
        begin(log, task, settings, result.perception, backend="xarm")
        say("building the scene")
        with timed(result, "build"):
            drawn = (settings.seed, settings.init_state, settings.body)
            start, environment = stack.enter_context(started(task, *drawn))
        wanted: Wanted = partial(wanted_in, goal_source, task, environment, settings=settings, log=log)
        table: ArmTable | None = None
        try:
            with contextlib.ExitStack() as driven:
                log.best_effort()
                table, judge = at_table(at, settings.body, start, driven, stop)
                eyes: Perceiver = judge
                if seeing is not None:
                    shown = driven.enter_context(closing(EmulatedCameras(*at.eyes)))
                    eyes = sees = seeing.eyes(table, shown.cameras, shown.take, settings.body, log)
                    wanted = seeing.wanted(goal_source, task, environment, start.scene, settings, log, sees.shown)
                carry_out(table, eyes, judge, wanted, settings, task.step_limit, log, result, say, stack)
        except ArmFault as fault:  # also where the arm does not say in the end that it stands still
            _stopped(fault, result, table)
        log.event("outcome", **result.as_dict())
    return result


def _stopped(fault: ArmFault, result: Result, table: ArmTable | None) -> None:
    """Note in a result what stopped the arm, and whether it stands still."""
    standing = STANDS[None if table is None else bool(table.stands)]
    result.success = False
    result.stage, result.reason = "stopped" if fault.kind == "stopped" else "execution", f"{fault}; {standing}"


def at_table(
    at: ArmAddress, body: str, start: Start, opened: contextlib.ExitStack, stop: Stop | None = None
) -> tuple[ArmTable, EmulatedEyes]:
    """The arm in the scene that it stands in, which nobody else drives until `opened` is closed, and who knows where
    everything is there. ArmFault where it does not answer, is driven already, or is not at its posture."""
    opened.enter_context(claimed(at.host))
    driver = opened.enter_context(prepared(at, bodies.find(body)))
    table = opened.enter_context(closing(ArmTable(driver, start.robot, stop)))
    return table, opened.enter_context(closing(EmulatedEyes(*at.eyes, start.scene, table.observe)))


@contextlib.contextmanager
def prepared(at: ArmAddress, body: RobotBody) -> Iterator[Driver]:
    """The arm, connected and ready with its hand."""
    arm, hand = body.for_sdk()
    with closing(Driver.connect(at.host, arm, at.port)) as driver:
        driver.prepare(hand.T_flange_tool, Load(hand.mass, hand.T_flange_tool[:3, 3] / 2))
        yield driver
