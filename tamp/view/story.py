"""What the page of an episode needs to know of its log, gathered event by event."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from tamp.errors import InputError
from tamp.runs import episode_log
from tamp.runs.endings import Ending, ending
from tamp.view.follow import PlanAccount, StepAccount, account
from tamp.view.log_fields import Event, names, number, time_of, words
from tamp.view.page_layout import in_script
from tamp.view.scene_tracks import PERIODS, Tracks
from tamp.view.timeline import Bar, ExecutedAction, actions_after, as_action, planning_bar

PERIOD = 0.05
"""Seconds of a control period where the log does not say: of LIBERO and of PyBullet's tables."""
MOST_BYTES = 2_000_000
"""Bytes of all events together, as the page has them: it stays under 5 MB."""
LONGEST = 20_000
"""Characters of one event."""
MOST_OF_FILE, MOST_FILES = 100_000, 10
"""Characters of a PDDL file or a plan that a page has, and such files: a session can have many problems."""


@dataclass(frozen=True)
class ActionRow:
    """An action that was begun, or that the last plan still has: `state` is then `planned`. `account` says what it
    needs and makes true, where that is known."""

    number: int
    action: str
    state: str
    begun: ExecutedAction | None = None
    account: StepAccount | None = None


@dataclass(eq=False)
class Story:
    """A log so far. `steps` are its events but those of control periods, each with the period that it falls into, 0
    before the first one; `actions` those that were begun, `plan` the actions of the last plan, which came after
    `before` of these; `last` is the last control period."""

    log: Path | None = None
    steps: list[tuple[int, Event]] = field(default_factory=list)
    actions: tuple[ExecutedAction, ...] = ()
    tracks: Tracks = field(default_factory=Tracks)
    searches: list[Bar] = field(default_factory=list)
    plan: tuple[str, ...] = ()
    before: int = 0
    start: Event = field(default_factory=dict)
    seconds: float = 0.0
    listens: Path | None = None
    last: int = 0
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
        e, before = as_action(e), self.seconds
        kind = e["event"]
        if kind in PERIODS:  # as the log counts them, if it does
            self.last = max(self.last + 1, int(number(e, "step") or 0))
        self.seconds = max(before, time_of(e))
        self.tracks.add(e, self.last)
        self.actions = actions_after(self.actions, e, self.last)
        if kind in PERIODS:
            self._felt = e
            self._times = [*self._times[-200:], time_of(e)] if kind == "at" else []
            return
        self.steps.append((self.last, e))
        if bar := planning_bar(e, before):
            self.searches.append(bar)
        if kind in ("start", "world"):
            self.start = {**e, **self.start}
        steps = names(e, {"start": "steps", "plan": "plan"}.get(kind, ""))
        if steps:
            self.plan, self.before = steps, len(self.actions)
        if kind == "listens":
            self.listens = Path(words(e, "path")) if words(e, "path") else None

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
        felt = [] if self._felt is None else [dict(self._felt)]
        found = ending(self.name, [*felt, *map(dict, self.events)])
        own = next((e for e in self.events if e["event"] == "interrupted" and not words(e, "action")), None)
        if own is not None and found.verdict == "interrupted":  # the run itself, and not one of its actions
            found = ending(self.name, [*felt, *map(dict, self.events), {**own, "event": "error"}])
        return found

    def rows(self, followed: PlanAccount | None = None) -> list[ActionRow]:
        """The actions that were begun, and those of the last plan that are still to come."""
        left = [*self.plan]
        for a in self.actions[self.before :]:
            if a.state != "failed" and a.action in left:
                left.remove(a.action)
        accounts = dict(enumerate(followed.steps if followed else (), 1))
        begun = [ActionRow(a.number, a.action, a.state, a, accounts.get(a.number)) for a in self.actions]
        first = len(begun) + 1
        return begun + [ActionRow(n, a, "planned", None, accounts.get(n)) for n, a in enumerate(left, first)]

    def followed(self) -> tuple[PlanAccount, str]:
        """What each action needs and makes true, those that were begun first; or why that is not known."""
        from tamp.files.source import Source
        from tamp.pddl.plan_file import resolve
        from tamp.pddl.reading import read_problem
        from tamp.pddl.text_plans import read_text

        rows, folder = self.rows(), Path() if self.log is None else self.log.parent
        domain, problem = folder / "domain.pddl", folder / "problem.pddl"
        if not (domain.is_file() and problem.is_file()):
            return PlanAccount(), "There is no domain.pddl and problem.pddl beside the log."
        if not rows:
            return PlanAccount(), "No plan was found."
        taken = [row.state in ("done", "planned") for row in rows]
        try:
            parsed = read_problem(domain, problem)[2]
            plan = read_text(Source("the log", "\n".join(row.action for row in rows)), "pddl")
            return account(parsed, resolve(plan, parsed), taken, self._seen_after()), ""
        except InputError as e:
            return PlanAccount(), f"The plan cannot be followed: {e}"

    def _seen_after(self) -> list[frozenset[str] | None]:
        """What was seen after each action that was begun, None where the next one began before."""
        seen = list[frozenset[str] | None]()
        for e in self._seen():
            if e["event"] == "action":
                seen.append(None)
            elif seen and e["event"] in ("state", "final") and isinstance(e.get("atoms"), list):
                seen[-1] = frozenset(names(e, "atoms"))
        return seen

    def _seen(self) -> Iterable[Event]:
        """The events, without the last facts of a log of cameras: these are the simulator's, by its own names."""
        cameras = any(e["event"] == "matched" for e in self.events)
        return (e for e in self.events if not (cameras and e["event"] == "final"))

    def looks(self) -> list[tuple[str, frozenset[str]]]:
        """When facts were seen, and which."""
        found, last = list[tuple[str, frozenset[str]]](), "start"
        for e in self._seen():
            if e["event"] == "result":
                last = f"after {words(e, 'action')}"
            elif e["event"] in ("state", "final") and isinstance(e.get("atoms"), list):
                found.append(("end" if e["event"] == "final" else last, frozenset(names(e, "atoms"))))
        return found

    def files(self) -> list[tuple[str, str]]:
        """The PDDL files and plans beside the log, as text."""
        folder = Path() if self.log is None else self.log.parent
        found = []
        for path in sorted((*folder.glob("*.pddl"), *folder.glob("plan*.txt")))[:MOST_FILES]:
            try:
                found.append((path.name, _shortened(path.read_text(encoding="utf-8", errors="replace"), MOST_OF_FILE)))
            except OSError as e:
                found.append((path.name, f"cannot be read: {e.strerror}"))
        return found

    def activities(self) -> list[Event]:
        """The activities that go on: the last word on each."""
        last = {words(e, "name"): e for e in self.events if e["event"] == "activity"}
        return [e for e in last.values() if words(e, "stage") in ("moving", "acting")]


def listed(log: Path, most: int = MOST_BYTES) -> tuple[list[list[Any]], int]:
    """The events of a log as lines that can be searched, `most` bytes at most: their number from 1, kind, seconds, and
    the fields as JSON; and how many were left out: control periods first, then the last ones."""
    events = episode_log.read(log)
    lines = [_line(number, e) for number, e in enumerate(events, 1)]
    sizes = [len(in_script(line[3]).encode("utf-8", errors="replace")) for line in lines]
    felt = sum(size for line, size in zip(lines, sizes, strict=True) if line[1] in PERIODS)
    room = max(0, most - (sum(sizes) - felt))
    every = 1 if felt <= room else len(lines) if room == 0 else -(-felt // room)
    kept, left = list[list[Any]](), most
    for line, size in zip(lines, sizes, strict=True):
        if line[1] in PERIODS and line[0] % every:
            continue
        left -= size
        if left < 0:
            break
        kept.append(line)
    return kept, len(events) - len(kept)


def _line(number_: int, e: Event) -> list[Any]:
    text = json.dumps({k: v for k, v in e.items() if k not in ("event", "t")}, ensure_ascii=False)
    return [number_, str(e["event"]), number(e, "t") or 0.0, _shortened(text, LONGEST)]


def _shortened(text: str, most: int) -> str:
    left = len(text) - most
    return text if left <= 0 else f"{text[:most]}\n… {left} characters more in the file"


def changed_facts(looks: Sequence[tuple[str, frozenset[str]]]) -> list[tuple[str, list[bool]]]:
    """Those facts that are not the same at all looks, and whether each was seen at each of them."""
    facts = sorted(frozenset().union(*(atoms for _, atoms in looks)))
    rows = [(fact, [fact in atoms for _, atoms in looks]) for fact in facts]
    return [(fact, seen) for fact, seen in rows if len(set(seen)) > 1]
