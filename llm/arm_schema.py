"""What the next step of an arm's action plan may be, as JSON Schema: the contract's, narrowed to an instruction.

Names, labels and numbers are those that the instruction bears out, or the contract's defaults: language says what to
do, never where things are. Which of the steps that are left, and when it is done, is the model's to say.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from llm.arm_reading import HOVER_MM, Reading, Target

Schema = dict[str, Any]
Step = dict[str, Any]


@dataclass(frozen=True)
class Progress:
    """How much of an instruction is done: the target that was gone to last, those gone to, and so on."""

    at: int = -1
    above: frozenset[int] = frozenset()
    reached: frozenset[int] = frozenset()
    lifts: int = 0
    waits: int = 0
    poses: int = 0


def choices(reading: Reading, done: Progress) -> list[tuple[Step, Progress]]:
    """The steps that may come next, each with what is done then. None of a clause while one before has more."""
    if done.at >= 0 and reading.targets[done.at].at_once and done.at not in done.reached:
        return _about(done.at, reading, done)
    first = _first_clause(reading, done)
    some: list[tuple[Step, Progress]] = []
    for n in _next_targets(reading, done):
        t = reading.targets[n]
        if (t.touched_in if _is_visited(n, done) and t.touched else t.said_in) <= first:
            some += _about(n, reading, done)
    if done.lifts < len(reading.lifts) and reading.lifted_in[done.lifts] <= first:
        lift = _number(reading.lifts[done.lifts])
        some.append(({"action": "RETREAT_Z", "dz_mm": lift}, replace(done, lifts=done.lifts + 1)))
    if done.waits < len(reading.waits) and reading.waited_in[done.waits] <= first:
        seconds = _number(reading.waits[done.waits])
        some.append(({"action": "SLEEP", "seconds": seconds}, replace(done, waits=done.waits + 1)))
    if done.poses < len(reading.poses) and reading.posed_in[done.poses] <= first:
        six = [_number(n) for n in reading.poses[done.poses]]
        pose = {"xyz_mm": six[:3], "rpy_deg": six[3:]}
        some.append(({"action": "MOVE_TO_POSE", "pose": pose}, replace(done, poses=done.poses + 1)))
    return some


def _first_clause(reading: Reading, done: Progress) -> float:
    """The first clause of which something has to be done yet."""
    targets = list(enumerate(reading.targets))
    due = [t.said_in for n, t in targets if not _is_visited(n, done)]
    due += [t.touched_in for n, t in targets if t.touched and n not in done.reached]
    due += [*reading.lifted_in[done.lifts : reading.lifts_due], *reading.waited_in[done.waits :]]
    return min([*due, *reading.posed_in[done.poses :]], default=math.inf)


def missing(reading: Reading, done: Progress) -> list[str]:
    """What the instruction asks for and no step does yet, in words."""
    out = [f"going to {t.what}" for n, t in enumerate(reading.targets) if n not in done.above | done.reached]
    begun = [n for n in range(len(reading.targets)) if _is_visited(n, done)]
    out += [f"what is said of {reading.targets[n].what}" for n in begun if _due(n, reading, done)]
    if reading.must_touch and not any(reading.targets[n].is_thing for n in done.reached):
        out.append("touching")
    out += ["lifting"] * max(0, reading.lifts_due - done.lifts)
    out += [f"waiting {s:g} s" for s in reading.waits[done.waits :]]
    return out + ["the pose"] * (len(reading.poses) - done.poses)


def step_schema(steps: list[Step]) -> Schema:
    """JSON Schema of one of some steps."""
    return {"anyOf": [_exactly(step) for step in steps]}


def _exactly(value: Any) -> Schema:
    """JSON Schema of one value: outlines reads no constants but texts and numbers."""
    if isinstance(value, dict):
        properties = {key: _exactly(v) for key, v in value.items()}
        return {"type": "object", "properties": properties, "required": list(value), "additionalProperties": False}
    if isinstance(value, list):
        items = [_exactly(v) for v in value]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    return {"enum": [value]}


def _is_visited(n: int, done: Progress) -> bool:
    return n in done.above | done.reached


def _due(n: int, reading: Reading, done: Progress) -> bool:
    """Whether a target was gone to, and not all that is said of it is done."""
    t = reading.targets[n]
    return (t.touched and n not in done.reached) or (_is_above(t) and n not in done.above)


def _is_above(t: Target) -> bool:
    """Whether a target is to be gone above, whatever else."""
    return t.over or t.hovers != (HOVER_MM,)


def _next_targets(reading: Reading, done: Progress) -> list[int]:
    """Which targets may be gone to next: the last one again, or the next; any, when the order is not that of words."""
    if done.at >= 0 and _due(done.at, reading, done):
        return [done.at]
    if not reading.in_order:
        return [n for n in range(len(reading.targets)) if n == done.at or not _is_visited(n, done)]
    return [n for n in (done.at, done.at + 1) if 0 <= n < len(reading.targets)]


def _about(n: int, reading: Reading, done: Progress) -> list[tuple[Step, Progress]]:
    """What can be done next about a target: above it, and then to it."""
    t = reading.targets[n]
    out: list[tuple[Step, Progress]] = []
    what: Step = _which(t) if t.is_thing else {"name": t.what}
    above = not reading.directly if t.is_thing else t.above
    if above and not _is_visited(n, done):
        then = replace(done, at=n, above=done.above | {n})
        action = "APPROACH_OBJECT" if t.is_thing else "APPROACH_NAMED"
        out += [({"action": action, **what, "hover_mm": _number(h)}, then) for h in t.hovers]
    first = _is_visited(n, done) if t.is_thing else not _is_above(t) or n in done.above
    asked = t.touched or reading.directly or (reading.may_touch and not t.over)
    may = asked if t.is_thing else t.touched or n not in done.above
    if may and n not in done.reached and (first or reading.directly):
        then = replace(done, at=n, reached=done.reached | {n})
        out.append(({"action": "MOVE_TO_OBJECT" if t.is_thing else "MOVE_TO_NAMED", **what}, then))
    return out


def _which(t: Target) -> Step:
    near: Step = {"ref": {"named": t.ref}} if t.ref and not t.surest else {}
    return {"labels": [t.what], "selector": "highest_conf" if t.surest else "nearest", **near, "index": t.index}


def _number(value: float) -> float:
    return int(value) if value == int(value) else value
