"""One LIBERO episode from a task to a verdict, the same for `tamp solve` and `tamp bench`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tamp.agent.clock import run_in_real_time, run_paused
from tamp.agent.tabletop_agent import AtTable
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import goal_regions, is_the_tasks, task_goal
from tamp.backends.libero.judge import Judge
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.perturbation_schedule import PerturbationSchedule, perturbed
from tamp.backends.libero.tasks import Task
from tamp.backends.libero.video import recorder_of
from tamp.backends.physics.picturing import pictured
from tamp.errors import InputError, Refusal, TampError
from tamp.model.domain import Domain
from tamp.model.events import ActionBegun, Event, Events
from tamp.model.goal import Goal
from tamp.model.scene import Scene, joints_of, poses_of
from tamp.model.state import WorldState
from tamp.perception.written_goals import goals_in
from tamp.runs.episode import GoalSource, Result, Settings, begin, noted, robot_at_table, take_up, timed, told
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.goal_oracle import asked_of
from tamp.runs.recorder import Recorder
from tamp.runs.side_effects import operands_of, shifted


def run(
    task: Task,
    goal_source: GoalSource | None,
    settings: Settings,
    folder: Path,
    say: Callable[[str], None],
    environment: LiberoEnvironment | None = None,
) -> Result:
    """Run one episode into `folder`. With no goal source the task's own goal is taken.

    `environment` is one of the same task that was just reset to the same seed and initial state; without it
    one is built, and closed at the end. Refusals become results with a stage and a reason; bad input raises
    InputError.
    """
    result = Result(out=str(folder))
    with EpisodeLog(folder) as log, timed(result, "total"):
        begin(log, task, settings, result.perception)
        say("building the scene")
        with contextlib.ExitStack() as stack:
            if environment is None:
                with timed(result, "build"):
                    drawn = settings.video or settings.sight
                    environment = LiberoEnvironment(
                        task, seed=settings.seed, init_state=settings.init_state, render=drawn
                    )
                stack.callback(environment.close)
            stack.enter_context(pictured(environment, folder, say, settings.view))
            recorder = None
            if settings.video:
                recorder = stack.enter_context(contextlib.closing(recorder_of(environment, folder / "video.mp4")))
            _episode(environment, recorder, goal_source, settings, log, result, say, stack)
        log.event("outcome", **result.as_dict())
    return result


def _episode(
    environment: LiberoEnvironment,
    recorder: Recorder | None,
    goal_source: GoalSource | None,
    settings: Settings,
    log: EpisodeLog,
    result: Result,
    say: Callable[[str], None],
    stack: contextlib.ExitStack,
) -> None:
    somebody = stack.enter_context(perturbed(environment, settings.disturb, settings.seed, settings.init_state))
    perceiver = OraclePerceiver(environment, goal_regions(environment) if goal_source is None else ())
    robot, limit = environment.robot_model(), environment.task.step_limit
    ready = robot_at_table(environment, perceiver, robot, settings, log, say, stack, limit)
    scene, state, _ = ready.table.look()
    noted(scene, state, log)
    try:
        with timed(result, "language"):
            goals = wanted_in(goal_source, environment.task, environment, scene, state, settings, log)
        session = take_up(ready, goals, result)
    except Refusal as e:
        result.stage, result.reason = "goal", str(e)
        return
    start = ready.table.look()[0]
    own = environment.task.is_checked and (goal_source is None or is_the_tasks(goals, environment, state.atoms))
    judge = Judge(environment, start, asked_of(goals, perceiver, ready.table.sight, start), recorder)
    ready.table.publish = Events(ready.table.publish, judge.asked.heard)

    if somebody is not None:
        ready.table.publish = Events(ready.table.publish, partial(_disturbs, somebody))

    def after() -> None:
        judge.after_step(_operands(ready))

    if settings.clock == "real":
        run_in_real_time(session, environment, ready.table.publish, after=after)
    else:
        run_paused(session, environment, after=after)
    result.disturbed = somebody.record if somebody else None
    told(ready.pursuit, session, result)
    _conclude(ready, judge, state, log, result)
    judged(result, own)


def judged(result: Result, own: bool) -> None:
    """Say what counts: LIBERO's check where its task is what was asked for, which is `own`, else the goal's oracle."""
    result.task = result.libero if own else None
    result.success = result.reached if result.task is None else result.task
    result.lasting = result.lasting if own else result.reached
    if own and result.stage is None and not result.libero:
        result.stage, result.reason = "checker", "the goal is seen to hold, LIBERO's check of the scene's task says no"


def _operands(ready: AtTable) -> tuple[str, ...]:
    doing = ready.table.doing
    return doing.operands if doing else ()


def _disturbs(somebody: PerturbationSchedule, event: Event) -> None:
    somebody.on_event(event, tuple(event.action.strip("()").split()[1:]) if isinstance(event, ActionBegun) else ())


def _conclude(ready: AtTable, judge: Judge, state: WorldState, log: EpisodeLog, result: Result) -> None:
    """What the episode came to, once it has stood still for a while at the end."""
    environment = judge.environment
    result.seconds["step"] = round(environment.stepping_seconds, 3)
    if judge.asked.seconds:
        result.seconds["judge"] = round(judge.asked.seconds, 3)
    result.touched = dict(judge.monitor.touched.most_common())
    judge.hold()
    result.libero = judge.success
    result.reached = judge.asked.reached(ready.table.sight.beliefs)
    final, atoms, situation = ready.table.look()
    result.lasting = environment.check_success() and situation.held is None
    result.shifted = shifted(judge.scene, state, final, operands_of(result.executed))
    log.event("final", atoms=atoms.atoms, poses=poses_of(final), joints=joints_of(final))


def wanted_in(
    source: GoalSource | None,
    task: Task,
    environment: LiberoEnvironment | None,
    scene: Scene,
    state: WorldState,
    settings: Settings,
    log: EpisodeLog,
) -> tuple[Goal, ...]:
    """The goals that a source gives, or the task's own. Refusal where there are none, which is logged. Without an
    environment nothing is LIBERO's, and there is no picture."""
    if source is None and environment is not None and task.is_checked:
        return (task_goal(environment, scene),)
    try:
        if source is None:
            goals = _declared_goals(task, scene, state, settings.domain)
        else:
            picture = environment.picture() if environment is not None and settings.sight else None
            goals = source(scene, state, settings.domain, log, picture)
        for goal in goals:
            goal.rules(settings.domain, state)
        return goals
    except TampError as e:
        log.event("refused", message=str(e))
        raise


def _declared_goals(task: Task, scene: Scene, state: WorldState, domain: Domain) -> tuple[Goal, ...]:
    """The goal that a scene file has; InputError where it has none."""
    if task.goal is None:
        raise InputError(task.unchecked)
    return goals_in(scene, state, domain, [task.goal])
