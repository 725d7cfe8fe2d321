"""What there is to show of a run so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.runs.endings import Ending
from tamp.runs.moving_parts import DrawnPart
from tamp.runs.pages.fields import Point
from tamp.runs.pages.timeline import Deed
from tamp.runs.robot_shape import DrawnRobot


@dataclass(frozen=True)
class Running:
    """An activity: its stage, the log's second in which it began, and what it waits for or lacks."""

    name: str
    stage: str
    began: float
    why: str = ""
    arm: str = ""

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.stage in ("done", "stopped", "failed")


@dataclass(frozen=True)
class Change:
    """A fact that began to hold, or ceased to, and the log's second in which that was seen."""

    t: float
    fact: str
    holds: bool


@dataclass(frozen=True)
class Told:
    """Something that happened, in words."""

    t: float
    kind: str
    text: str


@dataclass(frozen=True, eq=False)
class Placed:
    """A thing: its category, the corners (8, 3) of the box around it when it was seen first, as `corner_box` orders
    them, and where it was then and last, `T_world_thing` (4, 4). `tool` is where the tool of `arm` was when it was seen
    to be held: it goes with that. `note` is what else is said of it. `values` are what its joints are at, metres or
    radians, by the end of their part's name."""

    category: str
    corners: Array | None
    T_first: Array
    T_last: Array
    tool: Point | None = None
    arm: str = ""
    note: str = ""
    values: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class View:
    """A run so far. `t` is the log's clock in seconds, `start` what it was begun with, `plan` the plan that was found
    last and `before` how many actions were begun before that. `stage` and `step` are those of the last command.
    `listens` is the socket at which it takes orders, None where it takes none. `ending` is None until it has ended by
    itself or with an error. `parts` are the pieces of the things of which any moves. `robots` are those that are drawn,
    `felt` joint values and finger opening of each by arm, `tools` where its tool is."""

    t: float = 0.0
    start: Mapping[str, Any] = field(default_factory=dict)
    said: str = ""
    goal: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()
    searched: str = ""
    before: int = 0
    deeds: tuple[Deed, ...] = ()
    running: tuple[Running, ...] = ()
    stage: str = ""
    step: int | None = None
    atoms: frozenset[str] | None = None
    changes: tuple[Change, ...] = ()
    things: Mapping[str, Placed] = field(default_factory=dict)
    parts: Mapping[str, tuple[DrawnPart, ...]] = field(default_factory=dict)
    robots: tuple[DrawnRobot, ...] = ()
    felt: Mapping[str, tuple[Array, float]] = field(default_factory=dict)
    tools: Mapping[str, Point] = field(default_factory=dict)
    happened: tuple[Told, ...] = ()
    listens: Path | None = None
    ending: Ending | None = None


def corner_box(low: Point, high: Point) -> Array:
    """The corners (8, 3) of a box along the axes: bit k of a corner's number says whether it is at the upper end of
    axis k."""
    return np.array([[(high if n >> k & 1 else low)[k] for k in range(3)] for n in range(8)])
