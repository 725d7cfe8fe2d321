"""What a language model got wrong, by type, from the events of episodes' logs (docs/episodes.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import chain, pairwise, zip_longest
from typing import Any

Event = dict[str, Any]
"""A line of an episode's log."""

Name = tuple[str, str]
"""A type of failure: the event that shows it, which is `refused` (no goal), `scored` (not the goal that was asked for),
`error` (no answer came) or `plan_attempt` (an impossible plan), and the error."""

ENDS = ("language", "refused", "error")
"""Events that end the reading of an instruction: a goal, a refusal, no answer."""


@dataclass(frozen=True)
class LanguageFailure:
    """One failure. `reply` is the answer at fault, "" without one. `mended` is what put it right, "" if nothing did: a
    person's choice, the instruction in other words, or a later `attempt` at the plan."""

    episode: str
    instruction: str
    reply: str
    message: str
    mended: str = ""
    attempt: int | None = None


Found = tuple[Name, LanguageFailure]


@dataclass(frozen=True)
class Group:
    """All failures of one type."""

    name: Name
    failures: tuple[LanguageFailure, ...]

    @property
    def episodes(self) -> int:
        """The number of episodes with such a failure."""
        return len({f.episode for f in self.failures})

    @property
    def mended(self) -> dict[str, int]:
        """How many were put right, by what did it."""
        return dict(sorted(Counter(f.mended for f in self.failures if f.mended).items()))

    def examples(self, most: int) -> tuple[LanguageFailure, ...]:
        """At most so many of them, from as many episodes as possible."""
        by_episode: dict[str, list[LanguageFailure]] = {}
        for f in self.failures:
            by_episode.setdefault(f.episode, []).append(f)
        return tuple(f for f in chain(*zip_longest(*by_episode.values())) if f)[:most]

    def as_dict(self, most: int) -> dict[str, Any]:
        """As plain data with `most` examples."""
        event, error = self.name
        counts = {"times": len(self.failures), "episodes": self.episodes, "mended": self.mended}
        return {"event": event, "error": error, **counts, "examples": [asdict(f) for f in self.examples(most)]}


@dataclass
class FailureReport:
    """Counts and failures of the episodes that were added.

    Of all `logs`, those with an instruction to read (`language`), where the model was `asked`, where there was a
    `goal`, and where it was right that the instruction was `refused`. Of the `plans` that the model was asked for,
    those `found`, and those `found_first`, at the first attempt.
    """

    logs: int = 0
    language: int = 0
    asked: int = 0
    goal: int = 0
    refused: int = 0
    plans: int = 0
    found: int = 0
    found_first: int = 0
    _failures: dict[Name, list[LanguageFailure]] = field(default_factory=dict)

    def add(self, episode: str, events: list[Event]) -> bool:
        """Count one episode's log. Returns whether it has a failure that nothing put right."""
        found = [*self._read(episode, events), *self._planned(episode, events)]
        self.logs += 1
        for name, failure in found:
            self._failures.setdefault(name, []).append(failure)
        return any(not failure.mended for _, failure in found)

    def _read(self, episode: str, events: list[Event]) -> Iterator[Found]:
        """Of the readings: there are several where a person put the instruction in other words."""
        readings = _parts(events, lambda e: e["event"] == "instruction")
        ends = [_first(r, *ENDS) for r in readings]
        goals = [end.get("event") == "language" for end in ends]
        self.language += bool(readings)
        self.asked += any(_first(r, "prompt", *ENDS).get("event") == "prompt" for r in readings)
        self.goal += any(goals)
        for n, (reading, end) in enumerate(zip(readings, ends, strict=True)):
            instruction, scored = _text(reading[0], "text"), _first(reading, "scored")
            success, refused = scored.get("success"), end.get("event") == "refused"
            self.refused += refused and success is True and n + 1 == len(readings)
            if goals[n] and success is False:
                reaches = " (a plan for it reaches the task's goal)" if scored.get("reaches") else ""
                message = _text(scored, "reason") + reaches
                name = "scored", "not refused" if scored.get("refuse") else "other goal"
                yield name, LanguageFailure(episode, instruction, _text(end, "reply"), message)
            elif end and not goals[n] and not (refused and success is True):
                # A refusal says why; an end that does not is a model that could not answer.
                why = _text(end, "why") if refused else ""
                last = _first(reading[: reading.index(end)][::-1], "reply")
                later = any(goals[n + 1 :]) or any(_first(r, "chosen") for r in readings[n + 1 :])
                mended = "choice" if _first(reading, "chosen") else "other words" if later else ""
                failure = LanguageFailure(episode, instruction, _text(last, "text"), _text(end, "message"), mended)
                yield ("refused", why) if why else ("error", "no answer"), failure

    def _planned(self, episode: str, events: list[Event]) -> Iterator[Found]:
        """Of the attempts at plans; the instruction is the last one that was read, else the task's."""
        attempts = [e for e in events if e["event"] == "plan_attempt" and "error" in e]
        instruction = _text(_first(events[::-1], "instruction"), "text") or _text(
            _first(events, "start"), "instruction"
        )
        for plan in _parts(attempts, lambda e: e is attempts[0] or e.get("attempt") == 1):
            self.plans += 1
            self.found += plan[-1]["error"] is None
            self.found_first += plan[0]["error"] is None
            mended = next((f"attempt {e.get('attempt')}" for e in plan if e["error"] is None), "")
            for e in plan:
                if e["error"] is not None:
                    reply, message, attempt = _text(e, "reply"), _text(e, "message"), e.get("attempt")
                    failure = LanguageFailure(episode, instruction, reply, message, mended, attempt)
                    yield ("plan_attempt", _text(e, "error")), failure

    def groups(self) -> list[Group]:
        """Failures by type, the most frequent first."""
        groups = [Group(name, tuple(failures)) for name, failures in self._failures.items()]
        return sorted(groups, key=lambda g: (-len(g.failures), g.name))

    def as_dict(self, examples: int = 3) -> dict[str, Any]:
        """As plain data with `examples` of each type; `first_try_share` is null without plans."""
        share = round(self.found_first / self.plans, 4) if self.plans else None
        read = {"episodes": self.language, "asked": self.asked, "goals": self.goal, "rightly_refused": self.refused}
        plans = {"asked": self.plans, "found": self.found, "first_try": self.found_first, "first_try_share": share}
        failures = [g.as_dict(examples) for g in self.groups()]
        return {"logs": self.logs, "language": read, "plans": plans, "failures": failures}


def _parts(events: list[Event], begins: Callable[[Event], bool]) -> list[list[Event]]:
    """The events in parts, each from one that begins a part until the next one that does."""
    starts = [n for n, e in enumerate(events) if begins(e)]
    return [events[i:j] for i, j in pairwise([*starts, len(events)])]


def _first(events: list[Event], *kinds: str) -> Event:
    """The first event of these kinds, {} without one."""
    return next((e for e in events if e["event"] in kinds), {})


def _text(event: Event, key: str) -> str:
    return str(event.get(key) or "")
