"""The log of an episode, gathered event by event for its page."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Literal

from tamp.errors import InputError
from tamp.runs import episode_log
from tamp.runs.endings import Ending, ending
from tamp.view.log_fields import Event, names, number, time_of, words
from tamp.view.scene_tracks import PERIODS, Tracks

State = Literal["done", "failed", "stopped", "unfinished", "planned"]
PERIOD = 0.05
"""Seconds of a control period where the log does not say: of LIBERO and of PyBullet's tables."""


@dataclass(frozen=True)
class ActionRow:
    """An action that was begun, or that the last plan still has: `state` is then `planned`.

    Times are in seconds of the log. It commanded the control periods from `first_step` to `last_step`, None where it
    commanded nothing. `made` and `ended` are the facts that were seen to be true and false after it, and were not
    before.
    """

    number: int
    action: str
    state: State
    begin: float = 0.0
    end: float = 0.0
    why: str = ""
    first_step: int | None = None
    last_step: int | None = None
    made: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()


@dataclass(eq=False)
class Story:
    """A log so far. `steps` are its events but those of control periods, each with the period that it falls into, 0
    before the first one; `actions` those that were begun, `plan` the actions of the last plan, which came after
    `before` of these; `facts` those seen last, `last` is the last control period."""

    log: Path | None = None
    steps: list[tuple[int, Event]] = field(default_factory=list)
    actions: list[ActionRow] = field(default_factory=list)
    tracks: Tracks = field(default_factory=Tracks)
    plan: tuple[str, ...] = ()
    before: int = 0
    start: Event = field(default_factory=dict)
    facts: frozenset[str] = frozenset()
    listens: Path | None = None
    last: int = 0
    _facts_before: frozenset[str] = frozenset()
    _felt: Event | None = None
    _times: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, log: Path) -> Story:
        """The story of a whole log. InputError when it cannot be read."""
        story = cls(log)
        for e in episode_log.read(log):
            story.add(e)
        if not story.steps and story._felt is None:
            raise InputError(f"{log} holds no event")
        return story

    def add(self, e: Event) -> None:
        """Take one more event. Fields of the wrong type are ignored."""
        e = _as_action(e)
        kind = e["event"]
        if kind in PERIODS:  # as the log counts them, if it does
            self.last = max(self.last + 1, int(number(e, "step") or 0))
        self.tracks.add(e, self.last)
        self._add_to_actions(e)
        if kind in PERIODS:
            self._felt = e
            self._times = [*self._times[-200:], time_of(e)] if kind == "at" else []
            return
        self.steps.append((self.last, e))
        if kind in ("start", "world"):
            self.start = {**e, **self.start}
        if steps := names(e, {"start": "steps", "plan": "plan"}.get(kind, "")):
            self.plan, self.before = steps, len(self.actions)
        if kind == "listens":
            self.listens = Path(words(e, "path")) if words(e, "path") else None
        if kind in ("state", "final") and isinstance(e.get("atoms"), list):
            self._see(frozenset(names(e, "atoms")), kind)

    def _add_to_actions(self, e: Event) -> None:
        """An action begins, moves or ends."""
        kind, now, action = e["event"], time_of(e), self.actions[-1] if self.actions else None
        if kind == "action":
            self._facts_before = self.facts
            self.actions.append(ActionRow(len(self.actions) + 1, words(e, "action"), "unfinished", now, now))
        elif action is None or action.state != "unfinished":
            return
        elif kind in ("command", "leg") and action.first_step is None:
            first = self.last if kind == "command" else self.last + 1
            self.actions[-1] = replace(action, first_step=first, last_step=first, end=now)
        elif kind in PERIODS and action.first_step is not None:
            self.actions[-1] = replace(action, last_step=max(self.last, action.first_step), end=now)
        elif kind == "result":
            state: State = "done" if e.get("success") is True else "failed"
            why = "; ".join(filter(None, (words(e, "missing"), words(e, "difference") if state == "failed" else "")))
            self.actions[-1] = replace(action, state=state, why=why, end=now)
        elif kind == "interrupted":
            why = words(e, "why") or words(e, "message")
            self.actions[-1] = replace(action, state="stopped", why=why, end=now)

    def _see(self, facts: frozenset[str], kind: str) -> None:
        """Facts were seen. The last ones of a log of cameras are the simulator's, by its own names: ignored."""
        if kind == "final" and any(e["event"] == "matched" for e in self.events):
            return
        self.facts = facts
        if self.actions:
            made, ended = sorted(facts - self._facts_before), sorted(self._facts_before - facts)
            self.actions[-1] = replace(self.actions[-1], made=tuple(made), ended=tuple(ended))

    @property
    def events(self) -> list[Event]:
        """The events but those of control periods."""
        return [e for _, e in self.steps]

    @property
    def name(self) -> str:
        """What the episode is called."""
        return "" if self.log is None else self.log.parent.name if self.log.name == episode_log.LOG else self.log.name

    @property
    def period(self) -> float:
        """Seconds of a control period: as the log says of its robot; of an arm that runs a plan, between two looks."""
        if self.tracks.robot is not None and self.tracks.robot.period:
            return self.tracks.robot.period
        apart = [b - a for a, b in pairwise(self._times) if b > a]
        return round(median(apart), 4) if apart else PERIOD

    def ending(self) -> Ending:
        """What it came to; `interrupted` while it goes on."""
        events = [*([] if self._felt is None else [dict(self._felt)]), *map(dict, self.events)]
        found = ending(self.name, events)
        own = next((e for e in self.events if e["event"] == "interrupted" and not words(e, "action")), None)
        if own is not None and found.verdict == "interrupted":  # the run itself, and not one of its actions
            found = ending(self.name, [*events, {**own, "event": "error"}])
        return found

    def rows(self) -> list[ActionRow]:
        """The actions that were begun, and those of the last plan that are still to come."""
        left = [*self.plan]
        for a in self.actions[self.before :]:
            if a.state != "failed" and a.action in left:
                left.remove(a.action)
        first = len(self.actions) + 1
        return self.actions + [ActionRow(n, a, "planned") for n, a in enumerate(left, first)]

    def activities(self) -> list[Event]:
        """The activities that go on: the last word on each."""
        last = {words(e, "name"): e for e in self.events if e["event"] == "activity"}
        return [e for e in last.values() if words(e, "stage") in ("moving", "acting")]


def _as_action(e: Event) -> Event:
    """What the log of an arm's plan calls steps, as the actions that they are."""
    if e["event"] == "step":
        return {**e, "event": "action", "action": words(e, "says") or words(e, "action")}
    if e["event"] in ("done", "abort"):
        return {**e, "event": "result", "success": e["event"] == "done", "missing": words(e, "reason")}
    return e
