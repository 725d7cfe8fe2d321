"""What an episode was asked and came to, in words: its verdict, its goal, and what the language model was asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tamp.runs.endings import Ending
from tamp.view.log_fields import Event, number, table, time_of, words

ORACLE = "oracle (the simulator's state)"
MOST_BYTES = 800_000
"""Bytes of all prompts together that a page has; the list of events has the beginning of each."""
LEFT_OUT = (("", "Left out for the size of this page: the log has it."),)


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
    """What saw, in words; empty where the log does not say."""
    what, *more = (ending.perception or "").split(", ")
    return f"Perception: {', '.join([{'oracle': ORACLE}.get(what, what), *more])}." if what else ""


def goal_facts(goal: str | list[str] | None) -> list[str]:
    """The facts of a goal, or of goals one after the other, in PDDL."""
    goals = [goal] if isinstance(goal, str) else [g for g in goal or () if isinstance(g, str)]
    return [fact for g in goals for fact in _facts(g)]


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


def exchanges(events: Iterable[Event]) -> list[Exchange]:
    """What the model was asked and answered. A reply that goes on after an earlier one has that at its beginning."""
    found = list[Exchange]()
    for e in events:
        if e["event"] == "prompt":
            asked = e.get("messages")
            messages = [m for m in asked if isinstance(m, dict)] if isinstance(asked, list) else []
            shown = tuple((words(m, "role"), words(m, "content")) for m in messages)
            found.append(Exchange(time_of(e), words(e, "model"), shown))
        elif e["event"] == "reply" and found:
            begun, before = words(e, "begun"), found[-1].reply
            text = begun + words(e, "text") if begun or not before else f"{before}\n{words(e, 'text')}"
            found[-1] = replace(found[-1], reply=text, probability=number(e, "probability"))
    return found


def shortened(asked: Sequence[Exchange]) -> Iterator[Exchange]:
    """The same, without the prompts once there are too many."""
    left = MOST_BYTES
    for e in asked:
        left -= sum(len(text.encode(errors="replace")) for _, text in e.messages)
        yield e if left >= 0 else replace(e, messages=LEFT_OUT)


def title_of(instruction: str, goal: str | list[str] | None, steps: Sequence[str], ordered: bool) -> str:
    """The title of an episode: the instruction, else the goal, else what was run."""
    wanted = goal if isinstance(goal, str) else ", then ".join(map(str, goal or ()))
    if instruction or wanted:
        return instruction or wanted
    if steps:
        return f"A plan of {len(steps)} step{'' if len(steps) == 1 else 's'}"
    return "A live session" if ordered else "A run without instruction or goal"


def pairs(event: Event, key: str) -> list[tuple[str, str]]:
    """The entries of an object in an event, as text."""
    return [(name, str(value)) for name, value in table(event, key).items()]
