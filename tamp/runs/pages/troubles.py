"""What went wrong in an episode: plans that were given up, and what was done about the rest; what is alike is told
once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from tamp.runs.pages.fields import Event, names, number, point, time_of, words
from tamp.runs.pages.moments import Moments

TROUBLES = (
    *("infeasible", "second_look", "interrupted", "advised", "corrected", "search", "refused"),
    *("veto", "blind", "error", "unmatched"),
)
"""Events of what went wrong or was done about it, beside results that say so."""
BETWEEN = ("action", "step", "plan")
"""Events after which what is alike is told anew."""
DECIDED = ("goal", "order", "action", "refined")
"""Events after which what is given up belongs to another decision."""


@dataclass(frozen=True)
class Rejected:
    """A plan for which no motions were found: at which action, why, what is in the way, the facts that the planner was
    told, and the seconds that it took to find out. `step` is the control period, `count` how many plans in a row came
    to the same end, from `t` until `until`; the first one is told. `decision` numbers the decision that it was tried
    for; `hint` says what would make the action possible, and `purpose` what it was to be done for, where that is known.
    """

    t: float
    until: float
    step: int
    plan: tuple[str, ...]
    action: str
    reason: str
    message: str
    blockers: tuple[str, ...]
    facts: tuple[str, ...]
    seconds: float | None
    count: int = 1
    decision: int = 0
    hint: str = ""
    purpose: str = ""


@dataclass(frozen=True)
class Trouble:
    """Something that went wrong or was done about it, in words: `count` times from control period `step` to `until`,
    None where it has none."""

    t: float
    kind: str
    told: str
    step: int | None = None
    until: int | None = None
    count: int = 1


def rejected(events: Sequence[Event], moments: Moments) -> tuple[Rejected, ...]:
    """The plans that were given up because an action had no motion."""
    found, plan, decision = list[Rejected](), tuple[str, ...](), 0
    for e, moment in zip(events, moments.of, strict=True):
        decision += e["event"] in DECIDED
        if e["event"] == "plan" and names(e, "plan"):
            plan = names(e, "plan")
        elif e["event"] == "infeasible":
            reason, seconds, now = words(e, "reason"), number(e, "seconds"), time_of(e)
            told = (words(e, "action"), reason, words(e, "message") or reason, names(e, "blockers"), names(e, "facts"))
            one = Rejected(now, now, moment, plan, *told, seconds, decision=decision, purpose=words(e, "purpose"))
            if found and _end(found[-1]) == _end(one):
                both = (found[-1].seconds or 0.0) + (seconds or 0.0)
                found[-1] = replace(found[-1], until=now, seconds=both, count=found[-1].count + 1)
            else:
                found.append(one)
        elif e["event"] == "hint":
            found = [replace(r, hint=words(e, "message")) if _hinted(r, e, decision) else r for r in found]
    return tuple(found)


def _end(of: Rejected) -> Hashable:
    return of.action, of.message, of.blockers, of.decision


def _hinted(of: Rejected, e: Event, decision: int) -> bool:
    return (of.decision, of.action, of.reason) == (decision, words(e, "action"), words(e, "reason"))


def troubles(events: Sequence[Event], moments: Moments | None = None) -> tuple[Trouble, ...]:
    """What went wrong, and what was done about it, in the order of the log. Vetoes, corrections and the like that are
    of the same thing while one action goes on are one."""
    found, worst = list[Trouble](), list[float]()
    alike: dict[Hashable, int] = {}
    for n, e in enumerate(events):
        kind = e["event"]
        if kind in BETWEEN:
            alike.clear()
        if not _trouble(e):
            continue
        far, key = _far(e), (kind, *_subject(e))
        step = _step(e) if moments is None else moments.of[n] or None
        if (at := alike.get(key)) is None:
            alike[key] = len(found)
            found.append(Trouble(time_of(e), _kind(kind), _told(e, far), step, step))
            worst.append(far)
        else:
            worst[at] = max(worst[at], far)
            found[at] = replace(found[at], until=step, count=found[at].count + 1, told=_told(e, worst[at]))
    return tuple(found)


def _trouble(e: Event) -> bool:
    kind = e["event"]
    if kind == "second_look":
        return bool(words(e, "objection"))
    failed = kind == "result" and e.get("success") is not True
    return failed or kind in TROUBLES or (kind == "activity" and words(e, "stage") == "failed")


def _subject(e: Event) -> tuple[str, ...]:
    """What is alike of those that are told once."""
    if e["event"] == "veto":
        return words(e, "body"), words(e, "other")
    return (words(e, "thing"),) if e["event"] == "corrected" else (_told(e, 0.0),)


def _far(e: Event) -> float:
    """Metres that something is off or too deep."""
    if e["event"] == "corrected":
        return float(sum(v * v for v in point(e.get("by")) or ()) ** 0.5)
    return abs(number(e, "depth") or 0.0) if e["event"] == "veto" else 0.0


def _step(e: Event) -> int | None:
    step = number(e, "step")
    return None if step is None else int(step)


def _kind(kind: str) -> str:
    known = {"result": "not achieved", "infeasible": "plan rejected", "interrupted": "stopped", "activity": "given up"}
    return known.get(kind, kind)


def _told(e: Event, far: float) -> str:
    """An event of what went wrong as a line, `far` metres being the most of it."""
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
