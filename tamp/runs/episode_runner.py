"""Run one episode, in whatever world: perceive, take up what is wanted, act until it is over, and evaluate."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import Field, asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from motion.robot import RobotDescription
from tamp.agent.agent import Agent, AgentOutcome
from tamp.agent.control_loop import Ticked, run
from tamp.backends.libero.scene_description import Task
from tamp.backends.xarm.arm_stop import STANDS, ArmFault
from tamp.errors import InputError, Refusal
from tamp.model.backend import Backend
from tamp.model.events import Events
from tamp.model.goal import Goal, goals_in
from tamp.model.scene import Perceiver, Scene, record_of
from tamp.model.state import WorldState
from tamp.runs.episode import GoalSource, Result, Settings, begin, noted, robot_at_table, timed
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.evaluator import Evaluator
from tamp.runs.spoken import spoken

if TYPE_CHECKING:
    from tamp.agent.searching import ObjectSearch, Reads
    from tamp.agent.tabletop import Tabletop
    from tamp.backends.libero.perturbation_schedule import PerturbationSchedule
    from tamp.runs.task_check import TaskCheck

STILL = 20
"""Control periods of standing still after which what was reached still has to hold."""


@dataclass(frozen=True, eq=False)
class EpisodeSetup:
    """One episode, as whatever opens a world for it and acts in it has to know it. With no `source` of goals the task's
    own goal is taken."""

    task: Task
    source: GoalSource | None
    settings: Settings
    log: EpisodeLog
    say: Callable[[str], None]


@dataclass(frozen=True, eq=False)
class EpisodeWorld:
    """A world that is open for an episode. The agent perceives with `perceiver` alone, which is None where it perceives
    in another process; `truth` has ground truth, and may be the same. `wanted` gives goals: of words in what the agent
    sees, else in the names of ground truth."""

    backend: Backend
    robot: RobotDescription
    perceiver: Perceiver | None
    truth: Perceiver
    wanted: Reads
    step_limit: int
    seconds: Callable[[], dict[str, float]]
    """What the world's own parts have taken so far, by stage."""
    check: Callable[[Scene], TaskCheck | None] = lambda start: None
    perturber: PerturbationSchedule | None = None
    make_agent: Callable[[Evaluator, Events], Acting] | None = None
    """Makes what acts, in place of an agent that takes up what is wanted."""
    conclude: Callable[[Result], None] | None = None
    """Says what it came to, of a session that reports its events itself; else the evaluator does."""


class Acting(Ticked, Protocol):
    """What acts in an episode: an `Agent`, or a policy in another process."""

    @property
    def outcome(self) -> AgentOutcome:
        """What it came to, by its own perception."""
        ...


class EpisodePlace(Protocol):
    """Where episodes run: LIBERO's simulator, another one, or an arm (`tamp.runs.worlds`)."""

    @property
    def backend(self) -> str:
        """Its name."""
        ...

    def label(self, settings: Settings) -> str:
        """How results say what perceives, and where."""
        ...

    def open(self, episode: EpisodeSetup, folder: Path, opened: contextlib.ExitStack) -> EpisodeWorld:
        """A world for an episode, as long as `opened` lasts."""
        ...


class _Dataclass(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


ResultT = TypeVar("ResultT", bound=_Dataclass)


def conduct(folder: Path, act: Callable[[EpisodeLog], ResultT]) -> ResultT:
    """Open the log of an episode in a folder, act, and end the log with the result, a dataclass. InputError where the
    folder holds an episode already, or cannot be written."""
    with EpisodeLog(folder) as log:
        result = act(log)
        log.event("outcome", **asdict(result))
    return result


def run_episode(
    place: EpisodePlace,
    task: Task,
    source: GoalSource | None,
    settings: Settings,
    folder: Path,
    say: Callable[[str], None],
) -> Result:
    """Run one episode at a place into `folder`. With no goal source the task's own goal is taken.

    Refusals become results with a stage and a reason, and so does an arm that stops: `execution`, or `stopped` where it
    was stopped. Bad input raises InputError.
    """
    result = Result(out=str(folder), perception=place.label(settings))

    def act(log: EpisodeLog) -> Result:
        begin(log, task, settings, result.perception, place.backend)
        say("building the scene")
        world: EpisodeWorld | None = None
        try:
            with timed(result, "total"), contextlib.ExitStack() as opened:
                episode = EpisodeSetup(task, source, settings, log, say)
                with timed(result, "build"):
                    world = place.open(episode, folder, opened)
                perform(world, episode, result, opened)
        except ArmFault as fault:  # also where the arm does not say in the end that it stands still
            result.success = False
            result.stage = "stopped" if fault.kind == "stopped" else "execution"
            stands = None if world is None else bool(getattr(world.backend, "stands", False))
            result.reason = f"{fault}; {STANDS[stands]}"
        return result

    return conduct(folder, act)


def perform(world: EpisodeWorld, episode: EpisodeSetup, result: Result, opened: contextlib.ExitStack) -> None:
    """Act in a world that is open until what acts is over, and put what came of it into the result."""
    same = world.perceiver is world.truth
    evaluator = Evaluator.of(world.truth, world.robot, episode.settings.domain, episode.log, same)
    evaluator.check = world.check(evaluator.start)
    perturber = world.perturber
    lines = [spoken(episode.say)] if world.conclude is None else []
    publish = Events(episode.log.take, *lines, evaluator.heard)
    if perturber is not None:
        publish.subscribe(lambda event: perturber.on_event(event, evaluator.operands))
    if world.make_agent is not None:
        acting: Acting = world.make_agent(evaluator, publish)
    else:
        try:
            acting = _agent(world, episode, evaluator, publish, opened)
        except Refusal as e:
            result.stage, result.reason = "perception", str(e)
            return

    def after() -> None:
        evaluator.after_step(world.backend.time, world.backend.observe())

    try:
        run(acting, world.backend, publish, episode.settings.clock, after=after)
    finally:
        result.take(acting.outcome)
        result.seconds |= {k: round(v, 3) for k, v in world.seconds().items()}
        result.disturbed = None if perturber is None else perturber.record
    for _ in range(STILL):
        world.backend.stop()
        if evaluator.check is not None:
            evaluator.check.look()
    if world.conclude is None:
        evaluator.conclude(result, acting.outcome.believed)
    else:
        world.conclude(result)


def _agent(
    world: EpisodeWorld, episode: EpisodeSetup, evaluator: Evaluator, publish: Events, opened: contextlib.ExitStack
) -> Agent:
    """An agent in this process, which has taken up what is wanted. Refusal where nothing can be perceived."""
    settings, log, limit = episode.settings, episode.log, world.step_limit
    assert world.perceiver is not None
    ready = robot_at_table(world.backend, world.perceiver, world.robot, settings, log, publish, opened, limit)
    scene, state, _ = ready.table.look()
    noted(scene, state, log)

    def wanted(scene: Scene, state: WorldState) -> tuple[Goal, ...]:
        evaluator.saw({**record_of(scene), "symbols": state.symbols})
        if settings.said is not None or evaluator.names is None:
            return world.wanted(scene, state)
        given = evaluator.in_agents_names(world.wanted(evaluator.start, evaluator.state))
        untouched = dict.fromkeys(s for g in given for s in g.untouched)
        return goals_in(state, settings.domain, [str(g) for g in given], untouched)

    agent = Agent(ready, wanted, log, _search(world, ready.table, settings.seed))
    agent.begin(scene, state)
    return agent


def _search(world: EpisodeWorld, table: Tabletop, seed: int) -> Callable[[Reads], ObjectSearch | None]:
    """Makes what looks for things that are not seen, where the agent perceives with cameras."""
    perceiver = world.perceiver
    if perceiver is not world.truth:
        from tamp.agent.camera_perceiver import TabletopPerceiver  # which the oracle does without

        if isinstance(perceiver, TabletopPerceiver):
            return partial(perceiver.search, table, seed=seed)
    return lambda reads: None


def goals_wanted(
    episode: EpisodeSetup, task_goal: Callable[[Scene], Goal] | None, picture: Callable[[], bytes] | None
) -> Reads:
    """What gives the goals of an episode: its source, else the task's own, `task_goal`, or that of the scene's file.
    Refusal where there are none."""
    source, task, domain, log = episode.source, episode.task, episode.settings.domain, episode.log

    def wanted(scene: Scene, state: WorldState) -> tuple[Goal, ...]:
        if source is None and task_goal is not None and task.is_checked:
            return (task_goal(scene),)
        if source is None and task.goal is None:
            raise InputError(task.unchecked)
        if source is None:
            goals = goals_in(state, domain, [str(task.goal)])
        else:
            goals = source(scene, state, domain, log, picture() if picture is not None else None)
        for goal in goals:
            goal.rules(domain, state)
        return goals

    return wanted
