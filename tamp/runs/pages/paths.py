"""Where the tool went and where things were, for a picture in space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tamp.runs.pages.fields import Event, Point, number, point, table, words

MOST_POINTS = 4000
"""Points of a path: more cannot be told apart on a page."""


@dataclass(frozen=True)
class Thing:
    """Something in the scene: where it was seen first and last, metres in the world frame. `box` are two opposite
    corners of the box around it at first, None where the log does not say how large it is."""

    name: str
    category: str
    first: Point
    last: Point
    box: tuple[Point, Point] | None = None


@dataclass(frozen=True)
class ToolPath:
    """Where the tool was felt, a point a control step or fewer, with the step's number."""

    steps: tuple[int, ...] = ()
    points: tuple[Point, ...] = ()


def tool_path(events: Sequence[Event]) -> ToolPath:
    """The path of an arm's tool through a log."""
    felt = [
        (int(step), at)
        for e in events
        if e["event"] == "command" and (step := number(e, "step")) is not None and (at := point(e.get("tool")))
    ]
    every = max(1, -(-len(felt) // MOST_POINTS))
    kept = felt[::every]
    return ToolPath(tuple(s for s, _ in kept), tuple(p for _, p in kept))


def things(events: Sequence[Event]) -> tuple[Thing, ...]:
    """The things whose places a log has, in the order in which they are named."""
    first: dict[str, Point] = {}
    last: dict[str, Point] = {}
    category: dict[str, str] = {}
    boxes: dict[str, tuple[Point, Point]] = {}
    for e in events:
        for name, pose in table(e, "poses").items():
            if e["event"] in ("scene", "look", "final") and (at := point(pose)):
                first.setdefault(name, at)
                last[name] = at
        category |= {name: words(table(e, "objects"), name) for name in table(e, "objects")}
        for name, corners in table(e, "boxes").items():
            if isinstance(corners, list) and len(corners) == 2 and name not in boxes:
                low, high = map(point, corners)
                if low and high:
                    boxes[name] = (low, high)
    return tuple(Thing(n, category.get(n, ""), first[n], last[n], boxes.get(n)) for n in first)
