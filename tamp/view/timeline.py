"""When an episode searched, looked for motions, and moved: its actions, and bars over the log's clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from typing import Literal

from tamp.view.log_fields import Event, names, number, time_of, words
from tamp.view.scene_tracks import PERIODS

Lane = Literal["symbolic", "geometric", "execution"]
State = Literal["done", "failed", "stopped", "unfinished"]
LANES: dict[Lane, str] = {
    "symbolic": "searching for plans",
    "geometric": "looking for grasps, placements and paths",
    "execution": "moving, by the log's clock",
}
BEGINS_TO_MOVE = ("command", "leg")
"""Events with which an action begins to move."""


@dataclass(frozen=True)
class ExecutedAction:
    """An action that was begun. Times in seconds of the log; control periods from `first_step` to `last_step`, both
    None where it commanded nothing; `waited` are the seconds until the first command, in which paths were found."""

    number: int
    action: str
    begin: float
    end: float
    state: State = "unfinished"
    why: str = ""
    waited: float = 0.0
    first_step: int | None = None
    last_step: int | None = None


def as_action(e: Event) -> Event:
    """What the log of an arm's plan calls steps, as the actions that they are."""
    if e["event"] == "step":
        return {**e, "event": "action", "action": words(e, "says") or words(e, "action")}
    if e["event"] in ("done", "abort"):
        return {**e, "event": "result", "success": e["event"] == "done", "missing": words(e, "reason")}
    return e


def actions_after(begun: tuple[ExecutedAction, ...], e: Event, period: int) -> tuple[ExecutedAction, ...]:
    """The actions that were begun, once one more event has happened, in a control period."""
    now = time_of(e)
    if e["event"] == "action":
        return (*begun, ExecutedAction(len(begun) + 1, words(e, "action"), now, now))
    if not begun or begun[-1].state != "unfinished":
        return begun
    further = _further(begun[-1], e, now, period)
    return begun if further is begun[-1] else (*begun[:-1], further)


def _further(action: ExecutedAction, e: Event, now: float, period: int) -> ExecutedAction:
    """An action after something else has happened."""
    if e["event"] in BEGINS_TO_MOVE and action.first_step is None:
        first = period if e["event"] == "command" else period + 1
        return replace(action, waited=now - action.begin, first_step=first, last_step=first, end=now)
    if e["event"] in PERIODS and action.first_step is not None:
        return replace(action, last_step=max(period, action.first_step), end=now)
    if e["event"] == "result":
        state: State = "done" if e.get("success") is True else "failed"
        why = "; ".join(filter(None, (words(e, "missing"), words(e, "difference") if state == "failed" else "")))
        return replace(action, state=state, why=why, end=now)
    if e["event"] == "interrupted":
        return replace(action, state="stopped", why=words(e, "why") or words(e, "message"), end=now)
    return action


@dataclass(frozen=True)
class Bar:
    """A stretch of time in seconds of the log. `number` is that of the action that it belongs to, 0 without one."""

    lane: Lane
    begin: float
    end: float
    label: str
    state: State
    number: int = 0


def planning_bar(e: Event, before: float) -> Bar | None:
    """The bar of a search for a plan or for motions that an event ends. A search for a plan is taken to have begun with
    the event before it, at `before` seconds; for motions the log has the seconds."""
    now = time_of(e)
    if e["event"] == "plan":
        status, steps = words(e, "status"), len(names(e, "plan"))
        label = f"search: {status}{f', {steps} action' if steps else ''}{'s' if steps > 1 else ''}"
        return Bar("symbolic", before, now, label, "done" if status == "found" else "failed")
    if e["event"] in ("refined", "infeasible"):
        done = e["event"] == "refined"
        label = "motions found" if done else f"no motion for {words(e, 'action')}"
        begin = max(0.0, now - (number(e, "seconds") or 0.0))
        return Bar("geometric", begin, now, label, "done" if done else "failed")
    return None


def bars(searches: Sequence[Bar], begun: Sequence[ExecutedAction]) -> list[Bar]:
    """The bars of the three lanes, in the order in which they begin: for motions, too, counts what went by before an
    action's first command."""
    found = [*searches]
    for a in begun:
        moved = a.begin + a.waited
        if a.first_step is not None and a.waited >= 0.01:
            found.append(Bar("geometric", a.begin, moved, f"path for {a.action}", "done", a.number))
        found.append(Bar("execution", moved, a.end, a.action, a.state, a.number))
    return sorted(found, key=lambda bar: bar.begin)


@dataclass(frozen=True)
class Axis:
    """The stretch of the log's clock that bars cover, in seconds, and where its marks are."""

    begin: float
    end: float
    marks: tuple[float, ...]

    @classmethod
    def of(cls, shown: Sequence[Bar]) -> Axis:
        """An axis for bars, with about eight marks at round times; a tenth of a second long where there are none."""
        begin = min((bar.begin for bar in shown), default=0.0)
        end = max(max((bar.end for bar in shown), default=begin), begin + 0.1)
        rough = (end - begin) / 8
        scale: float = 10 ** floor(log10(rough))
        every = next(n * scale for n in (1, 2, 5, 10) if n * scale >= rough)
        marks = range(ceil(begin / every), floor(end / every) + 1)
        return cls(begin, end, tuple(round(n * every, 6) for n in marks))

    def share(self, t: float) -> float:
        """Where a time is on the axis, per cent."""
        return round(100 * (t - self.begin) / (self.end - self.begin), 3)
