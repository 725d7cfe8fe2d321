"""`tamp live`: a session that goes on while orders come in."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from cli import inputs, live_worlds
from cli.live_reading import InTurnReader, Reader, ReaderBeside, Reading
from cli.live_worlds import LiveWorld
from cli.output import INTERRUPTED, emit_json, hush_warnings, quiet_stdout, say
from motion.poses import pose
from tamp.errors import InputError, TampError
from tamp.execution.clock import observed, run_in_real_time, run_paused
from tamp.execution.masters import Masters
from tamp.execution.order_server import OrderServer
from tamp.execution.orders import WORDS, read_json, read_typed
from tamp.execution.performing import AtTable
from tamp.execution.script import Disturb, Entry, Script, read_script
from tamp.execution.session import Session
from tamp.execution.tabletop import Tabletop
from tamp.model.bodies import world_of
from tamp.model.domain import Domain
from tamp.model.goal import in_pddl
from tamp.planning.beside import Beside, Recipe
from tamp.planning.deliberation import Deliberation, InTurn
from tamp.planning.engine import Engine
from tamp.planning.search import Search
from tamp.runs.episode_log import SCHEMA, EpisodeLog, new_folder
from tamp.runs.events import Blind, Event, Events, GoalTaken, Late, OrderTaken, StageChanged
from tamp.runs.spoken import live_line_of, spoken
from tamp.runs.versions import versions
from tamp.skills.patterns import patterns
from tamp.skills.registry import bind

EPISODES = Path("episodes")


@dataclass(frozen=True)
class Asked:
    """The options of `tamp live`."""

    scene: str | None
    backend: str
    decider: str
    script: Path | None
    clock: str
    seed: int
    init_state: int | None
    llm: str
    domain: str
    planner: str
    seconds: float | None
    listen: int | None
    out: Path | None
    json_output: bool


def live(asked: Asked) -> int:
    """Run a session. 0 when what was wanted last is reached, or nothing was wanted; 1 when not."""
    hush_warnings()
    entries = read_script(asked.script) if asked.script is not None else []
    if asked.decider == "script" and asked.script is None:
        raise InputError("--decider script needs a --script FILE.jsonl")
    live_worlds.check(asked.backend, asked.scene)
    domain = inputs.domain(asked.domain)
    inputs.planner(asked.planner)
    with quiet_stdout() as stdout:
        folder = asked.out or new_folder(EPISODES, "live")
        with EpisodeLog(folder) as log:
            try:
                outcome = _Live(asked, domain, log, stdout).run(entries)
            except KeyboardInterrupt:
                say(f"tamp: interrupted; what was done is in {folder}")
                return INTERRUPTED
            log.event("outcome", **outcome)
            if asked.json_output:
                emit_json({"event": "outcome", **outcome}, stdout)
            else:
                _report(outcome, stdout)
    return 0 if outcome["success"] else 1


class _Live:
    """One session, from its parts to its outcome."""

    def __init__(self, asked: Asked, domain: Domain, log: EpisodeLog, stdout: TextIO) -> None:
        self.asked, self.domain, self.log, self.stdout = asked, domain, log, stdout
        self.begun = time.monotonic()
        self.session: Session | None = None
        self.server: OrderServer | None = None

    def run(self, entries: list[Entry]) -> dict[str, Any]:
        asked = self.asked
        beside = asked.clock == "real"
        with contextlib.ExitStack() as opened:
            mind = self._mind_beside(opened) if beside else None
            say("tamp: building the scene")
            world = live_worlds.build(asked.backend, asked.scene, asked.seed, asked.init_state)
            opened.callback(world.close)
            reader = self._reader(world, beside)
            opened.callback(reader.close)
            at_table = self._at_table(world, mind)
            at_table.reader = reader
            if isinstance(reader, ReaderBeside):
                reader.warm(*at_table.table.look()[:2])
            self.session = session = Session(at_table, at_table.table.publish)
            self._started(world)
            script = Script(entries, lambda d: _disturb(world, d))
            masters = Masters(session.order)
            if asked.listen is not None:
                self.server = _server(masters, asked.listen)
                opened.callback(self.server.close)
            if script.over:
                threading.Thread(target=_listen, args=(masters, session), daemon=True).start()
            self._run(session, world, script, listens=script.over)
            return self._outcome(session, at_table, world)

    def _run(self, session: Session, world: LiveWorld, script: Script, *, listens: bool) -> None:
        ticked = session.tick

        def tick(observation: Any) -> Any:
            script.give(session)
            if not listens and script.over:
                session.ends_when_idle = True
            return ticked(observation)

        session.tick = tick  # type: ignore[method-assign]
        if self.asked.clock == "paused":
            run_paused(session, world.backend, seconds=self.asked.seconds)
        else:
            run_in_real_time(session, world.backend, self._publish(), seconds=self.asked.seconds)

    def _mind_beside(self, opened: contextlib.ExitStack) -> Beside:
        mind = Beside(Recipe(str(self.domain.path), Engine(self.asked.planner), self.asked.seed), self.log)
        opened.callback(mind.close)
        return mind

    def _reader(self, world: LiveWorld, beside: bool) -> InTurnReader | ReaderBeside:
        reading = Reading(self.asked.llm, str(self.domain.path), world.names)
        return ReaderBeside(reading, self.log) if beside else InTurnReader(Reader(reading), self.log)

    def _at_table(self, world: LiveWorld, beside: Beside | None) -> AtTable:
        scene = world.perceiver.perceive()
        kinematic, skills = world_of(scene, world.robot), bind(self.domain)
        mind: Deliberation
        if beside is not None:
            beside.prepare(world.robot, scene)
            mind = beside
        else:
            rng, every = np.random.default_rng(self.asked.seed), {**skills, **patterns()}
            mind = InTurn(Search(kinematic, self.domain, every, Engine(self.asked.planner), rng, log=self.log))
        table = Tabletop(
            perceiver=world.perceiver,
            observed=observed(world.backend),
            period=world.backend.period,
            world=kinematic,
            domain=self.domain,
            skills=skills,
            mind=mind,
            publish=self._publish(),
        )
        return AtTable(table, world.most_steps)

    def _publish(self) -> Events:
        events = Events(self.log.take)
        events.subscribe(self._tell_masters)
        told = spoken(lambda line: say(f"tamp: {line}"), live_line_of)
        events.subscribe(self._json if self.asked.json_output else told)
        return events

    def _json(self, event: Event) -> None:
        if (line := json_line(event)) is not None:
            emit_json({"time": self._now(), **line}, self.stdout)

    def _tell_masters(self, event: Event) -> None:
        if self.server is not None and (line := json_line(event)) is not None:
            self.server.tell({"time": self._now(), **line})

    def _now(self) -> float:
        return round(self.session.time, 3) if self.session else 0.0

    def _started(self, world: LiveWorld) -> None:
        asked = self.asked
        self.log.event(
            "start",
            schema=SCHEMA,
            task=world.name,
            seed=asked.seed,
            init_state=asked.init_state,
            planner=asked.planner,
            clock=asked.clock,
            perception="oracle",
            versions=versions(),
        )
        say(f"tamp: {world.name} (oracle perception, {asked.clock} clock) after {time.monotonic() - self.begun:.1f} s")

    def _outcome(self, session: Session, at_table: AtTable, world: LiveWorld) -> dict[str, Any]:
        _, state, _ = at_table.table.look()
        wanted = session.wanted
        missing = [str(m) for m in wanted[-1].missing(state)] if wanted else []
        reason = next((a.waits_for for a in reversed(session.activities) if a.stage == "failed"), None)
        return {
            "success": not missing,
            "goal": in_pddl(wanted) if wanted else None,
            "task": world.verdict() if world.verdict else None,
            "steps": round(world.backend.time / world.backend.period),
            "seconds": round(session.time, 3),
            "reason": (reason or f"{' '.join(missing)} is not seen to hold") if missing else None,
            "out": str(self.log.folder),
        }


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


def _server(masters: Masters, port: int) -> OrderServer:
    try:
        server = OrderServer(masters, port)
    except OSError as e:
        raise InputError(f"--listen {port}: {e.strerror}; valid: a port that is free, or 0 for any") from e
    say(f"tamp: orders at tcp://127.0.0.1:{server.port}")
    return server


def _listen(masters: Masters, session: Session) -> None:
    """Orders from standard input, a line each: JSON, or typed words; an empty line asks for the state. Its end ends the
    session once nothing runs."""
    for line in _typed(session):
        if not line.strip():
            session.tell_state = True
            continue
        try:
            order = read_json(line) if line.lstrip().startswith("{") else read_typed(line)
            masters.order("the keyboard", order)
        except TampError as e:
            say(f"tamp: no: {e}")
    session.ends_when_idle = True


def _typed(session: Session) -> Iterator[str]:
    """Lines of standard input; at a terminal with a history and completion."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        yield from sys.stdin
        return
    import readline

    readline.set_completer(_completer(session))
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    with contextlib.suppress(EOFError):
        while True:
            yield input("")


def _completer(session: Session) -> Callable[[str, int], str | None]:
    def complete(begun: str, number: int) -> str | None:
        words = [*WORDS, *(a.name for a in session.activities), *session.performer.vocabulary()]
        fitting = [w for w in words if w.startswith(begun)]
        return fitting[number] if number < len(fitting) else None

    return complete


def _disturb(world: LiveWorld, disturb: Disturb) -> None:
    scene = world.perceiver.perceive()
    if world.disturbed is None or scene.unseen([disturb.thing]):
        valid = ", ".join(o.name for o in scene if o.movable)
        raise InputError(f"no thing {disturb.thing!r} that could be disturbed; valid: {valid}")
    T = scene.object(disturb.thing).T_world_object
    world.disturbed.put(disturb.thing, pose(T[:3, 3] + disturb.by, T[:3, :3]))


def _report(outcome: dict[str, Any], out: TextIO) -> None:
    out.writelines(f"{label:9}{value}\n" for label, value in outcome.items() if value is not None)
