"""What is wrong with an xArm action plan in a world, before anything moves and without having seen anything.

Where the tool is after a step is known as far as the plan says it: exactly after a named or a numeric pose; after a
step to a thing only that the thing was in the workspace, as all that are acted on are. So a hover, an offset or a
retreat is refused here when no thing in the workspace could make it right.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.arm_steps import (
    ApproachNamed,
    ApproachObject,
    MoveToNamed,
    MoveToObject,
    MoveToPose,
    OfObject,
    RetreatZ,
    Sleep,
    Step,
    steps_of,
)
from tamp.backends.xarm.contract import Breach, breaches
from tamp.backends.xarm.workcell import SLACK, Workcell, extent, out_of_bounds, room_of_things

_Span = tuple[Array, Array]
"""The corners (3,), (3,) of the box in which the tool point is."""

_BLIND = 'the world has no detector to see it; valid: [detector] with source = "tcp://127.0.0.1:5556" or a file'


def breaches_in(plan: Any, world: Workcell) -> list[Breach]:
    """All that is wrong with a plan in a world, in its order; what breaks the contract itself comes first, alone."""
    if wrong := breaches(plan):
        return wrong
    steps = enumerate(steps_of(plan), 1)
    return wrong_steps([(n, step, "label" in plan["steps"][n - 1]) for n, step in steps], world)


def wrong_steps(steps: Iterable[tuple[int, Step, bool]], world: Workcell) -> list[Breach]:
    """The same of steps with their numbers, and whether each writes its label alone, as `label`."""
    found: list[Breach] = []
    span = _anywhere()
    for number, step, alone in steps:
        if unknown := list(_unknown(number, step, alone, world)):
            found, span = found + unknown, _anywhere()
            continue
        span = _after(step, span, world)
        if why := _no_room(step, span, world):
            field, _ = _off(step)
            found.append(Breach(number, field, why, ("steps", number - 1, *field.split("."))))
            span = _anywhere()
        elif not isinstance(step, Sleep):
            span = _allowed(span, world)
    return found


def _unknown(number: int, step: Step, alone: bool, world: Workcell) -> Iterator[Breach]:
    """Names of poses and labels that the world does not have, each with the nearest that it has; things without a
    detector."""
    at = ("steps", number - 1)
    if isinstance(step, MoveToNamed | ApproachNamed) and step.name not in world.poses:
        yield Breach(number, "name", _none("named pose", step.name, sorted(world.poses)), (*at, "name"))
    if not isinstance(step, OfObject):
        return
    if step.ref is not None and step.ref not in world.poses:
        yield Breach(number, "ref.named", _none("named pose", step.ref, sorted(world.poses)), (*at, "ref", "named"))
    field = "label" if alone else "labels"
    if world.detector.source is None:
        yield Breach(number, field, _BLIND, (*at, field))
        return
    for n, label in enumerate(step.labels):
        if world.labels and label not in world.labels:
            key = (*at, field) if alone else (*at, field, n)
            yield Breach(number, field, _none("label of the detector", label, world.labels), key)


def _none(kind: str, name: str, valid: Collection[str]) -> str:
    near = difflib.get_close_matches(name.lower(), [v.lower() for v in valid], 1)
    meant = next((f"; did you mean {v!r}?" for v in valid if near and v.lower() == near[0]), "")
    return f"there is no {kind} {name!r}{meant or '; valid: ' + (', '.join(valid) or 'none')}"


def _anywhere() -> _Span:
    return np.full(3, -np.inf), np.full(3, np.inf)


def _after(step: Step, span: _Span, world: Workcell) -> _Span:
    """Where the tool point is after a step that begins in `span`, not yet cut to where it may be."""
    low, high = span
    if isinstance(step, MoveToNamed | ApproachNamed):
        low = high = world.poses[step.name].T_base_tool[:3, 3]
    elif isinstance(step, MoveToPose):
        low = high = np.array(step.xyz)
    elif isinstance(step, OfObject):
        room = room_of_things(world)
        low, high = room.low, room.high
    _, off = _off(step)
    return low + off, high + off


def _off(step: Step) -> tuple[str, Array]:
    """The field that says where a step ends relative to what it names, and by how much (3,)."""
    match step:
        case ApproachNamed() | ApproachObject():
            return "hover_mm", np.array([0.0, 0.0, step.hover])
        case MoveToObject():
            return "offset_mm", np.array(step.offset)
        case RetreatZ():
            return "dz_mm", np.array([0.0, 0.0, step.distance])
        case MoveToPose():
            return "pose.xyz_mm", np.zeros(3)
    return "name", np.zeros(3)


def _allowed(span: _Span, world: Workcell) -> _Span:
    """The part of a box that is in the workspace and above the table."""
    low, high = np.maximum(span[0], world.workspace.low), np.minimum(span[1], world.workspace.high)
    if world.table is not None:
        low = np.maximum(low, [-np.inf, -np.inf, world.table])
    return low, high


def _no_room(step: Step, span: _Span, world: Workcell) -> str | None:
    """Why the tool may not go where a step takes it, as far as that is known."""
    if isinstance(step, Sleep | MoveToNamed):
        return None
    if np.array_equal(*span):
        why = out_of_bounds(world, span[0])
        return f"it ends {why}" if why else None
    low, high = _allowed(span, world)
    if np.all(low <= high + SLACK):
        return None
    where = "it begins" if isinstance(step, RetreatZ) else "the thing is"
    return f"it ends outside the workspace wherever {where}; valid: {extent(world.workspace)}"
