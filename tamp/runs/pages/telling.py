"""What an episode was asked and came to, in words: its verdict, its goal and the words behind each part, and what was
asked of the language model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tamp.runs.endings import Ending
from tamp.runs.pages.fields import Event, number, table, time_of, words

ORACLE = "oracle (the simulator's state)"


@dataclass(frozen=True)
class GoalPart:
    """A fact of the goal in PDDL, and the words that made it, empty where the log does not know."""

    fact: str
    words: str


@dataclass(frozen=True)
class Exchange:
    """A question to the language model and its answer, with its probability where it is known."""

    t: float
    model: str
    messages: tuple[tuple[str, str], ...]
    reply: str
    probability: float | None


def verdict_of(ending: Ending) -> str:
    """A sentence on what an episode came to, and by whose eyes."""
    if ending.verdict == "interrupted":
        return f"It did not end by itself: its log breaks off after {ending.seconds:.1f} s."
    if ending.verdict == "error":
        return f"It ended with an error: {ending.reason or 'no reason is told'}."
    known = "" if ending.reached is None else " by the oracle of the goal"
    judge = known if ending.task is None else " by LIBERO's check"
    if ending.verdict == "success":
        return f"It succeeded{judge}."
    failed = ": ".join(filter(None, (f"It failed in {ending.stage}" if ending.stage else "", ending.reason)))
    return f"It did not succeed{judge}.{f' {failed}.' if failed else ''}"


def eyes_of(perception: str | None) -> str:
    """What saw, in words."""
    if perception is None:
        return "Perception: the log does not say."
    what, *more = perception.split(", ")
    return f"Perception: {', '.join([{'oracle': ORACLE}.get(what, what), *more])}."


def goal_parts(goal: str | list[str] | None, events: Sequence[Event]) -> tuple[GoalPart, ...]:
    """The facts of a goal with the words that the model gave for each, where it gave as many in brackets."""
    goals = [goal] if isinstance(goal, str) else [g for g in goal or () if isinstance(g, str)]
    facts = [fact for g in goals for fact in _facts(g)]
    said = [reply for e in exchanges(events) if (reply := _bracketed(e.reply))]
    spoken = said[-1] if said else []
    if len(spoken) == len(facts):
        return tuple(map(GoalPart, facts, spoken))
    read = [words(e, "reply") for e in events if e["event"] == "language"]
    return tuple(GoalPart(fact, read[-1] if read else "") for fact in facts)


def _facts(goal: str) -> list[str]:
    """The parts of a conjunction in PDDL; anything else as it is."""
    inner = re.fullmatch(r"\(and (.*)\)", " ".join(goal.split()))
    if not inner:
        return [goal]
    parts, depth, begin = list[str](), 0, 0
    for at, c in enumerate(inner[1]):
        depth += (c == "(") - (c == ")")
        if c == "(" and depth == 1:
            begin = at
        elif c == ")" and depth == 0:
            parts += _facts(inner[1][begin : at + 1])
    return parts


def _bracketed(reply: str) -> list[str]:
    """What a reply says, fact by fact: `[the book] is in [the caddy].`"""
    lines = [part.strip() for part in re.split(r"[.\n]", reply) if part.strip().startswith("[")]
    return [line.replace("[", "").replace("]", "") for line in lines]


def exchanges(events: Sequence[Event]) -> tuple[Exchange, ...]:
    """What the model was asked and answered. A reply that goes on after an earlier one has that at its beginning."""
    found = list[Exchange]()
    for e in events:
        if e["event"] == "prompt":
            asked = e.get("messages")
            messages = [m for m in asked if isinstance(m, dict)] if isinstance(asked, list) else []
            told = tuple((words(m, "role"), words(m, "content")) for m in messages)
            found.append(Exchange(time_of(e), words(e, "model"), told, "", None))
        elif e["event"] == "reply" and found:
            last = found[-1]
            begun = words(e, "begun")
            text = begun + words(e, "text") if begun or not last.reply else f"{last.reply}\n{words(e, 'text')}"
            found[-1] = Exchange(last.t, last.model, last.messages, text, number(e, "probability"))
    return tuple(found)


def orders(events: Sequence[Event]) -> tuple[tuple[float, str, str | None], ...]:
    """The orders of a live session: when, which, and why it was refused, None where it was taken."""
    told = [e for e in events if e["event"] == "order"]
    return tuple((time_of(e), words(e, "order"), None if e.get("taken") is True else words(e, "why")) for e in told)


def title_of(instruction: str, goal: str | list[str] | None, steps: Sequence[str], ordered: bool) -> str:
    """What an episode is called: what was said, else what was wanted, else what was run."""
    wanted = goal if isinstance(goal, str) else ", then ".join(map(str, goal or ()))
    if said := instruction or wanted:
        return said
    if steps:
        return f"A plan of {len(steps)} step{'' if len(steps) == 1 else 's'}"
    return "A live session" if ordered else "A run without instruction or goal"


def versions(events: Sequence[Event]) -> tuple[tuple[str, str], ...]:
    """The versions that the log's beginning names."""
    start = next((e for e in events if e["event"] == "start"), {})
    return tuple((name, str(value)) for name, value in table(start, "versions").items())
