"""What is shown now, for as many viewers as there are: each is told what is new to it."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tamp.runs.pages.fields import Point

STEP = 0.003
"""Metres between two points of a tool's path that are kept."""
MOST_POINTS = 4000
"""Of each tool; of a longer path the last ones."""

Parts = Mapping[str, str]
"""Parts of the page by name, each as JSON."""


@dataclass(eq=False)
class Told:
    """What one viewer has been told: the run, the parts, and how many points of each path."""

    run: int = -1
    parts: Parts = field(default_factory=dict)
    points: dict[str, int] = field(default_factory=dict)


@dataclass(eq=False)
class Board:
    """The parts of a page, and the paths of tools. One thread writes to it; any may call `wait`."""

    parts: Parts = field(default_factory=dict)
    _number: int = 0
    _paths: dict[str, list[Point]] = field(default_factory=dict)
    _dropped: dict[str, int] = field(default_factory=dict)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _ended: bool = False

    def begin(self) -> None:
        """Begin anew, with nothing."""
        with self._changed:
            self._paths, self._dropped, self.parts = {}, {}, {}
            self._number += 1

    def tell(self, parts: Parts) -> None:
        """These are the parts now."""
        if parts != self.parts:
            with self._changed:
                self.parts = parts
                self._changed.notify_all()

    def went(self, arm: str, tool: Point) -> None:
        """The tool of an arm is there (metres): viewers hear of it with the next part that changes."""
        path = self._paths.setdefault(arm, [])
        if not path or np.linalg.norm(np.subtract(tool, path[-1])) >= STEP:
            with self._changed:
                path.append(tool)
                if len(path) > MOST_POINTS:
                    del path[0]
                    self._dropped[arm] = self._dropped.get(arm, 0) + 1

    def end(self) -> None:
        """Nothing more will be told."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def wait(self, told: Told, seconds: float) -> str | None:
        """What a viewer has not been told yet, as JSON, as soon as there is something; an empty text after so many
        seconds without; None once the board has ended."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._new(told), seconds)
            news = self._new(told)
            if not news:
                return None if self._ended else ""
            told.run, told.parts = self._number, dict(self.parts)
            told.points = {arm: self._dropped.get(arm, 0) + len(path) for arm, path in self._paths.items()}
        return "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in news.items()) + "}"

    def _new(self, told: Told) -> dict[str, str]:
        anew = told.run != self._number
        news = {k: v for k, v in self.parts.items() if anew or told.parts.get(k) != v}
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
