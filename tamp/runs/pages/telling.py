"""What an episode was asked and came to, in words: its verdict, its goal and the words behind each part, what was asked
of the language model, which plans were given up, and what went wrong on the way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tamp.runs.endings import Ending
from tamp.runs.pages.fields import Event, names, number, point, table, time_of, words

TROUBLES = (
    *("infeasible", "second_look", "interrupted", "advised", "corrected", "search", "refused", "objection"),
    *("veto", "blind", "error", "unmatched"),
)
"""Events of what went wrong or was done about it, beside results that say so."""

MOST_VETOES = 20
"""Vetoes told one by one: a motion can have hundreds."""


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


@dataclass(frozen=True)
class Rejected:
    """A plan for which no motions were found: at which action, why, what is in the way, the facts that the planner was
    told, and the seconds that it took to find out."""

    t: float
    plan: tuple[str, ...]
    action: str
    message: str
    blockers: tuple[str, ...]
    facts: tuple[str, ...]
    seconds: float | None


@dataclass(frozen=True)
class Trouble:
    """Something that went wrong or was done about it, in words."""

    t: float
    kind: str
    told: str


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
        return "The log does not say what saw."
    known = {"camera": "It saw by camera.", "oracle": "It saw by oracle: the simulator's state."}
    return known.get(perception, f"It saw by {perception}.")


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


def rejected(events: Sequence[Event]) -> tuple[Rejected, ...]:
    """The plans that were given up because an action had no motion."""
    found, plan = list[Rejected](), tuple[str, ...]()
    for e in events:
        if e["event"] == "plan" and names(e, "plan"):
            plan = names(e, "plan")
        elif e["event"] == "infeasible":
            told = (words(e, "message") or words(e, "reason"), names(e, "blockers"), names(e, "facts"))
            found.append(Rejected(time_of(e), plan, words(e, "action"), *told, number(e, "seconds")))
    return tuple(found)


def troubles(events: Sequence[Event]) -> tuple[Trouble, ...]:
    """What went wrong, and what was done about it, in the order of the log."""
    found, vetoes = list[Trouble](), 0
    for e in events:
        kind = e["event"]
        if kind == "veto":
            vetoes += 1
            if vetoes > MOST_VETOES:
                continue
        if kind == "second_look" and not words(e, "objection"):
            continue
        failed = kind == "result" and e.get("success") is not True
        if failed or kind in TROUBLES or (kind == "activity" and words(e, "stage") == "failed"):
            found.append(Trouble(time_of(e), _kind(kind), _told(kind, e)))
    if vetoes > MOST_VETOES:
        found.append(Trouble(found[-1].t, "veto", f"{vetoes - MOST_VETOES} more commands were vetoed"))
    return tuple(found)


def _kind(kind: str) -> str:
    known = {"result": "not achieved", "infeasible": "plan rejected", "interrupted": "stopped", "activity": "given up"}
    return known.get(kind, kind)


def _told(kind: str, e: Event) -> str:
    """An event of what went wrong as a line."""
    if kind == "veto":
        step, other = number(e, "step") or 0, words(e, "other") or "itself"
        return f"in control step {step:.0f}: {words(e, 'body')} would be in {other}"
    if kind == "corrected":
        far = sum(v * v for v in point(e.get("by")) or ()) ** 0.5
        return f"the motion was led to {words(e, 'thing')}, {1000 * far:.0f} mm from where it was"
    if kind == "search":
        return f"looking {words(e, 'what')}: {words(e, 'how')}"
    what = words(e, "action") or words(e, "name")
    why = [words(e, k) for k in ("missing", "difference", "why", "message", "objection", "error")]
    return ": ".join(filter(None, (what, "; ".join(filter(None, why)))))


def versions(events: Sequence[Event]) -> tuple[tuple[str, str], ...]:
    """The versions that the log's beginning names."""
    start = next((e for e in events if e["event"] == "start"), {})
    return tuple((name, str(value)) for name, value in table(start, "versions").items())
