"""Live sessions at a table: in a simulator, or on the fake robot, which needs none."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from motion.poses import pose
from tamp.agent.director import Director
from tamp.agent.orders import Disturb
from tamp.agent.session import Session
from tamp.agent.tabletop_agent import TabletopAgent
from tamp.api import arguments, language
from tamp.api.arm_configs import LiveConfig
from tamp.api.live import Callbacks, Live, OrderedSession, RunSession
from tamp.backends.libero.scene_description import Task
from tamp.errors import InputError, Refusal
from tamp.model.backend import Backend
from tamp.model.events import Events
from tamp.model.goal import Goal, in_pddl
from tamp.model.scene import Perceiver
from tamp.pddl.planner import Engine
from tamp.quiet import hush_simulator
from tamp.runs.episode import Result, Settings, noted, robot_at_table
from tamp.runs.episode_runner import EpisodePlace, EpisodeSetup, EpisodeWorld, run_episode
from tamp.runs.evaluator import Evaluator
from tamp.runs.task_check import TaskCheck

if TYPE_CHECKING:
    from tamp.runs.bench.boxes import Family

FAKE_SCENE = "packed/3"
"""The fake's scene unless another one is named: FAMILY/BOXES."""


def prepared(config: LiveConfig) -> tuple[LiveConfig, RunSession]:
    """What is asked for with the scene's own seed where none was given, and what runs it. InputError for a scene, a
    domain, a planner or options that are not there."""
    task = _task(config.backend, config.scene)
    domain = arguments.domain(config.domain)
    if config.backend != "fake":
        from tamp.backends.libero.tasks import check_goal

        check_goal(task, domain)
    arguments.check_planner(config.planner)
    config = replace(config, seed=task.seed if config.seed is None else config.seed)

    def run(live: Live, callbacks: Callbacks, folder: Path) -> Result:
        settings = Settings(
            domain, Engine(config.planner), config.seed or 0, config.init_state, clock=config.clock, view=config.view
        )
        place = _TakingOrders(live, callbacks, _place(config.backend, config.scene))
        return run_episode(place, task, _no_goal, settings, folder, callbacks.say)

    return config, run


@dataclass(eq=False)
class _TakingOrders:
    """A place where one session takes orders (`tamp.runs.episode_runner.EpisodePlace`)."""

    live: Live
    callbacks: Callbacks
    place: EpisodePlace
    _robot: TabletopAgent = field(init=False)
    _acting: OrderedSession = field(init=False)
    _check: TaskCheck | None = None

    @property
    def backend(self) -> str:
        """Its name."""
        return self.place.backend

    def label(self, settings: Settings) -> str:
        """How results say what perceives, and where."""
        return self.place.label(settings)

    def open(self, episode: EpisodeSetup, folder: Path, opened: contextlib.ExitStack) -> EpisodeWorld:
        """The world, in which a session acts."""
        with hush_simulator():
            world = self.place.open(episode, folder, opened)
        act = partial(self._act, world, episode, opened)
        return replace(world, make_agent=act, conclude=self._conclude)

    def _act(
        self,
        world: EpisodeWorld,
        episode: EpisodeSetup,
        opened: contextlib.ExitStack,
        evaluator: Evaluator,
        events: Events,
    ) -> OrderedSession:
        config, task, settings, log = self.live.config, episode.task, episode.settings, episode.log
        waits, limit = settings.clock == "paused", world.step_limit
        reader = language.session_reader(config.llm, settings.domain, task.names, log, waits=waits)
        opened.callback(reader.close)
        robot = robot_at_table(world.backend, world.truth, world.robot, settings, log, events, opened, limit)
        robot.reader, session = reader, Session(robot, events)
        if config.decider == "qwen":
            decide = language.session_decider(config.llm, settings.domain, log, waits=waits)
            opened.callback(decide.close)
            robot.director = Director(decide, session.order, lambda: session.activities, robot.listed, robot.table)
            events.subscribe(robot.director.hear)
        scene, state, _ = robot.table.look()
        noted(scene, state, log)
        reader.warm(scene, state)
        disturb = partial(_disturb, world.backend, world.truth)
        self._robot, self._check = robot, evaluator.check if task.is_checked else None
        self._acting = OrderedSession(self.live, self.callbacks, session, world.backend.period, disturb)
        self._acting.begin(task.name, log, events, opened)
        return self._acting

    def _conclude(self, result: Result) -> None:
        """Whether what was wanted last holds, by an oracle of the formula, and nothing that was begun last failed; and
        LIBERO's own check."""
        _, state, _ = self._robot.table.look()
        wanted, failed = self._acting.session.wanted, self._acting.session.failed
        missing = " ".join(str(m) for m in wanted[-1].missing(state)) if wanted else ""
        result.goal = in_pddl(wanted) if wanted else None
        result.reached = bool(wanted) and not missing
        result.success = not missing and failed is None
        result.reason = failed.waits_for if failed else f"{missing} is not seen to hold" if missing else None
        result.task = None if self._check is None else self._check.holds()
        self._acting.conclude(result)


def _disturb(backend: Backend, truth: Perceiver, what: Disturb) -> None:
    """Move a thing, as if by hand. InputError where that cannot be."""
    scene, put = truth.perceive(), getattr(backend, "put", None)
    movable = [o.name for o in scene if o.movable]
    if what.thing not in movable or put is None:
        raise InputError(f"no thing {what.thing!r} that could be disturbed; valid: {', '.join(movable)}")
    T = scene.object(what.thing).T_world_object
    put(what.thing, pose(T[:3, 3] + what.by, T[:3, :3]))


def _no_goal(*_: Any) -> tuple[Goal, ...]:
    """A session begins with no goal."""
    raise Refusal("nothing was asked for", "nothing")


def _task(backend: str, scene: str | None) -> Task:
    """The task of a scene. InputError for a scene that is not there."""
    if backend == "fake":
        named = scene or FAKE_SCENE
        _fake_scene(named)
        return Task(f"fake {named}", None, "", unchecked="the fake has no task")
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, may=True)
    with hush_simulator():
        from tamp.backends.libero import tasks

        return tasks.find(scene or "mug_in_drawer")


def _place(backend: str, scene: str | None) -> EpisodePlace:
    """Where a session takes place. InputError for scenes that are not there."""
    if backend == "fake":
        from tamp.backends.libero import rendering
        from tamp.runs.table_worlds import InFake

        rendering.prepare(video=False, sight=False)
        return InFake(*_fake_scene(scene or FAKE_SCENE))
    from tamp.api.solving import simulated

    return simulated(backend)


def _fake_scene(scene: str) -> tuple[Family, int]:
    from tamp.runs.bench.boxes import FAMILIES, LARGEST

    named, _, n = scene.partition("/")
    family = next((f for f in FAMILIES if f == named), None)
    if family is None or not n.isdigit() or not 1 <= int(n) <= LARGEST:
        valid = f"{' or '.join(FAMILIES)}/1 to {LARGEST}, as {FAKE_SCENE}"
        raise InputError(f"no scene {scene!r} for --backend fake; valid: {valid}")
    return family, int(n)
