"""Steps as the contract writes them: what `steps_of` reads, in millimetres and degrees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tamp.xarm.steps import (
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


def written(steps: Sequence[Step], goal: str) -> dict[str, Any]:
    """The action plan with these steps, at least one; `goal` says in words what it is for. Defaults are left out."""
    return {"goal": goal, "steps": [_said(step) for step in steps]}


def _said(step: Step) -> dict[str, Any]:
    match step:
        case MoveToNamed(name):
            return {"action": "MOVE_TO_NAMED", "name": name}
        case ApproachNamed(name, hover):
            return {"action": "APPROACH_NAMED", "name": name, **_hover(hover)}
        case ApproachObject():
            return {"action": "APPROACH_OBJECT", **_thing(step), **_hover(step.hover)}
        case MoveToObject():
            offset = {} if step.offset == OFFSET else {"offset_mm": _millimetres(step.offset)}
            return {"action": "MOVE_TO_OBJECT", **_thing(step), **offset}
        case RetreatZ(distance):
            return {"action": "RETREAT_Z", "dz_mm": _millimetres([distance])[0]}
        case MoveToPose(xyz, rpy):
            pose = {"xyz_mm": _millimetres(xyz), "rpy_deg": [_short(math.degrees(a)) for a in rpy]}
            return {"action": "MOVE_TO_POSE", "pose": pose}
        case Sleep(seconds):
            return {"action": "SLEEP", "seconds": seconds}


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
