"""Failures of an episode: rejected plans, failed actions and what was done about them; repeated ones are counted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from tamp.view.log_fields import Event, names, number, point, time_of, words

FAILURES = (
    *("infeasible", "second_look", "interrupted", "advised", "corrected", "search", "refused"),
    *("veto", "blind", "error", "unmatched"),
)
"""Events that report a failure or a reaction to one, apart from unsuccessful results."""
BETWEEN = ("action", "step", "plan")
"""Events after which what is alike is reported anew."""
DECIDED = ("goal", "order", "action", "refined")
"""Events after which what is given up belongs to another decision."""
KINDS = {"result": "not achieved", "infeasible": "plan rejected", "interrupted": "stopped", "activity": "given up"}
"""What some of these events are called on a page."""

Steps = Iterable[tuple[int, Event]]
"""Events, each with the control period that it falls into."""


@dataclass(frozen=True)
class RejectedPlan:
    """A plan for which no motions were found: at which action, why, what is in the way, the facts that the planner got
    from it, and the seconds that it took to find out. `step` is the control period, `count` how many plans in a row
    came to the same end, from `t` until `until`; the first one is shown. `decision` numbers the decision that it was
    tried for; `hint` says what would make the action possible, and `purpose` what it was to be done for, where that is
    known."""

    t: float
    until: float
    step: int
    plan: tuple[str, ...]
    action: str
    reason: str
    message: str
    blockers: tuple[str, ...]
    facts: tuple[str, ...]
    seconds: float
    decision: int
    purpose: str
    count: int = 1
    hint: str = ""


@dataclass(frozen=True)
class FailureRow:
    """Something that went wrong or was done about it, in words: `count` times from control period `step` to `until`."""

    t: float
    kind: str
    text: str
    step: int
    until: int
    count: int = 1


def rejected_plans(steps: Steps) -> list[RejectedPlan]:
    """The plans that were given up because an action had no motion."""
    found, plan, decision = list[RejectedPlan](), tuple[str, ...](), 0
    for step, e in steps:
        decision += e["event"] in DECIDED
        action, reason, now = words(e, "action"), words(e, "reason"), time_of(e)
        if e["event"] == "plan" and names(e, "plan"):
            plan = names(e, "plan")
        elif e["event"] == "infeasible":
            why = (action, reason, words(e, "message") or reason, names(e, "blockers"), names(e, "facts"))
            seconds = number(e, "seconds") or 0.0
            one = RejectedPlan(now, now, step, plan, *why, seconds, decision, words(e, "purpose"))
            if found and _end(found[-1]) == _end(one):
                both = found[-1].seconds + seconds
                found[-1] = replace(found[-1], until=now, seconds=both, count=found[-1].count + 1)
            else:
                found.append(one)
        elif e["event"] == "hint":
            why_not = (decision, action, reason)
            hint = words(e, "message")
            found = [replace(r, hint=hint) if (r.decision, r.action, r.reason) == why_not else r for r in found]
    return found


def _end(of: RejectedPlan) -> Hashable:
    return of.action, of.message, of.blockers, of.decision


def failures(steps: Steps) -> list[FailureRow]:
    """What went wrong, and what was done about it, in the order of the log. Vetoes, corrections and the like that are
    of the same thing while one action goes on are one."""
    found, worst = list[FailureRow](), list[float]()
    alike: dict[Hashable, int] = {}
    for step, e in steps:
        if e["event"] in BETWEEN:
            alike.clear()
        if not _is_failure(e):
            continue
        far, key = _distance(e), (e["event"], *_subject(e))
        if (at := alike.get(key)) is None:
            alike[key] = len(found)
            found.append(FailureRow(time_of(e), KINDS.get(e["event"], str(e["event"])), _text(e, far), step, step))
            worst.append(far)
        else:
            worst[at] = max(worst[at], far)
            found[at] = replace(found[at], until=step, count=found[at].count + 1, text=_text(e, worst[at]))
    return found


def _is_failure(e: Event) -> bool:
    kind = e["event"]
    if kind == "second_look":
        return bool(words(e, "objection"))
    failed = kind == "result" and e.get("success") is not True
    return failed or kind in FAILURES or (kind == "activity" and words(e, "stage") == "failed")


def _subject(e: Event) -> tuple[str, ...]:
    """What is the same in failures that are reported once."""
    if e["event"] == "veto":
        return words(e, "body"), words(e, "other")
    return (words(e, "thing"),) if e["event"] == "corrected" else (_text(e, 0.0),)


def _distance(e: Event) -> float:
    """Metres that something is off or too deep."""
    if e["event"] == "corrected":
        return float(sum(v * v for v in point(e.get("by")) or ()) ** 0.5)
    return abs(number(e, "depth") or 0.0) if e["event"] == "veto" else 0.0


def _text(e: Event, far: float) -> str:
    """A failure as a line, `far` metres being the most of it."""
    kind = e["event"]
    if kind == "veto":
        return f"{words(e, 'body')} would be {1000 * far:.0f} mm deep in {words(e, 'other') or 'itself'}"
    if kind == "corrected":
        return f"the motion was led to {words(e, 'thing')}, {1000 * far:.0f} mm from where it was"
    if kind == "search":
        return f"looking {words(e, 'what')}: {words(e, 'how')}"
    what = words(e, "action") or words(e, "name")
    why = [words(e, k) for k in ("missing", "difference", "why", "message", "objection", "error")]
    return ": ".join(filter(None, (what, "; ".join(filter(None, why)))))
