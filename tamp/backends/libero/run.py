"""One LIBERO episode from a task to a verdict, the same for `tamp solve` and `tamp bench`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tamp.backends.libero.disturbing import Disturber, disturbed
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.goals import goal_regions, is_the_tasks, task_goal
from tamp.backends.libero.judge import Asked, Judge
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.libero.tasks import Task
from tamp.backends.libero.video import Recorder
from tamp.errors import InputError, Refusal, TampError
from tamp.execution.clock import Clock, run_in_real_time, run_paused
from tamp.execution.performing import AtTable, at_table, in_turn
from tamp.execution.questions import Decide
from tamp.execution.session import Session
from tamp.execution.tabletop import REFLEXES
from tamp.model.domain import Domain
from tamp.model.goal import Goal, in_pddl
from tamp.model.scene import Perceiver, Scene, poses_of
from tamp.model.state import WorldState
from tamp.perception.relative_places import PlacesBeside, places
from tamp.perception.sight import Sight
from tamp.perception.written_goals import goals_in
from tamp.planning.beside import Beside, Recipe
from tamp.planning.engine import Engine, Planner
from tamp.planning.search import Journal
from tamp.runs.episode_log import SCHEMA, EpisodeLog
from tamp.runs.events import ActionBegun, Event, Events
from tamp.runs.spoken import spoken
from tamp.runs.versions import versions

GoalSource = Callable[[Scene, WorldState, Domain, EpisodeLog, bytes | None], tuple[Goal, ...]]
"""Where goals come from, to be reached one after the other: language, an option, or the task. The bytes are a PNG of
the agent view, if asked for."""


@dataclass(frozen=True)
class Settings:
    """What an episode is run with. `sight`: the goal source is shown the agent view; `overlay`: what cameras saw is
    drawn on the video; `clock`: whether the world waits while the robot thinks, or goes on, and what it thinks for
    counts as steps (the engine only, not a model's plans).
    """

    domain: Domain
    planner: Planner = field(default_factory=Engine)
    seed: int = 0
    init_state: int | None = None
    video: bool = False
    sight: bool = False
    clock: Clock = "paused"
    overlay: bool = False
    reflexes: frozenset[str] = frozenset(REFLEXES)
    """See `tamp.execution.tabletop`."""
    advises: Callable[[Journal], Decide] | None = None
    """Makes who is asked what to do where nothing else helps; what he says is kept in the journal."""
    calibration: Path | None = None
    """What `tamp calibrate` wrote of the cameras."""
    disturb: str | None = None
    """A kind of disturbance: see `tamp.backends.libero.disturbing`."""
    said: str | None = None
    """The words that the goals come from, for the log; None where there are none."""


@dataclass
class Result:
    """What an episode came to. Nobody who plans is told.

    `reached`: what was asked for holds in the end, by an oracle of the formula on the simulator's side; goals one after
    the other each at its time. `libero` is LIBERO's `check_success()` of the scene's own task alone, after any control
    step within the step limit, as LIBERO's own evaluation has it. `task` is the same where that task is what was asked
    for, else None, as in every scene that is declared without BDDL, of which LIBERO knows no task. `success` is `task`,
    or `reached` where that is None.

    `lasting`: it also says so after standing still at the end, with the hand empty. `seconds` by stage. `stage` and
    `reason` say why the goal is not seen to hold, which may be so although LIBERO's own check is content.
    `steps` are the control steps up to the last release, `total_steps` all that the actions took. `touched` has the
    steps in which something was touched that the action was not about, `shifted` the items that were moved so;
    `disturbed` says what somebody did on purpose, None where nothing was done; `verdicts` how often eyes were `right`
    about what became of an action, took it for `done` that was not, or for `undone`. `goal`
    is a list for a sequence of goals, `untouched` what was to be left alone; `alternatives` are those taken of goals
    with `or`.
    """

    success: bool = False
    reached: bool = False
    task: bool | None = None
    libero: bool = False
    goal: str | list[str] | None = None
    untouched: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)
    executed: list[str] = field(default_factory=list)
    steps: int = 0
    total_steps: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    stage: str | None = None
    reason: str | None = None
    lasting: bool = False
    touched: dict[str, int] = field(default_factory=dict)
    shifted: list[str] = field(default_factory=list)
    perception: str = "oracle"
    disturbed: dict[str, Any] | None = None
    verdicts: dict[str, int] = field(default_factory=dict)
    out: str = ""

    @property
    def good(self) -> bool:
        """Whether it came out as was asked for, and was seen to."""
        return self.success and (self.task is None or self.stage is None)

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return asdict(self)


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
            recorder = None
            if settings.video:
                recorder = stack.enter_context(contextlib.closing(Recorder(environment, folder / "video.mp4")))
            _episode(environment, recorder, goal_source, settings, log, result, say, stack)
        log.event("outcome", **result.as_dict())
    return result


def begin(log: EpisodeLog, task: Task, settings: Settings, perception: str) -> None:
    """Say in the log what is run, and with what."""
    log.write("domain.pddl", settings.domain.text)
    log.event(
        "start",
        schema=SCHEMA,
        task=task.name,
        instruction=settings.said,
        scene_instruction=task.instruction,
        seed=settings.seed,
        init_state=settings.init_state,
        planner=settings.planner.name,
        perception=perception,
        versions=versions(),
    )


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
    somebody = stack.enter_context(disturbed(environment, settings.disturb, settings.seed, settings.init_state))
    perceiver = OraclePerceiver(environment, goal_regions(environment) if goal_source is None else ())
    ready = _at_table(environment, perceiver, settings, log, say, stack)
    ready.table.reflexes = settings.reflexes
    ready.table.advise = None if settings.advises is None else settings.advises(log)
    scene, state, _ = ready.table.look()
    log.event("scene", objects={o.name: o.category for o in scene}, symbols=state.symbols, poses=poses_of(scene))
    log.event("state", atoms=state.atoms)
    try:
        with timed(result, "language"):
            goals = wanted_in(goal_source, environment, scene, state, settings, log)
        session = Session(ready, ready.table.publish, ends_when_idle=True)
        session.pursue(*goals)
    except Refusal as e:
        result.stage, result.reason = "goal", str(e)
        return
    result.goal, result.untouched = in_pddl(goals), list(dict.fromkeys(s for g in goals for s in g.untouched))
    start = ready.table.look()[0]
    libero = environment.task.declared is None
    own = libero and (goal_source is None or is_the_tasks(goals, environment, state.atoms))
    judge = Judge(environment, start, asked_of(goals, environment, perceiver, ready.table.sight, start), recorder)
    ready.table.publish = Events(ready.table.publish, judge.asked.heard)

    if somebody is not None:
        ready.table.publish = Events(ready.table.publish, partial(_disturbs, somebody))

    def after() -> None:
        judge.after_step(_operands(ready))

    if settings.clock == "real":
        run_in_real_time(session, environment, ready.table.publish, after=after)
    else:
        run_paused(session, environment, after=after)
    result.disturbed = somebody.told if somebody else None
    _conclude(ready, judge, state, log, result)
    judged(result, own)
    if (failed := session.failed) is not None and result.stage is None:
        result.stage, result.reason = "execution", failed.waits_for


def judged(result: Result, own: bool) -> None:
    """Say what counts: LIBERO's check where its task is what was asked for, which is `own`, else the goal's oracle."""
    result.task = result.libero if own else None
    result.success = result.reached if result.task is None else result.task
    result.lasting = result.lasting if own else result.reached
    if own and result.stage is None and not result.libero:
        result.stage, result.reason = "checker", "the goal is seen to hold, LIBERO's check of the scene's task says no"


def asked_of(
    goals: tuple[Goal, ...], environment: LiberoEnvironment, eyes: Perceiver, sight: Sight, start: Scene
) -> Asked:
    """What judges whether goals hold, with the places beside things that they name as these are at the start."""
    beside = places([a for g in goals for a in g.mentioned], start)
    seeing = PlacesBeside(eyes, beside) if beside else eyes
    asked = Asked(goals, seeing, Sight(sight.domain, sight.observers, sight.world))
    asked.sight.state(start)
    return asked


def _at_table(
    environment: LiberoEnvironment,
    perceiver: Perceiver,
    settings: Settings,
    log: EpisodeLog,
    say: Callable[[str], None],
    stack: contextlib.ExitStack,
) -> AtTable:
    """The robot of an environment, with a mind that thinks while the world waits, or beside it."""
    robot = environment.robot_model()

    def beside(*_: Any) -> Beside:
        made = Beside(Recipe(str(settings.domain.path), settings.planner, settings.seed), log)
        stack.callback(made.close)
        made.prepare(robot, perceiver.perceive()).wait()
        return made

    rng = np.random.default_rng(settings.seed)
    think = in_turn(settings.domain, settings.planner, rng, log) if settings.clock == "paused" else beside
    return at_table(
        environment,
        perceiver,
        robot,
        settings.domain,
        think,
        Events(log.take, spoken(say)),
        environment.task.step_limit,
    )


def _operands(ready: AtTable) -> tuple[str, ...]:
    doing = ready.table.doing
    return doing.operands if doing else ()


def _disturbs(somebody: Disturber, event: Event) -> None:
    somebody.heard(event, tuple(event.action.strip("()").split()[1:]) if isinstance(event, ActionBegun) else ())


def _conclude(ready: AtTable, judge: Judge, state: WorldState, log: EpisodeLog, result: Result) -> None:
    """What the episode came to, once it has stood still for a while at the end."""
    environment, pursuit = judge.environment, ready.pursuit
    assert pursuit is not None
    outcome = pursuit.outcome
    result.seconds["step"] = round(environment.stepping_seconds, 3)
    result.steps, result.total_steps = outcome.steps, pursuit.steps
    result.plan = [str(a) for a in outcome.plan.actions] if outcome.plan else []
    result.executed = [str(a) for a in outcome.executed]
    result.seconds |= {k: round(v, 3) for k, v in outcome.seconds.items()}
    if judge.asked.seconds:
        result.seconds["judge"] = round(judge.asked.seconds, 3)
    result.stage, result.reason, result.alternatives = outcome.stage, outcome.reason, outcome.alternatives
    result.touched = dict(judge.monitor.touched.most_common())
    judge.hold()
    result.libero = judge.success
    result.reached = judge.asked.reached(ready.table.sight.beliefs)
    final, atoms, situation = ready.table.look()
    result.lasting = environment.check_success() and situation.held is None
    operands = tuple(a for action in outcome.executed for a in action.args)
    result.shifted = judge.monitor.shifted(state, final, operands)
    log.event("final", atoms=atoms.atoms, poses=poses_of(final))


def wanted_in(
    source: GoalSource | None,
    environment: LiberoEnvironment,
    scene: Scene,
    state: WorldState,
    settings: Settings,
    log: EpisodeLog,
) -> tuple[Goal, ...]:
    """The goals that a source gives, or the task's own. Refusal where there are none, which is logged."""
    if source is None and environment.task.declared is None:
        return (task_goal(environment, scene),)
    try:
        if source is None:
            goals = _declared_goals(environment.task, scene, state, settings.domain)
        else:
            goals = source(scene, state, settings.domain, log, environment.picture() if settings.sight else None)
        for goal in goals:
            goal.rules(settings.domain, state)
        return goals
    except TampError as e:
        log.event("refused", message=str(e))
        raise


def _declared_goals(task: Task, scene: Scene, state: WorldState, domain: Domain) -> tuple[Goal, ...]:
    """The goal that a scene file has; InputError where it has none."""
    if task.goal is None:
        raise InputError(f"{task.name} has no goal: LIBERO knows no task in a scene that is declared")
    return goals_in(scene, state, domain, [task.goal])


@contextlib.contextmanager
def timed(result: Result, name: str) -> Iterator[None]:
    """Put the seconds that what is inside takes into the result."""
    start = time.perf_counter()
    try:
        yield
    finally:
        result.seconds[name] = round(time.perf_counter() - start, 3)
