"""When an episode searched, looked for motions, and moved: bars over the log's clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import Literal

from tamp.runs.pages.fields import Event, names, number, time_of, words
from tamp.runs.pages.moments import FELT, Moments

Lane = Literal["symbolic", "geometric", "execution"]
How = Literal["done", "failed", "stopped", "unfinished"]


@dataclass(frozen=True)
class Bar:
    """A stretch of time in seconds of the log. `deed` is the number of the action that it belongs to, 0 without one;
    `arm` names the arm where there are several."""

    lane: Lane
    begin: float
    end: float
    label: str
    how: How
    deed: int = 0
    arm: str = ""


@dataclass(frozen=True)
class Deed:
    """An action that was begun. Times in seconds of the log; control periods from `first_step` to `last_step`, both
    None where it commanded nothing; `waited` are the seconds until the first command, in which paths were found. `arm`
    is whose it was, where there are several."""

    number: int
    action: str
    begin: float
    end: float
    how: How
    why: str
    waited: float
    first_step: int | None
    last_step: int | None
    arm: str = ""


MOVES = ("command", "leg")
"""Events with which an action begins to move."""


def as_at_a_table(e: Event) -> Event:
    """What an arm's run calls steps, as the actions that they are."""
    if e["event"] == "step":
        return {**e, "event": "action", "action": words(e, "says") or words(e, "action")}
    if e["event"] in ("done", "abort"):
        return {**e, "event": "result", "success": e["event"] == "done", "missing": words(e, "reason")}
    return e


def deeds(events: Sequence[Event], moments: Moments) -> tuple[Deed, ...]:
    """The actions that were begun, in this order. One that the log breaks off in is `unfinished`."""
    found: tuple[Deed, ...] = ()
    for e, moment in zip(events, moments.of, strict=True):
        found = deeds_after(found, as_at_a_table(e), moment)
    return found


def deeds_after(begun: tuple[Deed, ...], e: Event, moment: int | None = None) -> tuple[Deed, ...]:
    """The actions that were begun, once one more event has happened. What an arm does is its own: of two arms each has
    an action that goes on. `moment` is the control period that the event falls into, without it the event's own step.
    """
    now, arm = time_of(e), words(e, "arm")
    step = int(number(e, "step") or 0) if moment is None else moment
    if e["event"] == "action":
        return (*begun, Deed(len(begun) + 1, words(e, "action"), now, now, "unfinished", "", 0.0, None, None, arm))
    for at in range(len(begun) - 1, -1, -1):
        if begun[at].arm == arm:
            if begun[at].how != "unfinished" or (further := _further(begun[at], e, now, step)) is begun[at]:
                return begun
            return (*begun[:at], further, *begun[at + 1 :])
    return begun


def _further(deed: Deed, e: Event, now: float, step: int) -> Deed:
    """An action after something else has happened."""
    if e["event"] in MOVES and deed.first_step is None:
        first = step if e["event"] == "command" else step + 1
        return replace(deed, waited=now - deed.begin, first_step=first, last_step=first, end=now)
    if e["event"] in FELT and deed.first_step is not None:
        return replace(deed, last_step=max(step, deed.first_step), end=now)
    if e["event"] == "result":
        how: How = "done" if e.get("success") is True else "failed"
        why = "; ".join(filter(None, (words(e, "missing"), words(e, "difference") if how == "failed" else "")))
        return replace(deed, how=how, why=why, end=now)
    if e["event"] == "interrupted":
        return replace(deed, how="stopped", why=words(e, "why") or words(e, "message"), end=now)
    return deed


def bars(events: Sequence[Event], begun: Sequence[Deed]) -> tuple[Bar, ...]:
    """The bars of the three lanes, in the order in which they begin.

    A search for a plan is taken to have begun with the event before its answer. The seconds for motions are those that
    the log tells, and before an action's first command those that went by.
    """
    found, before = list[Bar](), 0.0
    for e in events:
        now, arm = time_of(e), words(e, "arm")
        if e["event"] == "plan":
            status = words(e, "status")
            steps = len(names(e, "plan"))
            label = f"search: {status}{f', {steps} action' if steps else ''}{'s' if steps > 1 else ''}"
            found.append(Bar("symbolic", before, now, label, "done" if status == "found" else "failed", arm=arm))
        elif e["event"] in ("refined", "infeasible"):
            label = "motions found" if e["event"] == "refined" else f"no motion for {words(e, 'action')}"
            how: How = "done" if e["event"] == "refined" else "failed"
            begin = max(0.0, now - (number(e, "seconds") or 0.0))
            found.append(Bar("geometric", begin, now, label, how, arm=arm))
        before = now
    for deed in begun:
        moved = deed.begin + deed.waited
        if deed.first_step is not None and deed.waited >= 0.01:
            path = f"path for {deed.action}"
            found.append(Bar("geometric", deed.begin, moved, path, "done", deed.number, deed.arm))
        found.append(Bar("execution", moved, deed.end, deed.action, deed.how, deed.number, deed.arm))
    return tuple(sorted(found, key=lambda bar: bar.begin))


def lanes_of(shown: Sequence[Bar]) -> tuple[tuple[Lane, str], ...]:
    """The lanes that bars need, and the arm of each; of one arm the three lanes, without its name."""
    of: tuple[Lane, ...] = ("symbolic", "geometric", "execution")
    arms = {lane: sorted({bar.arm for bar in shown if bar.lane == lane}) or [""] for lane in of}
    return tuple((lane, arm) for lane in of for arm in arms[lane])


@dataclass(frozen=True)
class Axis:
    """The stretch of the log's clock that bars cover, in seconds, and where its marks are."""

    begin: float
    end: float
    marks: tuple[float, ...]

    def share(self, t: float) -> float:
        """Where a time is on the axis, per cent."""
        return round(100 * (t - self.begin) / (self.end - self.begin), 3)


def axis_of(shown: Sequence[Bar]) -> Axis:
    """An axis for bars, with about eight marks at round times; a second long where there are none."""
    begin = min((bar.begin for bar in shown), default=0.0)
    end = max((bar.end for bar in shown), default=begin)
    end = max(end, begin + 0.1)
    rough = (end - begin) / 8
    scale: float = 10 ** floor(log10(rough))
    every = next(n * scale for n in (1, 2, 5, 10) if n * scale >= rough)
    first = ceil(begin / every)
    return Axis(begin, end, tuple(round(n * every, 6) for n in range(first, floor(end / every) + 1)))
