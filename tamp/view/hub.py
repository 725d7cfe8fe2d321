"""What is shown, kept up to date in a thread of its own, for as many viewers as there are."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tamp.runs.episode_log import SCHEMA
from tamp.runs.pages.fields import Point
from tamp.view.feed import fed
from tamp.view.sections import Life, Sections, sections
from tamp.view.state import View
from tamp.view.tail import Followed, Tail, written

PERIOD = 0.01
"""Seconds between two looks at the log."""
SLOW = 0.5
"""Seconds between two looks at whether somebody writes it, and whether another run has begun."""
STEP = 0.003
"""Metres between two points of a tool's path that are kept."""
MOST_POINTS = 4000
"""Of each tool; of a longer path the last ones."""

Parts = dict[str, str]
"""Parts of the page by name, each as JSON."""


@dataclass(eq=False)
class Told:
    """What one viewer has been told: the run, the parts, and how many points of each path."""

    run: int = -1
    parts: Parts = field(default_factory=dict)
    points: dict[str, int] = field(default_factory=dict)


@dataclass(eq=False)
class Hub:
    """Reads the log of what is followed. `extra` makes further parts, such as where pictures are.

    One thread calls `run`; any may call `wait` and `view`.
    """

    followed: Followed
    extra: Callable[[View, Path | None], Parts] = lambda view, log: {}
    view: View = field(default_factory=View)
    log: Path | None = None
    life: Life = "waited for"
    _number: int = 0
    _tail: Tail | None = None
    _made: Sections | None = None
    _parts: Parts = field(default_factory=dict)
    _paths: dict[str, list[Point]] = field(default_factory=dict)
    _dropped: dict[str, int] = field(default_factory=dict)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _looked: float = -SLOW
    _ended: bool = False

    def run(self, ended: threading.Event) -> None:
        """Keep it up to date until that is set."""
        while not ended.is_set():
            if not self.look():
                ended.wait(PERIOD)
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def look(self) -> bool:
        """Take what is new, if anything is; whether there may be more of it at once."""
        slow = time.monotonic() - self._looked >= SLOW
        if slow:
            self._looked = time.monotonic()
            self._choose()
        events = self._tail.more() if self._tail is not None else []
        if not events and not slow:
            self._tell({**self._parts, **self.extra(self.view, self.log)})
            return False
        for e in events:
            self.view = fed(self.view, e)
            self._go_on()
        if slow or self.view.ending is not None:
            self.life = self._alive()
        self._made = sections(self.view, self.life, self._notes(), self._made)
        self._tell({**self._made.parts, **self.extra(self.view, self.log)})
        return bool(events)

    def wait(self, told: Told, seconds: float) -> str | None:
        """What a viewer has not been told yet, as JSON, as soon as there is something; an empty text after so many
        seconds without; None once the hub has ended."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._new(told), seconds)
            news = self._new(told)
            if not news:
                return None if self._ended else ""
            told.run, told.parts = self._number, dict(self._parts)
            told.points = {arm: self._dropped.get(arm, 0) + len(path) for arm, path in self._paths.items()}
        return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in news.items()) + "}"

    def _new(self, told: Told) -> Parts:
        anew = told.run != self._number
        news = {k: v for k, v in self._parts.items() if anew or told.parts.get(k) != v}
        further = {}
        for arm, path in self._paths.items():
            known = 0 if anew else told.points.get(arm, 0)
            since = max(0, known - self._dropped.get(arm, 0))
            if since < len(path):
                further[arm] = [known == 0, path[since:]]
        if further:
            news["path"] = json.dumps(further, separators=(",", ":"))
        if anew and news:
            news["run"] = json.dumps(self._number)
        return news

    def _tell(self, parts: Parts) -> None:
        if parts != self._parts:
            with self._changed:
                self._parts = parts
                self._changed.notify_all()

    def _choose(self) -> None:
        """Turn to the log that is to be shown now."""
        log = self.followed.log()
        if log is None or log == self.log:
            return
        with self._changed:
            self.log, self._tail, self.view, self.life = log, Tail(log), View(), "goes on"
            self._paths, self._dropped, self._parts, self._made = {}, {}, {}, None
            self._number += 1

    def _alive(self) -> Life:
        if self.log is None:
            return "waited for"
        if self.view.ending is not None:
            return "ended"
        return "goes on" if written(self.log) else "gone"

    def _go_on(self) -> None:
        """Tools may be elsewhere."""
        for arm, tool in self.view.tools.items():
            path = self._paths.setdefault(arm, [])
            if not path or np.linalg.norm(np.subtract(tool, path[-1])) >= STEP:
                with self._changed:
                    path.append(tool)
                    if len(path) > MOST_POINTS:
                        del path[0]
                        self._dropped[arm] = self._dropped.get(arm, 0) + 1

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
