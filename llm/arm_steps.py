"""What the next step of a clause may be: the contract's actions with the names, labels and numbers that it says."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from llm import arm_words as english
from llm.arm_clauses import Clause

Step = dict[str, Any]
HOVER_MM = RETREAT_MM = 80


@dataclass(frozen=True)
class Used:
    """What of a clause is in steps already: places and things, numbers, poses by their order; and the last step."""

    what: frozenset[str] = frozenset()
    numbers: frozenset[int] = frozenset()
    poses: frozenset[int] = frozenset()
    steps: tuple[Step, ...] = ()


def left(clause: Clause, used: Used) -> list[str]:
    """What a clause says and no step has yet, in words."""
    out = [m.said for m in clause.mentions if m.what not in used.what]
    out += [n.said for i, n in enumerate(clause.numbers) if i not in used.numbers]
    return out + ["the pose"] * (len(clause.poses) - len(used.poses))


def options(clause: Clause, used: Used, it: Step | None) -> list[tuple[Step, Used]]:
    """Steps that may come next. `it`: the last step that went to a thing or place, which "it" stands for."""
    out = [*_to_things(clause, used, it), *_to_places(clause, used, it), *_others(clause, used)]
    return [(s, replace(u, steps=(*used.steps, s))) for s, u in out if s not in used.steps or s["action"] in FREE]


FREE = ("RETREAT_Z", "SLEEP", "MOVE_TO_POSE")


def _lengths(clause: Clause, used: Used) -> list[int]:
    return [i for i, n in enumerate(clause.numbers) if n.unit != "s" and i not in used.numbers and n.value >= 0]


def _to_things(clause: Clause, used: Used, it: Step | None) -> Iterator[tuple[Step, Used]]:
    surest = english.SUREST.search(clause.bare) is not None
    # None, or one place of the clause that was not gone to.
    refs: list[str | None] = [None, *(p for p in clause.places if p not in used.what)]
    ways: list[tuple[Step, frozenset[str]]] = []
    for label in clause.things:
        for index, ref in itertools.product(clause.indices or (0,), refs):
            step: Step = {"label": label}
            if surest:
                step |= {"selector": "highest_conf"}
            elif ref:
                step |= {"selector": "nearest", "ref": {"named": ref}}
            if index:
                step |= {"index": index}
            ways.append((step, used.what | {label} | ({ref} if ref and not surest else set())))
    if (not clause.things or used.steps) and it is not None and "label" in it:
        same = {k: v for k, v in it.items() if k not in ("action", "hover_mm")}
        if clause.things:
            ways = [w for w in ways if w[0]["label"] not in used.what]
        ways.append((same, used.what | {it["label"]}))
    for step, what in ways:
        now = replace(used, what=what)
        yield {"action": "MOVE_TO_OBJECT", **step}, now
        yield from _approaches({"action": "APPROACH_OBJECT", **step}, clause, now)


def _approaches(step: Step, clause: Clause, used: Used) -> Iterator[tuple[Step, Used]]:
    lengths = _lengths(clause, used)
    for i in lengths:
        yield step | {"hover_mm": number(clause.numbers[i].value)}, replace(used, numbers=used.numbers | {i})
    if not lengths:
        yield step, used


def _to_places(clause: Clause, used: Used, it: Step | None) -> Iterator[tuple[Step, Used]]:
    names = [p for p in clause.places if p not in used.what or (it and it.get("name") == p)]
    if (not clause.mentions) and it is not None and "name" in it:
        names.append(it["name"])
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
    if not lengths:
        yield {"action": "RETREAT_Z", "dz_mm": RETREAT_MM}, used
    for i, n in enumerate(clause.numbers):
        if i not in used.numbers and n.unit != "mm" and n.value >= 0:
            yield {"action": "SLEEP", "seconds": number(n.value)}, replace(used, numbers=used.numbers | {i})
    for i, six in enumerate(clause.poses):
        if i not in used.poses:
            values = [number(v) for v in six]
            pose: Step = {"action": "MOVE_TO_POSE", "pose": {"xyz_mm": values[:3], "rpy_deg": values[3:]}}
            yield pose, replace(used, poses=used.poses | {i})


def strangers(clause: Clause) -> list[str]:
    """Words of a clause that may be a thing or place which is not the world's."""
    runs = re.findall(r"[^\W\d_]+(?: [^\W\d_]+)*", re.sub(r"[@#&]\d+", ",", clause.bare))
    out = []
    for run in runs:
        some: list[str] = []
        for word in [*run.split(), ""]:
            if word and word not in english.PLAIN and word not in english.LEADS:
                some.append(word)
            elif some:
                out.append(" ".join(some))
                some = []
    return out


def number(value: float) -> float:
    return int(value) if value == int(value) else value
