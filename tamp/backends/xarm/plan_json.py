"""Steps as the contract writes them: what `steps_of` reads, in millimetres and degrees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tamp.backends.xarm.steps import (
    HOVER,
    OFFSET,
    TIMEOUT,
    ApproachNamed,
    ApproachObject,
    MoveToNamed,
    MoveToObject,
    MoveToPose,
    RetreatZ,
    Sleep,
    Step,
)

ACTIONS: dict[type[Step], str] = {
    MoveToNamed: "MOVE_TO_NAMED",
    ApproachNamed: "APPROACH_NAMED",
    MoveToObject: "MOVE_TO_OBJECT",
    ApproachObject: "APPROACH_OBJECT",
    RetreatZ: "RETREAT_Z",
    MoveToPose: "MOVE_TO_POSE",
    Sleep: "SLEEP",
}


def written(steps: Sequence[Step], goal: str) -> dict[str, Any]:
    """The action plan with these steps, at least one; `goal` says in words what it is for. Defaults are left out."""
    return {"goal": goal, "steps": [_said(step) for step in steps]}


def _said(step: Step) -> dict[str, Any]:
    return {"action": ACTIONS[type(step)], **_fields(step)}


def _fields(step: Step) -> dict[str, Any]:
    match step:
        case ApproachNamed():
            return {"name": step.name, **_hover(step.hover)}
        case ApproachObject():
            return {**_thing(step), **_hover(step.hover)}
        case MoveToObject():
            return {**_thing(step), **({} if step.offset == OFFSET else {"offset_mm": _millimetres(step.offset)})}
        case RetreatZ():
            return {"dz_mm": _millimetres([step.distance])[0]}
        case MoveToPose():
            degrees = [_short(math.degrees(a)) for a in step.rpy]
            return {"pose": {"xyz_mm": _millimetres(step.xyz), "rpy_deg": degrees}}
    return asdict(step)  # what is the same in both: a name, seconds


def _thing(step: MoveToObject | ApproachObject) -> dict[str, Any]:
    said: dict[str, Any] = {"labels": list(step.labels), "selector": step.selector}
    said |= {"ref": {"named": step.ref}} if step.ref is not None else {}
    said |= {"index": step.index} if step.index else {}
    said |= {"min_conf": step.min_conf} if step.min_conf else {}
    return said | ({"timeout_sec": step.timeout} if step.timeout != TIMEOUT else {})


def _hover(hover: float) -> dict[str, float]:
    return {} if hover == HOVER else {"hover_mm": _millimetres([hover])[0]}


def _millimetres(metres: Sequence[float]) -> list[float]:
    return [_short(1000 * v) for v in metres]


def _short(value: float) -> float:
    """Without the last digits, which the change of units left: a nanometre, a millionth of a degree."""
    return round(value, 6)
