"""Live sessions at a table: LIBERO's physics, or the fake, which needs none."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from motion.poses import Array, pose
from motion.robot import RobotDescription
from tamp.agent.decision_request import Decide
from tamp.agent.director import Director
from tamp.agent.order_script import Disturb
from tamp.agent.session import Session
from tamp.agent.tabletop_agent import AtTable, Read, at_table, in_turn
from tamp.api import arguments, language
from tamp.errors import InputError
from tamp.model.backend import Backend
from tamp.model.domain import Domain
from tamp.model.events import Events
from tamp.model.goal import in_pddl
from tamp.model.scene import Perceiver
from tamp.planning.engine import Engine
from tamp.planning.planner_process import Beside, Recipe
from tamp.quiet import hush_simulator
from tamp.runs.episode import noted
from tamp.runs.episode_log import EpisodeLog

if TYPE_CHECKING:
    from tamp.api.live import Asked, Company, Prepare

FAKE_SCENE = "packed/3"
"""The fake's scene unless another one is named: FAMILY/BOXES."""


class Disturbed(Protocol):
    """A world whose things somebody else can move."""

    def put(self, name: str, T_world_object: Array) -> None:
        """Put a thing elsewhere."""
        ...


@dataclass(frozen=True)
class LiveWorld:
    """A robot, its eyes, and what is known of the scene's names. `verdict` is LIBERO's check, where there is one."""

    backend: Backend
    perceiver: Perceiver
    robot: RobotDescription
    name: str
    most_steps: int
    disturbed: Disturbed
    names: dict[str, str] = field(default_factory=dict)
    verdict: Callable[[], bool] | None = None
    close: Callable[[], None] = lambda: None
    pictured: Callable[[Path, Callable[[str], None]], AbstractContextManager[None]] = lambda folder, say: nullcontext()
    """Pictures of it in a run's folder, as long as that lasts; none where nobody can draw it."""


def preparation(asked: Asked) -> Prepare:
    """What makes the table ready. InputError for a scene, a domain, a planner or options that are not there."""
    if asked.host is not None or asked.port is not None or asked.world is not None:
        raise InputError("--host, --port and --world are for --backend xarm")
    task = check(asked.backend, asked.scene)
    domain = arguments.domain(asked.domain)
    if asked.backend == "libero":
        from tamp.backends.libero.tasks import check_goal

        check_goal(task, domain)
    arguments.planner(asked.planner)
    return lambda log, events, opened, company: _Table(asked, domain, log, events, opened, company)


class _Table:
    """A robot at a table, ready for a session: see `tamp.api.live.Robot`."""

    def __init__(
        self,
        asked: Asked,
        domain: Domain,
        log: EpisodeLog,
        events: Events,
        opened: contextlib.ExitStack,
        company: Company,
    ) -> None:
        self._asked, self._domain, self._log = asked, domain, log
        beside = self._beside(opened) if asked.clock == "real" else None  # gets ready while the scene is built
        self._decide = self._decider(opened) if asked.decider == "qwen" else None
        company.say("building the scene")
        self._world = world = build(asked.backend, asked.scene, asked.seed or 0, asked.init_state)
        opened.callback(world.close)
        if asked.view:
            opened.enter_context(world.pictured(log.folder, company.say))
        log.event("world", task=world.name, backend=asked.backend, init_state=asked.init_state, perception="oracle")
        waits = asked.clock == "paused"
        reader = language.session_reader(asked.llm, domain, world.names, log, waits=waits)
        opened.callback(reader.close)
        self.name, self.backend = world.name, world.backend
        self.performer = self._at_table(events, beside, reader)
        scene, state, _ = self.performer.table.look()
        noted(scene, state, log)
        reader.warm(scene, state)

    def begun(self, session: Session, events: Events) -> None:
        """Have a model decide in the planner's place, if that is asked for."""
        if self._decide is None:
            return
        performer = self.performer
        performer.director = Director(
            self._decide, session.order, lambda: session.activities, performer.listed, performer.table
        )
        events.subscribe(performer.director.hear)

    def disturb(self, disturb: Disturb) -> None:
        """Have somebody move a thing."""
        scene = self._world.perceiver.perceive()
        movable = [o.name for o in scene if o.movable]
        if disturb.thing not in movable:
            raise InputError(f"no thing {disturb.thing!r} that could be disturbed; valid: {', '.join(movable)}")
        T = scene.object(disturb.thing).T_world_object
        self._world.disturbed.put(disturb.thing, pose(T[:3, 3] + disturb.by, T[:3, :3]))

    def outcome(self, session: Session) -> dict[str, Any]:
        """Whether what was wanted last holds, by an oracle of the formula, and nothing that was begun last failed; and
        LIBERO's own check."""
        _, state, _ = self.performer.table.look()
        wanted, failed = session.wanted, session.failed
        missing = [str(m) for m in wanted[-1].missing(state)] if wanted else []
        unseen = f"{' '.join(missing)} is not seen to hold" if missing else None
        return {
            "success": not missing and failed is None,
            "goal": in_pddl(wanted) if wanted else None,
            "task": self._world.verdict() if self._world.verdict else None,
            "reason": failed.waits_for if failed else unseen,
        }

    def _beside(self, opened: contextlib.ExitStack) -> Beside:
        asked = self._asked
        beside = Beside(Recipe(str(self._domain.path), Engine(asked.planner), asked.seed or 0), self._log)
        opened.callback(beside.close)
        return beside

    def _decider(self, opened: contextlib.ExitStack) -> Decide:
        waits = self._asked.clock == "paused"
        decider = language.session_decider(self._asked.llm, self._domain, self._log, waits=waits)
        opened.callback(decider.close)
        return decider

    def _at_table(self, events: Events, beside: Beside | None, reader: Read) -> AtTable:
        asked, world = self._asked, self._world
        if beside is not None:
            beside.prepare(world.robot, world.perceiver.perceive())
        think = in_turn(self._domain, Engine(asked.planner), np.random.default_rng(asked.seed), self._log)
        return at_table(
            world.backend,
            world.perceiver,
            world.robot,
            self._domain,
            think if beside is None else lambda *_: beside,
            events,
            world.most_steps,
            reader,
        )


def build(backend: str, scene: str | None, seed: int, init_state: int | None) -> LiveWorld:
    """The world of a backend. InputError for scenes that it does not have."""
    return _fake(scene or FAKE_SCENE, seed) if backend == "fake" else _libero(scene, seed, init_state)


def check(backend: str, scene: str | None) -> Any:
    """What can be checked before anything is built. InputError for a backend or a scene that is not there."""
    if backend == "fake":
        return _fake_scene(scene or FAKE_SCENE)
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, may=True)
    with hush_simulator():
        from tamp.backends.libero import tasks

        return tasks.find(scene or "mug_in_drawer")


def _libero(scene: str | None, seed: int, init_state: int | None) -> LiveWorld:
    task = check("libero", scene)
    with hush_simulator():
        from tamp.backends.libero.environment import LiberoEnvironment
        from tamp.backends.libero.oracle import OraclePerceiver
        from tamp.backends.physics.picturing import pictured

        environment = LiberoEnvironment(task, seed=seed, init_state=init_state)
    return LiveWorld(
        backend=environment,
        perceiver=OraclePerceiver(environment),
        robot=environment.robot_model(),
        name=task.name,
        most_steps=task.step_limit,
        names=task.names,
        verdict=environment.check_success if task.is_checked else None,
        close=environment.close,
        disturbed=environment,
        pictured=partial(pictured, environment),
    )


def _fake(scene: str, seed: int) -> LiveWorld:
    family, n = _fake_scene(scene)
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, sight=False)
    with hush_simulator():
        from tamp.backends.fake_table import FakeTable
        from tamp.backends.libero.panda import panda
        from tamp.runs.bench.boxes import make

        robot = panda()
    fake = FakeTable(make(family, n, seed, robot).scene, robot)
    return LiveWorld(fake, fake, robot, f"fake {scene}", 1_000_000, disturbed=fake)


def _fake_scene(scene: str) -> Any:
    from tamp.runs.bench.boxes import FAMILIES, LARGEST

    family, _, n = scene.partition("/")
    if family not in FAMILIES or not n.isdigit() or not 1 <= int(n) <= LARGEST:
        valid = f"{' or '.join(FAMILIES)}/1 to {LARGEST}, as {FAKE_SCENE}"
        raise InputError(f"no scene {scene!r} for --backend fake; valid: {valid}")
    return family, int(n)
