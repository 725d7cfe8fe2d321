"""What an episode was asked and came to, in words: its verdict, its title, and what the language model was asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tamp.runs.endings import Ending
from tamp.view.log_fields import Event, number, table, time_of, words

ORACLE = "oracle (the simulator's state)"
LONGEST = 20_000
"""Characters that a page has of a text that is as long as a log makes it."""


@dataclass(frozen=True)
class Exchange:
    """A question to the language model and its answer, with its probability where it is known."""

    t: float
    model: str
    messages: tuple[tuple[str, str], ...]
    reply: str = ""
    probability: float | None = None


def verdict_of(ending: Ending) -> str:
    """A sentence on what an episode came to, and by whose judgement."""
    if ending.verdict == "interrupted":
        return f"It ended without a verdict: its log breaks off after {ending.seconds:.1f} s."
    if ending.verdict == "error":
        return f"It ended with an error: {ending.reason or 'the log does not say which'}."
    known = "" if ending.reached is None else " by the oracle of the goal"
    judge = known if ending.task is None else " by LIBERO's check"
    if ending.verdict == "success":
        return f"It succeeded{judge}."
    failed = ": ".join(filter(None, (f"It failed in {ending.stage}" if ending.stage else "", ending.reason)))
    return f"It did not succeed{judge}.{f' {failed}.' if failed else ''}"


def perception_of(ending: Ending) -> str:
    """What perceived, in words; empty where the log does not say."""
    what, *more = (ending.perception or "").split(", ")
    return f"Perception: {', '.join([{'oracle': ORACLE}.get(what, what), *more])}." if what else ""


def goals_of(ending: Ending) -> list[str]:
    """The goals of an episode, one after the other, in PDDL."""
    given = ending.goal if isinstance(ending.goal, list) else [ending.goal]
    return [g for g in given if isinstance(g, str)]


def exchanges(events: Iterable[Event]) -> list[Exchange]:
    """What the model was asked and answered. A reply that goes on after an earlier one has that at its beginning."""
    found = list[Exchange]()
    for e in events:
        if e["event"] == "prompt":
            asked = e.get("messages")
            messages = [m for m in asked if isinstance(m, dict)] if isinstance(asked, list) else []
            shown = tuple((words(m, "role"), _shortened(words(m, "content"))) for m in messages)
            found.append(Exchange(time_of(e), words(e, "model"), shown))
        elif e["event"] == "reply" and found:
            begun, before = words(e, "begun"), found[-1].reply
            text = begun + words(e, "text") if begun or not before else f"{before}\n{words(e, 'text')}"
            found[-1] = replace(found[-1], reply=text, probability=number(e, "probability"))
    return found


def _shortened(text: str) -> str:
    left = len(text) - LONGEST
    return text if left <= 0 else f"{text[:LONGEST]}\n… {left} characters more in the log"


def title_of(instruction: str, goals: Sequence[str], steps: Sequence[str], ordered: bool) -> str:
    """The title of an episode: the instruction, else the goal, else what was run."""
    if instruction or goals:
        return instruction or ", then ".join(goals)
    if steps:
        return f"A plan of {len(steps)} step{'' if len(steps) == 1 else 's'}"
    return "A live session" if ordered else "A run without instruction or goal"


def pairs(event: Event, key: str) -> list[tuple[str, str]]:
    """The entries of an object in an event, as text."""
    return [(name, str(value)) for name, value in table(event, key).items()]
