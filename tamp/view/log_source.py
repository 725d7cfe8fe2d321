"""A log read as it grows, and the orders that are passed on to the session that writes it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

from tamp.agent.orders import read_json
from tamp.errors import InputError, TampError
from tamp.line_socket import LineSocket
from tamp.runs.episode_log import LOG, is_log
from tamp.view.episode_page import RunStatus, notes_on
from tamp.view.story import Story
from tamp.view.summary import verdict_of

EPISODES = Path("episodes")
AT_ONCE = 4_000_000
"""Bytes that are read at one time."""
PATIENCE = 2.0
"""Seconds for which a session is waited for that does not say what becomes of an order."""


@dataclass(eq=False)
class Tail:
    """Reads what is new in a log. `spoilt` are the lines that were no events; `cut` says whether the last one is only
    half there."""

    path: Path
    spoilt: int = 0
    _begun: int = 0
    _half: bytes = b""
    _read: int = 0

    @property
    def cut(self) -> bool:
        """Whether the last line is only half written."""
        return bool(self._half)

    def more(self) -> list[dict[str, Any]]:
        """The events that came since, a part at a time; none where there is no log yet."""
        try:
            if self.path.stat().st_size == self._read:
                return []
            with self.path.open("rb") as file:
                file.seek(self._read)
                data = file.read(AT_ONCE)
        except OSError:
            return []
        self._read += len(data)
        *lines, self._half = (self._half + data).split(b"\n")
        return [e for line in lines if line.strip() and (e := self._event(line)) is not None]

    def _event(self, line: bytes) -> dict[str, Any] | None:
        try:
            e = json.loads(line)
        except (ValueError, RecursionError):
            e = None
        if isinstance(e, dict) and isinstance(e.get("event"), str):
            return e
        self.spoilt += 1
        return None


def written(path: Path) -> bool:
    """Whether a process is writing a log: it holds a lock on it, which ends with the process."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def newest(base: Path) -> Path | None:
    """The log that was begun last of those in the folders of `base`, None without any."""
    begun = dict[Path, tuple[str, float]]()
    for path in base.glob(f"*/{LOG}"):
        with contextlib.suppress(OSError):  # it may just have been removed
            changed = path.parent.stat().st_ctime
            stamp = path.parent.name[:15]
            known = re.fullmatch(r"\d{8}-\d{6}", stamp)
            begun[path] = (stamp if known else time.strftime("%Y%m%d-%H%M%S", time.localtime(changed)), changed)
    return max(begun, key=lambda path: begun[path], default=None)


@dataclass(eq=False)
class LogSource:
    """The log that is shown, read as it grows: the one of a run, or, without one, that of the run that was begun last.
    Orders are passed on where `local`: the page is served to this machine only."""

    run: Path | None = None
    base: Path = field(default_factory=lambda: EPISODES)
    local: bool = True
    log: Path | None = None
    _tail: Tail | None = None

    def turned(self) -> bool:
        """Whether it is another run now than at the last look."""
        path = newest(self.base) if self.run is None else self.run if self.run.is_file() else self.run / LOG
        if path is None or path == self.log or not path.is_file():
            return False
        self.log, self._tail = path, Tail(path)
        return True

    def more(self) -> list[dict[str, Any]]:
        """The events that came since."""
        return [] if self._tail is None else self._tail.more()

    def status(self, story: Story) -> RunStatus:
        """How the run stands: it goes on as long as its log is being written and has no outcome."""
        if self.log is None or self._tail is None:
            return RunStatus("waiting", "It has not begun.", on=True)
        ended = story.ending()
        if ended.verdict == "interrupted" and written(self.log):
            return RunStatus("running", "It goes on.", on=True)
        notes = notes_on(story, ended, self._tail.cut, self._tail.spoilt)
        return RunStatus(ended.verdict, verdict_of(ended), notes)

    def extra(self, story: Story, status: RunStatus) -> dict[str, Any]:
        """Whether orders are taken, and if not, why; and the command that writes the page of a run that is over."""
        if not status.on:
            why = "It is over: no orders are taken any more." if story.steps else ""
        elif not self.local:
            why = "Orders are given on a page that is served at 127.0.0.1 alone."
        else:
            why = "No orders are taken: a session does that with tamp live --view, or --listen."
        taken = status.on and self.local and story.listens is not None
        run = "" if self.log is None else quote(str(self.log.parent if self.log.name == LOG else self.log))
        waiting = {} if self.log else {"title": "Waiting for a run"}
        return {**waiting, "orders_taken": taken, "no_orders": why, "report": f"tamp report {run} --html page.html"}

    def order(self, story: Story, order: Any) -> dict[str, Any]:
        """Pass an order on to the session; what became of it."""
        on = self.local and self.status(story).on
        return give(story.listens if on else None, order)


def followed(run: Path | None, wait: bool = False, local: bool = True) -> LogSource:
    """What is to be shown. InputError for what is no run; with `wait` it may begin later."""
    if run is None or (wait and not run.is_file() and not (run / LOG).exists()):
        return LogSource(run, local=local)
    valid = f"valid: an episode's folder, or its {LOG}; without one, the newest under {EPISODES}/"
    if not run.exists():
        raise InputError(f"{run} does not exist; {valid}; or --wait for it to begin")
    path = run if run.is_file() else run / LOG
    if run.is_dir() and not path.exists():
        inside = newest(run) or newest(run / EPISODES.name)
        hint = f"; such as {inside.parent}" if inside else ""
        raise InputError(f"{run} holds no {LOG}; {valid}{hint}")
    try:
        empty = path.stat().st_size == 0
    except OSError as e:
        raise InputError(f"cannot read {path}: {e.strerror}") from e
    if not empty and not is_log(path):
        raise InputError(f"{path}: not an episode's log; {valid}")
    return LogSource(run, local=local)


def give(socket: Path | None, data: Any) -> dict[str, Any]:
    """Pass an order, as an object of JSON, on to the session that listens at a Unix socket; whether it was `taken`,
    None where the session does not say, and `why` not. Each order has its own connection, so that a page never
    blocks other clients."""
    if socket is None:
        return {"taken": False, "why": "no session takes orders now"}
    try:
        order = read_json(json.dumps(data))
    except (TampError, ValueError) as e:
        return {"taken": False, "why": str(e)}
    try:
        line = LineSocket(socket, PATIENCE)
    except OSError:
        return {"taken": False, "why": "the session does not listen any more"}
    try:
        line.send(json.dumps(data).encode(), PATIENCE)
        return _answered(line, str(order))
    except OSError:
        return {"taken": None, "why": "the session hung up"}
    finally:
        line.close()


def _answered(line: LineSocket, order: str) -> dict[str, Any]:
    """What the session says of an order."""
    until = time.monotonic() + PATIENCE
    while (left := until - time.monotonic()) > 0 and (answer := line.receive(left)) is not None:
        event = json.loads(answer)
        if event.get("event") == "command" and event.get("command", order) == order:
            return {"taken": event.get("taken"), "why": event.get("why")}
    return {"taken": None, "why": f"the session has not answered for {PATIENCE:g} s"}
