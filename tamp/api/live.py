"""A session: a robot that takes orders at any moment and goes on meanwhile, at a table or on an arm."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from tamp.agent.clock import run_in_real_time, run_paused
from tamp.agent.command_authority import CommandAuthority
from tamp.agent.order_script import Disturb, Script, read_script
from tamp.agent.order_server import OrderServer
from tamp.agent.orders import WORDS, End, read_json, read_typed
from tamp.agent.session import Performer, Session
from tamp.api.configs import DEFAULT_MODEL
from tamp.api.sources import Say, silent
from tamp.backends.xarm.arm_stop import ArmStop, stopped_by_signals
from tamp.errors import InputError, TampError
from tamp.model.events import Blind, Event, Events, GoalTaken, Late, OrderTaken, StageChanged
from tamp.pddl.engines import usual
from tamp.runs.episode_log import SCHEMA, EpisodeLog, new_folder
from tamp.runs.spoken import live_line_of, spoken
from tamp.runs.versions import versions

if TYPE_CHECKING:
    from tamp.model.backend import Backend

EPISODES = Path("episodes")
"""Where sessions go unless it is said otherwise."""

Words = Callable[[], list[str]]
"""What orders can be made of now: words, actions and things."""


def nobody(words: Words) -> Iterable[str]:
    """Nobody gives orders."""
    return ()


@dataclass(frozen=True)
class Asked:
    """What a session is asked for.

    `backend` is a simulator, where a `scene` is as for `load_scene`; `fake`, a kinematic robot among boxes; or `xarm`,
    the arm that the `world` and the `host` say where to find. `script` is a file of orders. With the `paused` clock the
    world waits while it is thought, else it goes on. With `listen` orders are taken over a Unix socket as well, at a
    path, or over one and a port of 127.0.0.1 (0: a free one), where a client sends a token first. With `dead_man` the
    session is stopped when the company has given no line of orders, or other sign of life, for so many seconds.
    """

    scene: str | None = None
    backend: Literal["libero", "mujoco", "pybullet", "fake", "xarm"] = "libero"
    decider: Literal["planner", "qwen", "script", "person"] = "planner"
    script: Path | None = None
    clock: Literal["paused", "real"] = "real"
    seed: int | None = None
    init_state: int | None = None
    llm: str = DEFAULT_MODEL
    domain: str = "tabletop"
    planner: str = field(default_factory=usual)
    seconds: float | None = None
    listen: Path | int | None = None
    dead_man: float | None = None
    view: bool = False
    """Whether pictures are made for a page of it, which gives orders, too."""
    host: str | None = None
    port: int | None = None
    world: Path | None = None
    out: Path | None = None


@dataclass(frozen=True)
class Company:
    """Whoever is there while a session goes on.

    `say` is told in words what happens; `told` is told each event as plain data instead, where it is there. `orders`
    gives orders where there is no script, a line at a time, in a thread of its own: `start (pick mug_1 table)`, `stop`,
    `skip 2`, `undo`, `end`, other words to be read, or the same as JSON; an empty line asks for the state. After the
    last line the session is over once nothing runs. `name` is what others are told who gives the orders. `stops` is
    entered while the session runs, and may stop it.
    """

    say: Say = silent
    told: Callable[[dict[str, Any]], None] | None = None
    orders: Callable[[Words], Iterable[str]] = nobody
    name: str = "the caller"
    stops: Callable[[ArmStop], contextlib.AbstractContextManager[None]] = stopped_by_signals


class Robot(Protocol):
    """A robot in its world, ready for a session: what performs, on what backend, and what became of it in the end."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def backend(self) -> Backend:
        """What is observed and commanded."""
        ...

    @property
    def performer(self) -> Performer:
        """What can be done."""
        ...

    def begun(self, session: Session, events: Events) -> None:
        """The session that it is for."""
        ...

    def disturb(self, disturb: Disturb) -> None:
        """Have somebody move a thing. InputError where nobody can."""
        ...

    def outcome(self, session: Session) -> dict[str, Any]:
        """`success`, `goal`, `task` and `reason` of a session that is over."""
        ...


Prepare = Callable[[EpisodeLog, Events, contextlib.ExitStack, Company], Robot]
"""Makes the robot ready."""


@dataclass(frozen=True)
class SessionResult:
    """What became of a session: whether what was wanted last is reached, or nothing was wanted.

    `goal` is what was wanted last in PDDL, `task` LIBERO's own check where there is one, `reason` why it is no success;
    `steps` are control periods, `seconds` the world's, `out` is the folder of the log; `stopped`: by a signal or a
    dead man.
    """

    success: bool
    goal: str | list[str] | None
    task: bool | None
    reason: str | None
    steps: int
    seconds: float
    out: str
    stopped: bool = False

    def __bool__(self) -> bool:
        return self.success


def begun(asked: Asked) -> Live:
    """Check all that can be checked before anything is built, and get ready. InputError for what is not valid."""
    entries = read_script(asked.script) if asked.script is not None else []
    if (asked.decider == "script") > (asked.script is not None):
        raise InputError("--decider script needs a --script FILE.jsonl")
    if asked.decider == "person" and asked.script is not None:
        raise InputError("--decider person takes orders from a person, not from a --script")
    asked = _with_seed(asked)
    return Live(asked, _preparation(asked), Script(entries))


def _with_seed(asked: Asked) -> Asked:
    """What was asked for with the scene's own seed where none was given."""
    if asked.seed is not None or asked.backend in ("fake", "xarm"):
        return replace(asked, seed=asked.seed or 0)
    from tamp.api.live_table import check

    task = check(asked.backend, asked.scene)
    assert task is not None
    return replace(asked, seed=task.seed)


def _preparation(asked: Asked) -> Prepare:
    """What makes the robot ready, once everything that can be checked before is. InputError for what is wrong."""
    if asked.backend == "xarm":
        from tamp.api.live_arm import preparation
    else:
        from tamp.api.live_table import preparation
    return preparation(asked)


@dataclass(frozen=True, eq=False)
class Live:
    """A session that is ready to be run, once."""

    asked: Asked
    prepare: Prepare
    script: Script

    def folder(self) -> Path:
        """The folder that was asked for, or a new one."""
        return self.asked.out or new_folder(EPISODES, "live")

    def __call__(self, company: Company, folder: Path | None = None) -> SessionResult:
        """Run it, into a folder, by default the one that was asked for. InputError for one that holds an episode."""
        with EpisodeLog(folder or self.folder()) as log:
            with contextlib.ExitStack() as opened:
                result = self._run(company, log, opened)
            log.event("outcome", **asdict(result))
        return result

    def _run(self, company: Company, log: EpisodeLog, opened: contextlib.ExitStack) -> SessionResult:
        asked, began, events = self.asked, time.monotonic(), Events(log.take)
        log.event("start", schema=SCHEMA, seed=asked.seed, clock=asked.clock, versions=versions())
        robot = self.prepare(log, events, opened, company)
        session = Session(robot.performer, events)
        robot.begun(session, events)
        events.subscribe(_teller(session, company))
        masters = CommandAuthority(session.order)
        if asked.listen is not None or asked.view:
            server = _listen(masters, asked.listen, company.say)
            opened.callback(server.close)
            log.event("listens", path=server.path)
            events.subscribe(lambda e: server.tell(_timed(e, session)) if as_data(e) else None)
        company.say(f"{robot.name} (oracle perception, {asked.clock} clock) after {time.monotonic() - began:.1f} s")
        scripted, stop = not self.script.over, ArmStop(asked.dead_man)
        if not scripted:
            _heard(masters, session, company, stop)

        def before() -> None:
            if stop.reason:
                session.order(End())
            self.script.give(session, robot.disturb)
            session.ends_when_idle = session.ends_when_idle or (scripted and self.script.over)

        ended: dict[str, Any] = {}
        try:
            with company.stops(stop):
                if asked.clock == "paused":
                    run_paused(session, robot.backend, before=before, seconds=asked.seconds)
                else:
                    run_in_real_time(session, robot.backend, events, before=before, seconds=asked.seconds)
        except TampError as e:  # of the robot, such as a stop that was not acknowledged
            ended = {"success": False, "reason": str(e)}
        else:
            if stop.reason:
                ended = {"success": False, "reason": f"{stop.reason}; the robot stands still"}
        steps, seconds = round(session.time / robot.backend.period), round(session.time, 3)
        came = robot.outcome(session) | ended
        return SessionResult(**came, steps=steps, seconds=seconds, out=str(log.folder), stopped=bool(stop.reason))


def _listen(masters: CommandAuthority, at: Path | int | None, say: Say) -> OrderServer:
    """Take orders over sockets. InputError where one is taken."""
    port = at if isinstance(at, int) else None
    try:
        server = OrderServer(masters, at if isinstance(at, Path) else None, port)
    except OSError as e:
        valid = "a port that is free, 0 for any, or a path at which there is nothing yet"
        raise InputError(f"--listen {at}: {e.strerror or e}; valid: {valid}") from e
    say(f"orders at unix:{server.path}")
    if port is not None:
        say(f"orders at tcp://127.0.0.1:{server.port}, where the first line is {json.dumps({'token': server.token})}")
    return server


def _heard(masters: CommandAuthority, session: Session, company: Company, stop: ArmStop) -> None:
    """Take the orders of whoever is there, in a thread."""

    def words() -> list[str]:
        return [*WORDS, *(a.name for a in session.activities), *session.performer.vocabulary()]

    def hear() -> None:
        for line in company.orders(words):
            stop.alive()
            if not line.strip():
                session.tell_state = True
                continue
            try:
                masters.order(company.name, read_json(line) if line.lstrip().startswith("{") else read_typed(line))
            except TampError as e:
                company.say(f"no: {e}")
        session.ends_when_idle = True

    threading.Thread(target=hear, name=company.name, daemon=True).start()


def _teller(session: Session, company: Company) -> Callable[[Event], None]:
    """Who tells what happens: as data, or in words."""
    told = company.told
    if told is None:
        return spoken(company.say, live_line_of)
    return lambda event: told(_timed(event, session)) if as_data(event) else None


def _timed(event: Event, session: Session) -> dict[str, Any]:
    return {"time": round(session.time, 3), **(as_data(event) or {})}


def as_data(event: Event) -> dict[str, Any] | None:
    """An event as those are told who want plain data; None for what is for the log alone."""
    match event:
        case StageChanged(name, stage, seconds, why):
            return {"event": "action", "name": name, "stage": stage, "seconds": round(seconds, 3), "why": why or None}
        case GoalTaken(goal, untouched):
            return {"event": "goal", "goal": goal, "untouched": untouched}
        case OrderTaken(order, taken, why):
            return {"event": "command", "command": order, "taken": taken, "why": why or None}
        case Blind(since, why):
            return {"event": "blind", "since": since, "why": why}
        case Late(seconds):
            return {"event": "late", "seconds": seconds}
    return None
