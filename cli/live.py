"""`tamp live`: a session that goes on while orders come in."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TextIO

from cli.live_masters import heard, listen
from cli.output import INTERRUPTED, emit_json, say
from cli.viewed import viewed
from tamp.backends.backend import Backend
from tamp.errors import InputError, TampError
from tamp.execution.clock import run_in_real_time, run_paused
from tamp.execution.masters import Masters
from tamp.execution.script import Disturb, Script, read_script
from tamp.execution.session import Performer, Session
from tamp.quiet import hush_warnings, quiet_stdout
from tamp.runs.episode_log import SCHEMA, EpisodeLog, new_folder
from tamp.runs.events import Blind, Event, Events, GoalTaken, Late, OrderTaken, StageChanged
from tamp.runs.spoken import live_line_of, spoken
from tamp.runs.versions import versions

EPISODES = Path("episodes")


@dataclass(frozen=True)
class Asked:
    """The options of `tamp live`."""

    scene: str | None
    backend: str
    decider: str
    script: Path | None
    clock: str
    seed: int | None
    init_state: int | None
    llm: str
    domain: str
    planner: str
    seconds: float | None
    listen: int | None
    view: bool
    host: str | None
    port: int | None
    world: Path | None
    out: Path | None
    json_output: bool


def _with_seed(asked: Asked) -> Asked:
    """What was asked for with the scene's own seed where none was given."""
    if asked.seed is not None or asked.backend != "libero":
        return replace(asked, seed=asked.seed or 0)
    from cli.live_table import check

    return replace(asked, seed=check(asked.backend, asked.scene).seed)


class Set(Protocol):
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


def live(asked: Asked) -> int:
    """Run a session. 0 when what was wanted last is reached, or nothing was wanted; 1 when not."""
    hush_warnings()
    entries = read_script(asked.script) if asked.script is not None else []
    if (asked.decider == "script") > (asked.script is not None):
        raise InputError("--decider script needs a --script FILE.jsonl")
    if asked.decider == "person" and asked.script is not None:
        raise InputError("--decider person takes orders from a person, not from a --script")
    asked = _with_seed(asked)
    prepare = _preparation(asked)
    with quiet_stdout() as stdout:
        folder = asked.out or new_folder(EPISODES, "live")
        with EpisodeLog(folder) as log, viewed(folder, asked.view):
            try:
                outcome = _run(asked, prepare, Script(entries), log, stdout)
            except KeyboardInterrupt:
                say(f"tamp: interrupted; what was done is in {folder}")
                return INTERRUPTED
            log.event("outcome", **outcome)
            if asked.json_output:
                emit_json({"event": "outcome", **outcome}, stdout)
            else:
                stdout.writelines(f"{label:9}{value}\n" for label, value in outcome.items() if value is not None)
    return 0 if outcome["success"] else 1


Prepare = Callable[[EpisodeLog, Events, contextlib.ExitStack], Set]


def _preparation(asked: Asked) -> Prepare:
    """What makes the robot ready, once everything that can be checked before is. InputError for what is wrong."""
    if asked.backend == "xarm":
        from cli.live_arm import preparation
    else:
        from cli.live_table import preparation
    return preparation(asked)


def _run(asked: Asked, prepare: Prepare, script: Script, log: EpisodeLog, stdout: TextIO) -> dict[str, Any]:
    begun, events = time.monotonic(), Events(log.take)
    with contextlib.ExitStack() as opened:
        log.event("start", schema=SCHEMA, seed=asked.seed, clock=asked.clock, versions=versions())
        ready = prepare(log, events, opened)
        session = Session(ready.performer, events)
        ready.begun(session, events)
        events.subscribe(_teller(session, asked, stdout))
        masters = Masters(session.order)
        if asked.listen is not None or asked.view:
            server = listen(masters, asked.listen or 0)
            opened.callback(server.close)
            log.event("listens", port=server.port)
            events.subscribe(lambda e: server.tell(_timed(e, session)) if json_line(e) else None)
        say(f"tamp: {ready.name} (oracle perception, {asked.clock} clock) after {time.monotonic() - begun:.1f} s")
        scripted = not script.over
        if not scripted:
            heard(masters, session)

        def before() -> None:
            script.give(session, ready.disturb)
            session.ends_when_idle = session.ends_when_idle or (scripted and script.over)

        failed = None
        try:
            if asked.clock == "paused":
                run_paused(session, ready.backend, before=before, seconds=asked.seconds)
            else:
                run_in_real_time(session, ready.backend, events, before=before, seconds=asked.seconds)
        except TampError as e:  # of the robot, such as a stop that was not acknowledged
            failed = {"success": False, "reason": str(e)}
        steps = round(session.time / ready.backend.period)
        told = {"steps": steps, "seconds": round(session.time, 3), "out": str(log.folder)}
        return ready.outcome(session) | (failed or {}) | told


def _teller(session: Session, asked: Asked, stdout: TextIO) -> Callable[[Event], None]:
    """Who tells what happens: JSON on standard output, or lines for a person on standard error."""
    if not asked.json_output:
        return spoken(lambda line: say(f"tamp: {line}"), live_line_of)
    return lambda event: emit_json(_timed(event, session), stdout) if json_line(event) else None


def _timed(event: Event, session: Session) -> dict[str, Any]:
    return {"time": round(session.time, 3), **(json_line(event) or {})}


def json_line(event: Event) -> dict[str, Any] | None:
    """What `--json` prints of an event; None for what is for the log alone."""
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
