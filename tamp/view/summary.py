"""An episode in words: its verdict and title, what the language model was asked, what went wrong and what was done."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from tamp.runs.endings import Ending
from tamp.view.log_fields import Event, names, number, point, table, time_of, words

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


KINDS = {
    "result": "not achieved",
    "infeasible": "plan rejected",
    "hint": "what would help",
    "second_look": "second check",
    "interrupted": "stopped",
    "activity": "given up",
    "plan_attempt": "plan of the model",
    **{kind: kind for kind in ("corrected", "search", "refused", "veto", "blind", "error", "unmatched")},
}
"""Events that report a failure or a reaction to one, and what they are called on a page."""
BETWEEN = ("action", "goal", "order", "refined")
"""Events after which what is alike is reported anew."""


@dataclass(frozen=True)
class FailureRow:
    """Something that went wrong or was done about it, in words: `count` times from control period `step` to `until`.
    `things` are what was in the way, else what the action was about."""

    t: float
    kind: str
    text: str
    step: int
    until: int
    count: int = 1
    things: tuple[str, ...] = ()

    @property
    def ends_action(self) -> bool:
        """Whether an action came to nothing by it."""
        return self.kind in (KINDS["result"], KINDS["infeasible"], KINDS["interrupted"])


def failures(steps: Iterable[tuple[int, Event]]) -> list[FailureRow]:
    """What went wrong, and what was done about it, in the order of the log. What is alike while one action goes on, or
    within one decision, is one row, with the greatest distance."""
    found, worst = list[FailureRow](), list[float]()
    alike: dict[Hashable, int] = {}
    for step, e in steps:
        if e["event"] in BETWEEN:
            alike.clear()
        if not _is_failure(e):
            continue
        far, key = _distance(e), (e["event"], _text(e, 0.0))
        if (at := alike.get(key)) is None:
            alike[key] = len(found)
            things = _others(e) or names(e, "blockers") or tuple(_operands(e))
            found.append(FailureRow(time_of(e), KINDS[e["event"]], _text(e, far), step, step, things=things))
            worst.append(far)
        else:
            worst[at] = max(worst[at], far)
            found[at] = replace(found[at], until=step, count=found[at].count + 1, text=_text(e, worst[at]))
    return found


def _is_failure(e: Event) -> bool:
    match e["event"]:
        case "result":
            return e.get("success") is not True
        case "second_look":
            return bool(words(e, "objection"))
        case "activity":
            return words(e, "stage") == "failed"
        case "plan_attempt":
            return e.get("error") is not None
        case kind:
            return kind in KINDS


def _distance(e: Event) -> float:
    """Metres that something is off or too deep."""
    if e["event"] == "corrected":
        return float(sum(v * v for v in point(e.get("by")) or ()) ** 0.5)
    return abs(number(e, "depth") or 0.0) if e["event"] == "veto" else 0.0


def _text(e: Event, far: float) -> str:
    """A failure as a line, `far` metres being the most of it."""
    match e["event"]:
        case "veto":
            return f"{words(e, 'body')} would be {1000 * far:.0f} mm deep in {words(e, 'other') or 'itself'}"
        case "corrected":
            return f"the motion was led to {words(e, 'thing')}, {1000 * far:.0f} mm from where it was"
        case "search":
            return f"looking {words(e, 'what')}: {words(e, 'how')}"
        case "infeasible":
            why = words(e, "message") or words(e, "reason")
            others = " ".join(_others(e))
            facts = " ".join(names(e, "facts"))
            more = (others and f"in the way: {others}", words(e, "purpose"), facts and f"for the planner: {facts}")
            return "; ".join(filter(None, (f"{words(e, 'action')}: {why}", *more)))
    what = words(e, "action") or words(e, "name")
    why_not = "; ".join(
        words(e, k) for k in ("missing", "difference", "why", "message", "objection", "error") if words(e, k)
    )
    return ": ".join(filter(None, (what, why_not)))


def _operands(e: Event) -> list[str]:
    return words(e, "action").strip("()").split()[1:]


def _others(e: Event) -> tuple[str, ...]:
    """What is in the way of an action, apart from what it is about."""
    return tuple(b for b in names(e, "blockers") if b not in _operands(e))
