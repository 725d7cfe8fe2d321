"""What went wrong in an episode, and what was done about it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from tamp.view.log_fields import Event, names, number, point, time_of, words

KINDS = {
    "result": "not achieved",
    "infeasible": "plan rejected",
    "hint": "what would help",
    "second_look": "second check",
    "interrupted": "stopped",
    "activity": "given up",
    "plan_attempt": "plan of the model",
    **{kind: kind for kind in ("advised", "corrected", "search", "refused", "veto", "blind", "error", "unmatched")},
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
            more = (others and f"in the way: {others}", words(e, "purpose"), facts and f"told the planner: {facts}")
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
