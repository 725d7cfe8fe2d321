"""Live sessions at a table: in a simulator, or on the fake robot, which needs none."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from motion.poses import pose
from tamp.agent.decision_request import Decide
from tamp.agent.director import Director
from tamp.agent.order_script import Disturb
from tamp.agent.session import Session
from tamp.api import arguments, language
from tamp.errors import InputError, Refusal
from tamp.model.domain import Domain
from tamp.model.events import Events
from tamp.model.goal import Goal, in_pddl
from tamp.pddl.planner import Engine
from tamp.quiet import hush_simulator
from tamp.runs.episode import Settings, noted, robot_at_table
from tamp.runs.episode_log import EpisodeLog
from tamp.runs.episode_runner import EpisodeSetup, Place

if TYPE_CHECKING:
    from tamp.api.live import Asked, Company, Prepare
    from tamp.backends.libero.scene_description import Task
    from tamp.runs.bench.boxes import Family

FAKE_SCENE = "packed/3"
"""The fake's scene unless another one is named: FAMILY/BOXES."""


def preparation(asked: Asked) -> Prepare:
    """What makes the table ready. InputError for a scene, a domain, a planner or options that are not there."""
    if asked.host is not None or asked.port is not None or asked.world is not None:
        raise InputError("--host, --port and --world are for --backend xarm")
    task = check(asked.backend, asked.scene)
    domain = arguments.domain(asked.domain)
    if task is not None:
        from tamp.backends.libero.tasks import check_goal

        check_goal(task, domain)
    arguments.check_planner(asked.planner)
    return lambda log, events, opened, company: _Table(asked, task, domain, log, events, opened, company)


class _Table:
    """A robot at a table, ready for a session: see `tamp.api.live.Robot`."""

    def __init__(
        self,
        asked: Asked,
        task: Task | None,
        domain: Domain,
        log: EpisodeLog,
        events: Events,
        opened: contextlib.ExitStack,
        company: Company,
    ) -> None:
        waits = asked.clock == "paused"
        decide = self._decider(asked, domain, log, opened) if asked.decider == "qwen" else None
        seed, planner = asked.seed or 0, Engine(asked.planner)
        settings = Settings(domain, planner, seed, asked.init_state, clock=asked.clock, view=asked.view)
        company.say("building the scene")
        self.name = f"fake {asked.scene or FAKE_SCENE}" if task is None else task.name
        with hush_simulator():
            # the fake has no task, and asks for none
            episode = EpisodeSetup(task, _nothing, settings, log, company.say)  # type: ignore[arg-type]
            world = place_of(asked.backend, asked.scene).open(episode, log.folder, opened)
        log.event("world", task=self.name, backend=asked.backend, init_state=asked.init_state, perception="oracle")
        self.backend, self._perceiver = world.backend, world.truth
        names = {} if task is None else task.names
        reader = language.session_reader(asked.llm, domain, names, log, waits=waits)
        opened.callback(reader.close)
        self.performer = robot_at_table(
            world.backend, world.truth, world.robot, settings, log, events, opened, world.step_limit
        )
        self.performer.reader, self._decide = reader, decide
        scene, state, _ = self.performer.table.look()
        self._check = world.check(scene) if task is not None and task.is_checked else None
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
        scene, put = self._perceiver.perceive(), getattr(self.backend, "put", None)
        movable = [o.name for o in scene if o.movable]
        if disturb.thing not in movable or put is None:
            raise InputError(f"no thing {disturb.thing!r} that could be disturbed; valid: {', '.join(movable)}")
        T = scene.object(disturb.thing).T_world_object
        put(disturb.thing, pose(T[:3, 3] + disturb.by, T[:3, :3]))

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
            "task": self._check.holds() if self._check else None,
            "reason": failed.waits_for if failed else unseen,
        }

    def _decider(self, asked: Asked, domain: Domain, log: EpisodeLog, opened: contextlib.ExitStack) -> Decide:
        decider = language.session_decider(asked.llm, domain, log, waits=asked.clock == "paused")
        opened.callback(decider.close)
        return decider


def _nothing(*_: Any) -> tuple[Goal, ...]:
    """A session begins with no goal."""
    raise Refusal("nothing was asked for", "nothing")


def check(backend: str, scene: str | None) -> Task | None:
    """The task of a scene, None for the fake's. InputError for a scene that is not there."""
    if backend == "fake":
        _fake_scene(scene or FAKE_SCENE)
        return None
    from tamp.backends.libero import rendering

    rendering.prepare(video=False, may=True)
    with hush_simulator():
        from tamp.backends.libero import tasks

        return tasks.find(scene or "mug_in_drawer")


def place_of(backend: str, scene: str | None) -> Place:
    """Where a session takes place. InputError for scenes that are not there."""
    if backend == "fake":
        from tamp.backends.libero import rendering
        from tamp.runs.worlds import InFake

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
