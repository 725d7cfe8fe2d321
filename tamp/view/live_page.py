"""A page that is kept up to date: what a source reports goes to a story, and what changes of its page to viewers."""

from __future__ import annotations

import contextlib
import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tamp.runs.camera_pictures import FOLDER, INDEX
from tamp.view.episode_page import SCRIPTS, TEMPLATE, RunStatus, data_of, shown
from tamp.view.page_layout import Layout
from tamp.view.scene_tracks import MOST_POINTS, PERIODS, scene_of, state_of
from tamp.view.story import Story

PERIOD = 0.01
"""Seconds between two looks at the source."""
SLOW = 0.5
"""Seconds between two looks at whether the log is still being written, and whether another run has begun."""
Parts = Mapping[str, str]
"""Parts of the page by name, each as JSON."""


class EventSource(Protocol):
    """Where events come from: the log of a run, or the reports of an arm."""

    log: Path | None

    def turned(self) -> bool:
        """Whether it is another run now than at the last look."""
        return False

    def more(self) -> list[dict[str, Any]]:
        """The events that came since."""

    def status(self, story: Story) -> RunStatus:
        """How it stands."""

    def extra(self, story: Story, status: RunStatus) -> dict[str, Any]:
        """What else the template lays out: whether orders are taken, and what an arm reports of itself."""

    def order(self, story: Story, order: Any) -> dict[str, Any]:
        """Pass an order on; what became of it."""
        return {"taken": False, "why": "this page takes no orders"}


@dataclass(eq=False)
class Board:
    """The parts of a page; `run` is the number of the run. One thread writes to it; any may call `wait`. A viewer that
    comes, or to which another run is new, gets the `path` of the tool too, which it goes on with by itself."""

    path: Callable[[], str]
    parts: Parts = field(default_factory=dict)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _ended: bool = False

    def put(self, parts: Parts) -> None:
        """These are the parts now."""
        if parts != self.parts:
            with self._changed:
                self.parts = parts
                self._changed.notify_all()

    def end(self) -> None:
        """Nothing more will come."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def wait(self, seen: dict[str, str], seconds: float) -> str | None:
        """What a viewer has not `seen` yet, as JSON, as soon as there is something; an empty text after so many seconds
        without; None once the board has ended. `seen` is brought up to date."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self.parts != seen, seconds)
            if self.parts == seen:
                return None if self._ended else ""
            if self.parts["run"] != seen.get("run"):
                seen.clear()
            news = {name: value for name, value in self.parts.items() if seen.get(name) != value}
            if "run" in news:
                news = {"run": news["run"], "path": self.path(), **news}
            seen.clear()
            seen.update(self.parts)
        return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in news.items()) + "}"


@dataclass(eq=False)
class LivePage:
    """The page of a source. One thread calls `run`; any may wait at the `board`, and give orders."""

    source: EventSource
    layout: Layout
    story: Story = field(default_factory=Story)
    board: Board = field(init=False)
    _parts: dict[str, str] = field(default_factory=lambda: {"run": "0"})
    _laid_out: object = None
    _scene: object = None
    _looked: float = -SLOW

    def __post_init__(self) -> None:
        self.board = Board(self._path)

    def page(self) -> str:
        """The page before anything is known."""
        waiting = RunStatus("waiting", "It has not begun.", on=True)
        return self.layout.page(TEMPLATE, (*SCRIPTS, "live.js"), {}, **self._shown(waiting))

    def run(self, ended: threading.Event) -> None:
        """Keep it up to date until that is set."""
        while not ended.is_set():
            if not self.look():
                ended.wait(PERIOD)
        self.board.end()

    def look(self) -> bool:
        """Take what is new, if anything is; whether there may be more of it at once."""
        if slow := time.monotonic() - self._looked >= SLOW:
            self._looked = time.monotonic()
            if self.source.turned():
                self._parts = {"run": str(int(self._parts["run"]) + 1)}
                self.story, self._laid_out, self._scene = Story(self.source.log), None, None
        events = self.source.more()
        for e in events:
            self.story.add(e)
        if events:
            self._draw()
        if slow or any(e["event"] not in PERIODS for e in events):
            self._lay_out(bool(events))
        self._parts["pictures"] = _index(self.source.log)
        self.board.put(dict(self._parts))
        return bool(events)

    def order(self, order: Any) -> dict[str, Any]:
        """Pass an order on to who takes them; what became of it."""
        return self.source.order(self.story, order)

    def picture(self, name: str) -> bytes | None:
        """A camera picture of the run by its file name, None where there is none."""
        if self.source.log is None or not re.fullmatch(r"\w[\w-]*\.jpg", name):
            return None
        with contextlib.suppress(OSError):
            return (self.source.log.parent / FOLDER / name).read_bytes()
        return None

    def _draw(self) -> None:
        """Bring the 3-D view up to date: the scene where other things are there, and how it is now."""
        tracks = self.story.tracks
        scene = (tracks.robot, [(t.name, t.category, t.corners is None, len(t.parts)) for t in tracks.things.values()])
        if scene != self._scene:
            self._scene = scene
            self._parts["scene"] = _json(scene_of(tracks))
        self._parts["state"] = _json(state_of(tracks))

    def _path(self) -> str:
        """Where the tool was."""
        return _json([p for _, p in self.story.tracks.path[-MOST_POINTS:]])

    def _lay_out(self, new: bool) -> None:
        """Lay out the parts that are text, unless nothing has happened and it stands as before."""
        status = self.source.status(self.story)
        laid_out = (status, self.source.extra(self.story, status))
        if not new and laid_out == self._laid_out:
            return
        self._laid_out = laid_out
        content = self._shown(status)
        made = self.layout.parts(TEMPLATE, **content)
        self._parts.update({f"#{name}": _json(text) for name, text in made.items()})
        self._parts["orders"] = _json(content["orders_taken"])
        self._parts.pop("whole", None)
        if not status.on and self.story.steps:
            self._parts["whole"] = _json(data_of(self.story, content))

    def _shown(self, status: RunStatus) -> dict[str, Any]:
        extra = self.source.extra(self.story, status)
        return {**shown(self.story, status), "live": True, "video": "", "has_picture": True, **extra}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _index(log: Path | None) -> str:
    """What a run says of its pictures, as JSON; null where there are none."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if log is not None:
            return (log.parent / FOLDER / INDEX).read_text(encoding="utf-8")
    return "null"
