"""Control periods of a log in a row: what a page's slider counts, whatever kind of run it is of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from tamp.runs.pages.fields import Event, number, words

PERIOD = 0.05
"""Seconds of a control period where the log does not say: of LIBERO and of PyBullet's tables."""

FELT = ("command", "at")
"""Events with which a control period is told: what was commanded, or of an arm that runs a plan where it was."""


@dataclass(frozen=True)
class Moments:
    """The number of the control period that each event of a log falls into, 0 before the first one.

    Of one robot these are the control steps as its log counts them. Where they begin anew, as with every part of a plan
    of two arms, or where there are none, as of an arm that runs a plan, the control periods are counted from 1; events
    of several arms share one until the same arm is told again.
    """

    of: tuple[int, ...]

    @property
    def last(self) -> int:
        """The last one."""
        return self.of[-1] if self.of else 0


def moments_of(events: Sequence[Event]) -> Moments:
    """The control periods of a log's events."""
    steps = [number(e, "step") if e["event"] == "command" else None for e in events if e["event"] in FELT]
    rising = [int(s) for s in steps if s is not None]
    own = bool(rising) and len(rising) == len(steps) and all(a < b for a, b in pairwise(rising))
    found, now, told = list[int](), 0, set[str]()
    for e in events:
        if e["event"] in FELT:
            arm = words(e, "arm")
            if own:
                now = int(number(e, "step") or 0)
            elif not told or arm in told:
                now, told = now + 1, {arm}
            else:
                told.add(arm)
        found.append(now)
    return Moments(tuple(found))


def period_of(events: Sequence[Event]) -> float:
    """Seconds of a control period: as the log says of its robot; of an arm that runs a plan, between two looks."""
    for e in events:
        period = number(e, "period") if e["event"] == "robot" else None
        if period is not None and period > 0:
            return period
    looks = [t for e in events if e["event"] == "at" and (t := number(e, "t")) is not None]
    apart = [b - a for a, b in pairwise(looks) if b > a]
    return round(median(apart), 4) if apart else PERIOD
