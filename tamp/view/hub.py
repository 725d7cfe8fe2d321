"""A run's log read as it grows, in a thread of its own, and what it comes to put on the board of its page."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tamp.runs.episode_log import SCHEMA
from tamp.view.board import Board, Parts
from tamp.view.feed import fed
from tamp.view.sections import Life, Sections, sections
from tamp.view.state import View
from tamp.view.tail import Followed, Tail, written

PERIOD = 0.01
"""Seconds between two looks at the log."""
SLOW = 0.5
"""Seconds between two looks at whether somebody writes it, and whether another run has begun."""


@dataclass(eq=False)
class Hub:
    """Reads the log of what is followed. `extra` makes further parts, such as where pictures are.

    One thread calls `run`; any may read `view` and wait at the `board`.
    """

    followed: Followed
    extra: Callable[[View, Path | None], Parts] = lambda view, log: {}
    view: View = field(default_factory=View)
    log: Path | None = None
    life: Life = "waited for"
    board: Board = field(default_factory=Board)
    _tail: Tail | None = None
    _made: Sections | None = None
    _looked: float = -SLOW

    def run(self, ended: threading.Event) -> None:
        """Keep it up to date until that is set."""
        while not ended.is_set():
            if not self.look():
                ended.wait(PERIOD)
        self.board.end()

    def look(self) -> bool:
        """Take what is new, if anything is; whether there may be more of it at once."""
        slow = time.monotonic() - self._looked >= SLOW
        if slow:
            self._looked = time.monotonic()
            self._choose()
        events = self._tail.more() if self._tail is not None else []
        if not events and not slow:
            self.board.tell({**self.board.parts, **self.extra(self.view, self.log)})
            return False
        for e in events:
            self.view = fed(self.view, e)
            self._go_on()
        if slow or self.view.ending is not None:
            self.life = self._alive()
        self._made = sections(self.view, self.life, self._notes(), self._made)
        self.board.tell({**self._made.parts, **self.extra(self.view, self.log)})
        return bool(events)

    def _choose(self) -> None:
        """Turn to the log that is to be shown now."""
        log = self.followed.log()
        if log is None or log == self.log:
            return
        self.board.begin()
        self.log, self._tail, self.view, self.life = log, Tail(log), View(), "goes on"
        self._made = None

    def _alive(self) -> Life:
        if self.log is None:
            return "waited for"
        if self.view.ending is not None:
            return "ended"
        return "goes on" if written(self.log) else "gone"

    def _go_on(self) -> None:
        """Tools may be elsewhere."""
        for arm, tool in self.view.tools.items():
            self.board.went(arm, tool)

    def _notes(self) -> tuple[str, ...]:
        tail, told = self._tail, []
        if tail is None:
            return ()
        if tail.spoilt:
            told.append(f"{tail.spoilt} lines of the log are no events, and left out.")
        if tail.cut and self.life in ("ended", "gone"):
            told.append("The last line of the log is only half written, and left out.")
        schema = self.view.start.get("schema", SCHEMA)
        if schema != SCHEMA:
            known = f"this version of tamp knows {SCHEMA}"
            told.append(f"The log is of schema {schema}, {known}: the page shows as much of it as it understands.")
        return tuple(told)
