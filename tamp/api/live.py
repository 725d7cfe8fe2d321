"""A session: a robot that takes orders at any moment and goes on meanwhile, at a table or on an arm."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamp.agent.agent import AgentOutcome
from tamp.agent.order_server import CommandAuthority, OrderServer
from tamp.agent.orders import WORDS, Disturb, End, Script, read_json, read_script, read_typed
from tamp.agent.session import Session
from tamp.api.arm_configs import LiveConfig
from tamp.api.sources import Say, silent
from tamp.backends.xarm.arm_stop import ArmStop, stopped_by_signals
from tamp.errors import InputError, TampError
from tamp.model.events import Blind, Event, Events, GoalTaken, Late, OrderTaken, StageChanged
from tamp.runs.episode import Result
from tamp.runs.episode_log import EpisodeLog, new_folder
from tamp.runs.spoken import live_line_of, spoken

if TYPE_CHECKING:
    from tamp.model.backend import Command, Observation

EPISODES = Path("episodes")
"""Where sessions go unless it is said otherwise."""

Words = Callable[[], list[str]]
"""What orders can be made of now: words, actions and things."""


def no_orders(words: Words) -> Iterable[str]:
    """For sessions whose orders all come from a script or over a socket."""
    return ()


@dataclass(frozen=True)
class Callbacks:
    """What a session calls while it goes on.

    `say` gets a line of words for what happens, `on_event`, where it is given, each event as plain data instead.
    `orders` gives orders where there is no script, a line at a time, in a thread: `start (pick mug_1
    table)`, `stop`, `skip 2`, `end`, other words to be read, or the same as JSON; an empty line asks for the
    state. After the last line the session is over once nothing runs. `name` is how others are informed who gives the
    orders. `stops` is entered while the session runs, and may stop it.
    """

    say: Say = silent
    on_event: Callable[[dict[str, Any]], None] | None = None
    orders: Callable[[Words], Iterable[str]] = no_orders
    name: str = "the caller"
    stops: Callable[[ArmStop], contextlib.AbstractContextManager[None]] = stopped_by_signals


def begun(config: LiveConfig) -> Live:
    """Check all that can be checked before anything is built, and get ready. InputError for what is not valid."""
    entries = read_script(config.script) if config.script is not None else []
    run: RunSession
    if config.backend == "xarm":
        from tamp.api.live_arm import prepared

        config, run = prepared(config)
    else:
        from tamp.api.live_table import prepared

        config, run = prepared(config)
    return Live(config, run, Script(entries))


@dataclass(frozen=True, eq=False)
class Live:
    """A session that is ready to be run, once."""

    config: LiveConfig
    run: RunSession
    script: Script

    def folder(self) -> Path:
        """The folder that was asked for, or a new one."""
        return new_folder(EPISODES, "live") if self.config.out is None else Path(self.config.out)

    def __call__(self, callbacks: Callbacks, folder: Path | None = None) -> Result:
        """Run it, into a folder, by default the one that was asked for. InputError for one that holds an episode.

        The result's `success` says whether what was wanted last is reached, or nothing was wanted, and nothing that was
        begun last failed; its `stage` is `stopped` where a signal or a dead man ended it.
        """
        return self.run(self, callbacks, folder or self.folder())


RunSession = Callable[[Live, Callbacks, Path], Result]
"""Runs a session with callbacks into a folder."""


@dataclass(eq=False)
class OrderedSession:
    """A session with all that gives it orders: the script, the caller, and other programs. It is what acts in an
    episode (`tamp.runs.episode_runner.Acting`)."""

    live: Live
    callbacks: Callbacks
    session: Session
    period: float
    disturb: Callable[[Disturb], None]
    """Moves a thing, as if by hand. InputError where that cannot be."""
    stop: ArmStop = field(init=False)
    _begun: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.stop = ArmStop(self.live.config.dead_man)

    def begin(self, name: str, log: EpisodeLog, events: Events, opened: contextlib.ExitStack) -> None:
        """Report what happens, take orders, and be stopped by what stops it, until `opened` is closed."""
        callbacks, config = self.callbacks, self.live.config
        if callbacks.on_event is None:
            events.subscribe(spoken(callbacks.say, live_line_of))
        else:
            events.subscribe(self._as_data_to(callbacks.on_event))
        authority = CommandAuthority(self.session.order, operator=callbacks.name if config.approve else None)
        if config.listen is not None or config.view:
            at = None if config.listen is None else Path(config.listen)
            greeting = {"event": "session", "backend": config.backend, "approves": config.approve}
            server = _listen(authority, at, greeting, callbacks.say)
            opened.callback(server.close)
            log.event("listens", path=server.path.resolve())
            events.subscribe(self._as_data_to(server.tell))
        callbacks.say(f"{name} (oracle perception, {config.clock} clock)")
        if self.live.script.over:
            threading.Thread(target=self._hear, args=(authority,), name=callbacks.name, daemon=True).start()
        opened.enter_context(callbacks.stops(self.stop))
        self._begun = time.monotonic()

    @property
    def time(self) -> float:
        """Seconds of the session."""
        return self.session.time

    def tick(self, observation: Observation) -> Command | None:
        """The command for this control period; None once it is over."""
        session, script, limit = self.session, self.live.script, self.live.config.seconds
        if self.stop.reason:
            session.order(End())
        if not script.over:
            script.give(session, self.disturb)
            session.ends_when_idle = session.ends_when_idle or script.over
        command = session.tick(observation)
        gone = session.time if self.live.config.clock == "paused" else time.monotonic() - self._begun
        return None if limit is not None and gone >= limit else command

    def close(self) -> None:
        """Stop, without another tick."""
        self.session.close()

    @property
    def outcome(self) -> AgentOutcome:
        """How long it took, in control periods and in seconds of the session."""
        steps = round(self.session.time / self.period)
        return AgentOutcome(steps=steps, total_steps=steps, seconds={"session": round(self.session.time, 3)})

    def conclude(self, result: Result) -> None:
        """Note what stopped the session, if anything did."""
        if self.stop.reason:
            result.success, result.stage = False, "stopped"
            result.reason = f"{self.stop.reason}; the robot stands still"

    def _as_data_to(self, take: Callable[[dict[str, Any]], None]) -> Callable[[Event], None]:
        """A subscriber that passes on as plain data what is not for the log alone."""

        def tell(event: Event) -> None:
            if (data := as_data(event)) is not None:
                take({"time": round(self.session.time, 3), **data})

        return tell

    def _decide(self, authority: CommandAuthority, number: int, approved: bool) -> None:
        """Pass on an order of another program that waited, or refuse it. Refusal where there is none."""
        order = authority.decide(number, approved)
        if not approved:
            self.session.refuse(order, "the operator says no")

    def _hear(self, authority: CommandAuthority) -> None:
        """Take the caller's orders, to their end."""
        session, callbacks = self.session, self.callbacks

        def words() -> list[str]:
            return [*WORDS, *(a.name for a in session.activities), *session.performer.vocabulary()]

        for line in callbacks.orders(words):
            self.stop.alive()
            if not line.strip():
                session.tell_state = True
                continue
            try:
                if self.live.config.approve and (answer := re.fullmatch(r"\s*(yes|no) (\d+)\s*", line)):
                    self._decide(authority, int(answer[2]), answer[1] == "yes")
                else:
                    given = read_json(line) if line.lstrip().startswith("{") else read_typed(line)
                    authority.order(callbacks.name, given)
            except TampError as e:
                callbacks.say(f"no: {e}")
        session.ends_when_idle = True


def _listen(authority: CommandAuthority, at: Path | None, greeting: dict[str, Any], say: Say) -> OrderServer:
    """Take orders over a socket. InputError where there is something at its path."""
    try:
        server = OrderServer(authority, at, greeting, say)
    except OSError as e:
        raise InputError(f"--listen {at}: {e.strerror or e}; valid: a path at which there is nothing yet") from e
    say(f"orders at unix:{server.path}")
    return server


def as_data(event: Event) -> dict[str, Any] | None:
    """An event as programs get it; None for what is for the log alone."""
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
