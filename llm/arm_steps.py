"""What the next step of a clause may be: the contract's actions with the names, labels and numbers that it says."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from llm import arm_words as english
from llm.arm_clauses import Clause

Step = dict[str, Any]
HOVER_MM = RETREAT_MM = 80
"""The contract's own hover, which is also how far an arm lifts that is not told how far."""


STANDING = ("RETREAT_Z", "SLEEP")
"""Actions that go to nothing."""


@dataclass(frozen=True)
class Used:
    """What of a clause is in its steps already: places and things, numbers and poses by their order."""

    what: frozenset[str] = frozenset()
    numbers: frozenset[int] = frozenset()
    poses: frozenset[int] = frozenset()


def left(clause: Clause, used: Used) -> list[str]:
    """What a clause says and no step has yet, in words."""
    out = [m.said for m in clause.mentions if m.what not in used.what]
    out += [n.said for i, n in enumerate(clause.numbers) if i not in used.numbers]
    return out + ["the pose"] * (len(clause.poses) - len(used.poses))


def options(clause: Clause, used: Used, its: list[Step]) -> list[tuple[Step, Used]]:
    """Steps that may come next. `its`: steps that went to what "it" may stand for."""
    return [*_to_things(clause, used, its), *_to_places(clause, used, its), *_others(clause, used)]


def finished(steps: list[Step], directly: bool) -> list[Step]:
    """Steps with the contract's defaults; a thing is approached before it is touched, unless it is to be `directly`."""
    out: list[Step] = []
    for s in steps:
        new, gone = _filled(s), [t for t in out if t["action"] not in STANDING]
        here = bool(gone) and _same(gone[-1], new)
        if s["action"] == "MOVE_TO_OBJECT" and not directly and not here:
            out.append({**new, "action": "APPROACH_OBJECT", "hover_mm": HOVER_MM})
        if out and out[-1] == new | {"hover_mm": HOVER_MM}:
            out.pop()  # "get over the cup, 4 cm above it": the height is said afterwards
        if new["action"] in STANDING or not out or out[-1] != new:
            out.append(new)
    return out


def _filled(step: Step) -> Step:
    new = {k: v for k, v in step.items() if k not in ("label", "selector", "ref", "index")}
    if "label" in step:
        new |= {"labels": [step["label"]], "selector": step.get("selector", "nearest")}
        new |= {k: step[k] for k in ("ref",) if k in step} | {"index": step.get("index", 0)}
    if step["action"].startswith("APPROACH"):
        new["hover_mm"] = step.get("hover_mm", HOVER_MM)
    return new


def _same(a: Step, b: Step) -> bool:
    return all(a.get(k) == b.get(k) for k in ("labels", "selector", "ref", "index", "name"))


def is_repeated(step: Step, steps: list[Step]) -> bool:
    """Whether a clause that has `steps` does not say one more: the same again, or above what it went to already."""
    gone = [which(s) for s in steps if "label" in s]
    return step in steps or (step["action"] == "APPROACH_OBJECT" and which(step) in gone)


def which(step: Step) -> Step:
    """Of a step to a thing, which thing it is."""
    return {k: step[k] for k in ("label", "selector", "ref", "index") if k in step}


def _lengths(clause: Clause, used: Used) -> list[int]:
    return [i for i, n in enumerate(clause.numbers) if n.unit != "s" and i not in used.numbers]


def _to_things(clause: Clause, used: Used, its: list[Step]) -> Iterator[tuple[Step, Used]]:
    surest = english.SUREST.search(clause.bare) is not None
    indices = [english.ORDINALS[o] for o in english.ORDINAL.findall(clause.bare)] or [0]
    refs = [None, *(p for p in clause.places if p not in used.what)] if not surest else [None]
    ways: list[tuple[Step, frozenset[str]]] = []
    for label, ref, index in itertools.product(clause.things, refs, indices):
        step: Step = {"label": label}
        if surest or ref:
            step["selector"] = "highest_conf" if surest else "nearest"
        if ref:
            step["ref"] = {"named": ref}
        if index:
            step["index"] = index
        ways.append((step, used.what | {label} | ({ref} if ref else set())))
    for it in (s for s in its if "label" in s):
        ways = [w for w in ways if w[0]["label"] != it["label"]]
        ways.append((which(it), used.what))
    for step, what in ways:
        now = replace(used, what=what)
        yield {"action": "MOVE_TO_OBJECT", **step}, now
        yield from _approaches({"action": "APPROACH_OBJECT", **step}, clause, now)


def _approaches(step: Step, clause: Clause, used: Used) -> Iterator[tuple[Step, Used]]:
    lengths = _lengths(clause, used)
    for i in lengths:
        hover = {"hover_mm": number(clause.numbers[i].value)}
        yield step | hover, replace(used, numbers=used.numbers | {i})
    if not lengths:
        yield step, used


def _to_places(clause: Clause, used: Used, its: list[Step]) -> Iterator[tuple[Step, Used]]:
    names = [*clause.places, *(s["name"] for s in its if "name" in s)]
    for name in dict.fromkeys(names):
        now = replace(used, what=used.what | {name})
        yield {"action": "MOVE_TO_NAMED", "name": name}, now
        yield from _approaches({"action": "APPROACH_NAMED", "name": name}, clause, now)


def _others(clause: Clause, used: Used) -> Iterator[tuple[Step, Used]]:
    lengths = _lengths(clause, used)
    for i in lengths:
        if clause.numbers[i].value > 0:
            step: Step = {"action": "RETREAT_Z", "dz_mm": number(clause.numbers[i].value)}
            yield step, replace(used, numbers=used.numbers | {i})
    if all(n.unit == "s" for n in clause.numbers):
        yield {"action": "RETREAT_Z", "dz_mm": RETREAT_MM}, used
    for i, n in enumerate(clause.numbers):
        if i not in used.numbers and n.unit != "mm":
            yield {"action": "SLEEP", "seconds": number(n.value)}, replace(used, numbers=used.numbers | {i})
    for i, six in enumerate(clause.poses):
        if i not in used.poses:
            values = [number(v) for v in six]
            pose: Step = {"action": "MOVE_TO_POSE", "pose": {"xyz_mm": values[:3], "rpy_deg": values[3:]}}
            yield pose, replace(used, poses=used.poses | {i})


def number(value: float) -> float:
    """Whole numbers as such."""
    return int(value) if value == int(value) else value
