"""Where the tools of a log's arms went, and the joint values on the way, for a picture in space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tamp.runs.pages.fields import Event, Point, point, words
from tamp.runs.pages.moments import FELT, Moments
from tamp.runs.robot_shape import DrawnRobot

MOST_POINTS = 4000
"""Points of a path: more cannot be told apart on a page."""


@dataclass(frozen=True, eq=False)
class Course:
    """How an arm moved: a point a control period or fewer, with the period's number. `points` are the tool's places,
    None where the log does not say; `values` what `robot` needs to be drawn (`tamp.runs.pages.drawing`), None where
    its joints were not told. `arm` is empty where there is one alone."""

    arm: str
    robot: DrawnRobot | None
    steps: tuple[int, ...] = ()
    points: tuple[Point | None, ...] = ()
    values: tuple[tuple[float, ...] | None, ...] = ()


def courses_of(events: Sequence[Event], moments: Moments, robots: Sequence[DrawnRobot]) -> tuple[Course, ...]:
    """The courses of a log's arms, in the order in which it tells of them."""
    felt: dict[str, list[tuple[int, Event]]] = {robot.arm: [] for robot in robots}
    for e, moment in zip(events, moments.of, strict=True):
        if e["event"] in FELT:
            felt.setdefault(words(e, "arm"), []).append((moment, e))
    known = {robot.arm: robot for robot in robots}
    return tuple(_course(arm, known.get(arm), some) for arm, some in felt.items())


def _course(arm: str, robot: DrawnRobot | None, felt: Sequence[tuple[int, Event]]) -> Course:
    every = max(1, -(-len(felt) // MOST_POINTS))
    kept = [
        (moment, _tool(e, robot), robot and robot.values(e))
        for n, (moment, e) in enumerate(felt)
        if n % every == 0 or n == len(felt) - 1
    ]
    told = [(moment, at, values) for moment, at, values in kept if at or values]
    return Course(arm, robot, *(tuple(t[k] for t in told) for k in range(3)))  # type: ignore[arg-type]


def _tool(e: Event, robot: DrawnRobot | None) -> Point | None:
    """Where the tool is: as the log has it, else as the joints put it."""
    at = point(e.get("tool"))
    if at is None and robot is not None and (found := robot.tool(e)) is not None:
        return point(found.tolist())
    return at
