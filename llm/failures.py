"""What went wrong between prompt and goal, and between prompt and plan, collected from episodes' logs.

It reads events (docs/episodes.md) and nothing else: no model, no scene.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

Event = dict[str, Any]
"""A line of an episode's log."""

ENDS = ("language", "refused", "error")
"""Events with which the reading of an instruction is over."""

EXAMPLES = 3
"""Examples shown of each type of failure."""


@dataclass(frozen=True)
class Failure:
    """One thing that went wrong: the kind of `event` that tells of it, and the type of `error`.

    `event` is `objection` (an answer was sent back), `refused` (no goal), `scored` (not the goal that was asked for),
    `error` (no answer came) or `plan_attempt` (a plan that cannot be). `reply` is the answer at fault; of a refusal the
    last one, if any. `mended` says what put it right, "" when nothing did: a later attempt, the instruction in other
    words, or somebody's choice.
    """

    event: str
    error: str
    episode: str
    instruction: str
    attempt: int | None
    reply: str
    message: str
    mended: str = ""


@dataclass(frozen=True)
class Group:
    """All failures of one type."""

    failures: tuple[Failure, ...]

    @property
    def name(self) -> tuple[str, str]:
        """The event and the error that they share."""
        return self.failures[0].event, self.failures[0].error

    @property
    def episodes(self) -> int:
        """In how many episodes there are some."""
        return len({f.episode for f in self.failures})

    @property
    def mended(self) -> dict[str, int]:
        """How many were put right, by what did it."""
        return dict(sorted(Counter(f.mended for f in self.failures if f.mended).items()))

    def examples(self, most: int) -> tuple[Failure, ...]:
        """Some of them, of as many episodes as there are."""
        seen: Counter[str] = Counter()
        rank = []
        for n, f in enumerate(self.failures):
            rank.append((seen[f.episode], n))
            seen[f.episode] += 1
        return tuple(self.failures[n] for _, n in sorted(rank)[:most])

    def as_dict(self, most: int) -> dict[str, Any]:
        """As plain data with `most` examples."""
        event, error = self.name
        counts = {"times": len(self.failures), "episodes": self.episodes}
        shown = [{k: v for k, v in asdict(f).items() if k not in ("event", "error")} for f in self.examples(most)]
        return {"event": event, "error": error, **counts, "mended": self.mended, "examples": shown}


@dataclass
class Report:
    """What `add` was told, added up.

    Episodes: `logs` in all, `language` of them with an instruction to read; the model was `asked` about it, asked
    `again`, there was a `goal`, it was that of the `first` answer, with nothing against it; `refused` rightly. Plans:
    `plans` that a model was asked for, those `found`, and those `found_first`.
    """

    logs: int = 0
    language: int = 0
    asked: int = 0
    again: int = 0
    goal: int = 0
    first: int = 0
    refused: int = 0
    plans: int = 0
    found: int = 0
    found_first: int = 0
    _failures: list[Failure] = field(default_factory=list)

    def add(self, episode: str, events: list[Event]) -> bool:
        """Take in one episode's log. Returns whether something in it went wrong that nothing put right."""
        self.logs += 1
        before = len(self._failures)
        if readings := _readings(events):
            self.language += 1
            self.asked += any(r.asked for r in readings)
            self.again += any(r.again for r in readings)
            self.goal += any(r.goal for r in readings)
            self.first += readings[0].goal and not readings[0].objections
            self.refused += readings[-1].rightly_refused
            self._failures += _in_language(episode, readings)
        for attempts in _plans(events):
            self.plans += 1
            self.found += attempts[-1]["error"] is None
            self.found_first += attempts[0]["error"] is None
            self._failures += _in_plan(episode, _instruction(events), attempts)
        return any(not f.mended for f in self._failures[before:])

    def groups(self) -> tuple[Group, ...]:
        """Failures by type, the most frequent first."""
        by_type: dict[tuple[str, str], list[Failure]] = {}
        for f in self._failures:
            by_type.setdefault((f.event, f.error), []).append(f)
        return tuple(sorted((Group(tuple(fs)) for fs in by_type.values()), key=lambda g: (-len(g.failures), g.name)))

    def as_dict(self, examples: int = EXAMPLES) -> dict[str, Any]:
        """As plain data; shares are null where there is nothing to share."""
        return {
            "logs": self.logs,
            "language": {
                "episodes": self.language,
                "asked": self.asked,
                "asked_again": self.again,
                "goals": self.goal,
                "first_try": self.first,
                "first_try_share": share(self.first, self.asked),
                "rightly_refused": self.refused,
            },
            "plans": {
                "asked": self.plans,
                "found": self.found,
                "first_try": self.found_first,
                "first_try_share": share(self.found_first, self.plans),
            },
            "failures": [g.as_dict(examples) for g in self.groups()],
        }


def share(part: int, whole: int) -> float | None:
    """`part` of `whole`, None of nothing."""
    return round(part / whole, 4) if whole else None


@dataclass(frozen=True)
class _Reading:
    """An instruction, what was said about it, what ended it (None: the log breaks off), and the verdict on it."""

    text: str
    said: tuple[Event, ...]
    end: Event | None
    scored: Event
    chosen: bool

    @property
    def asked(self) -> bool:
        """Whether the model was asked: what is not there is refused without it."""
        return any(e["event"] == "prompt" for e in self.said)

    @property
    def objections(self) -> tuple[Event, ...]:
        return tuple(e for e in self.said if e["event"] == "objection")

    @property
    def again(self) -> bool:
        kinds = [e["event"] for e in self.said]
        return "objection" in kinds and "prompt" in kinds[kinds.index("objection") :]

    @property
    def goal(self) -> bool:
        return self.end is not None and self.end["event"] == "language"

    @property
    def rightly_refused(self) -> bool:
        return self.end is not None and self.end["event"] == "refused" and self.scored.get("success") is True

    @property
    def reply(self) -> str:
        """The last answer, as far as it got."""
        replies = [f"{e.get('begun', '')}{e.get('text', '')}" for e in self.said if e["event"] == "reply"]
        return replies[-1] if replies else ""


def _readings(events: list[Event]) -> list[_Reading]:
    """Every instruction of a log; there are several where a person was asked for other words."""
    starts = [n for n, e in enumerate(events) if e["event"] == "instruction"]
    return [_reading(events[i:j]) for i, j in pairwise([*starts, len(events)])]


def _reading(events: list[Event]) -> _Reading:
    over = next((n for n, e in enumerate(events) if e["event"] in ENDS), len(events))
    end = events[over] if over < len(events) else None
    scored = next((e for e in events[over:] if e["event"] == "scored"), {})
    chosen = any(e["event"] == "chosen" for e in events[over:])
    return _Reading(str(events[0].get("text", "")), tuple(events[1:over]), end, scored, chosen)


def _in_language(episode: str, readings: list[_Reading]) -> Iterator[Failure]:
    for n, r in enumerate(readings):
        yield from _objections(episode, r)
        later = any(o.goal or o.chosen for o in readings[n + 1 :])
        yield from _ending(episode, r, "choice" if r.chosen else "other words" if later else "")


def _objections(episode: str, r: _Reading) -> Iterator[Failure]:
    """Answers sent back; mended when the answer that was taken is a later one."""
    taken = _number(r.end.get("attempt")) if r.goal and r.end is not None else 0
    for o in r.objections:
        attempt = _number(o.get("attempt"))
        told = (r.text, attempt, str(o.get("reply", "")), str(o.get("message", "")))
        yield Failure("objection", str(o.get("error")), episode, *told, f"attempt {taken}" * (taken > attempt))


def _ending(episode: str, r: _Reading, mended: str) -> Iterator[Failure]:
    """What came of it, where that is no goal or another one than was asked for."""
    if r.end is None or r.rightly_refused:
        return
    if r.goal:
        if r.scored.get("success") is False:
            wrong = "not refused" if r.scored.get("refuse") else "other goal"
            reply, message = str(r.end.get("reply", "")), str(r.scored.get("reason", ""))
            message += " (a plan for it reaches the task's goal)" * bool(r.scored.get("reaches"))
            yield Failure("scored", wrong, episode, r.text, _number(r.end.get("attempt")), reply, message)
        return
    message = str(r.end.get("message", ""))
    if r.end["event"] == "refused" and "why" in r.end:
        yield Failure("refused", str(r.end["why"]), episode, r.text, None, r.reply, message, mended)
    else:  # a refusal always says why: this is a model that could not answer
        yield Failure("error", "no answer", episode, r.text, None, r.reply, message, mended)


def _plans(events: Iterable[Event]) -> list[list[Event]]:
    """The attempts at each plan; every plan begins with attempt 1."""
    plans: list[list[Event]] = []
    for e in events:
        if e["event"] == "plan_attempt" and "error" in e:
            if e.get("attempt") == 1 or not plans:
                plans.append([])
            plans[-1].append(e)
    return plans


def _in_plan(episode: str, instruction: str, attempts: list[Event]) -> Iterator[Failure]:
    found = next((e.get("attempt") for e in attempts if e["error"] is None), None)
    for e in attempts:
        if e["error"] is not None:
            told = (instruction, e.get("attempt"), str(e.get("reply", "")), str(e.get("message", "")))
            mended = f"attempt {found}" if found is not None else ""
            yield Failure("plan_attempt", str(e["error"]), episode, *told, mended)


def _instruction(events: list[Event]) -> str:
    """What an episode was to do: the last instruction that was read, else the task's."""
    read = [str(e.get("text", "")) for e in events if e["event"] == "instruction"]
    return read[-1] if read else next((str(e["instruction"]) for e in events if e.get("instruction")), "")


def _number(attempt: Any) -> int:
    """The number of an attempt; the first where a log does not say."""
    return attempt if isinstance(attempt, int) else 1
