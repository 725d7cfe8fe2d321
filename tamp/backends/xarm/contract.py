"""The action plan that an xArm executor takes: JSON under a schema, what the schema cannot say, and what is wrong with
a plan in a world, before anything moves and without having seen anything.

`contract.schema.json` is the schema of the contract, version 1.0, to the letter. It lets every step have every
field; which of them an action reads is in the contract's prose, and checked here.
"""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.arm_steps import (
    FIELDS,
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
from tamp.backends.xarm.workcell import INSIDE, SLACK, Workcell, extent, out_of_bounds, room_of_things
from tamp.errors import InputError
from tamp.files.json_text import Key, parse_json, places_of
from tamp.files.quantities import not_degrees, not_millimetres
from tamp.files.source import Source

LONGEST = 3600
"""Seconds that a step may wait: more is a slip, and no clock takes any number."""
SMALLEST = 0.1
"""Millimetres that an arm can repeat: shorter ways are in metres."""
UNITS = {"mm": "millimetres", "deg": "degrees"}


@dataclass(frozen=True)
class Breach:
    """What is wrong with a plan: the number of the step, from 1, None for the whole; where in it; and what.

    `at` is the way to it in the plan: keys, and numbers of elements from 0.
    """

    step: int | None
    path: str
    message: str
    at: Key = ()

    def __str__(self) -> str:
        where = f"step {self.step}" if self.step else "the plan"
        return f"{where}{f', {self.path}' if self.path else ''}: {self.message}"


@cache
def _schema() -> Any:
    return json.loads((Path(__file__).parent / "contract.schema.json").read_text(encoding="utf-8"))


def read_contract(source: Source) -> dict[str, Any]:
    """The plan in a text. InputError, with line and column, for what is not JSON alone, and for the first breach."""
    plan = parse_json(source)
    if wrong := breaches(plan):
        line, column = place_of(wrong[0], places_of(source))
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise InputError(f"{source.name}:{line}:{column}: {wrong[0]}{more}")
    read: dict[str, Any] = plan
    return read


def place_of(breach: Breach, places: dict[Key, tuple[int, int]]) -> tuple[int, int]:
    """Line and column of what is wrong; of what is missing, those of what it is missing from."""
    at = breach.at
    while at not in places and at:
        at = at[:-1]
    return places.get(at, (1, 1))


def breaches(plan: Any, known: frozenset[str] | None = None) -> list[Breach]:
    """All that is wrong with a plan, in its order. Names and labels must be among `known`, where that is given:
    names of PDDL, in lower case, which are the same in upper case.

    What the schema says comes first: only a plan that keeps to it is looked at further.
    """
    from jsonschema import Draft202012Validator

    errors = sorted(Draft202012Validator(_schema()).iter_errors(plan), key=lambda e: list(map(str, e.absolute_path)))
    if errors:
        return [b for e in errors for b in _breaches(e)]
    return [b for n, step in enumerate(plan["steps"], 1) for b in _beyond_schema(n, step, known)]


def unread(plan: Any) -> list[Breach]:
    """What a plan that keeps to the contract says in vain: fields that the schema allows on every step, and that the
    step's action does not read. Planners that were written against the schema send them; they change nothing."""
    found = []
    for number, step in enumerate(plan["steps"], 1):
        for field in (f for f in step if f not in FIELDS[step["action"]] | {"action"}):
            owners = ", ".join(a for a, fields in FIELDS.items() if field in fields)
            found.append(_at(number, field, f"{step['action']} does not read it: it belongs to {owners}"))
    return found


_TYPES = {"string": "a text in double quotes", "array": "a list: […]", "object": "an object: {…}"}


def _breaches(error: Any) -> Iterator[Breach]:
    """What an error of the schema comes to: several unknown fields are one of its errors."""
    path = list(error.absolute_path)
    step = path[1] + 1 if len(path) > 1 and path[0] == "steps" else None
    shown, at = ".".join(map(str, path[2:] if step else path)), tuple(path)
    message, valid = _short(error.message), ""
    if error.validator == "anyOf":
        message = "'labels' or 'label' is needed"
    elif error.validator == "enum":
        message, valid = f"there is no {error.instance!r}", ", ".join(error.validator_value)
    elif error.validator == "type":
        valid = _TYPES.get(error.validator_value, error.validator_value)
        if isinstance(error.instance, str) and error.validator_value in ("number", "integer"):
            valid = f"{'an integer' if error.validator_value == 'integer' else 'a number'} without quotes"
    elif error.validator == "additionalProperties":
        known = error.schema["properties"]
        owned = FIELDS.get(str(error.instance.get("action")), frozenset(known)) | {"action"}
        valid = ", ".join(f for f in known if f in owned)
        for field in (f for f in error.instance if f not in known):
            unknown = f"Additional properties are not allowed ({field!r} was unexpected); valid: {valid}"
            yield Breach(step, shown, unknown, (*at, field))
        return
    yield Breach(step, shown, f"{message}; valid: {valid}" if valid else message, at)


def _beyond_schema(number: int, step: dict[str, Any], known: frozenset[str] | None) -> Iterator[Breach]:
    if "label" in step and step.get("labels", [step["label"]]) != [step["label"]]:
        yield _at(number, "label", f"'label' says {step['label']!r} and 'labels' {step['labels']}: give one of them")
    if "ref" in step and "named" not in step["ref"]:
        yield _at(number, "ref", 'it names nothing; valid: {"named": …}, or no ref for the tool itself')
    if "ref" in step and step.get("selector", "nearest") != "nearest":
        yield _at(number, "ref", f"only 'nearest' has one; the selector is {step['selector']!r}")
    for field, value in step.items():
        if not _finite(value):
            yield _at(number, field, "a number that is not finite")
            continue
        yield from _in_unit(number, field, value)
        if field in ("seconds", "timeout_sec") and value > LONGEST:
            yield _at(number, field, f"{value} seconds; valid: at most {LONGEST}")
    yield from _unknown(number, step, known)


def _in_unit(number: int, field: str, value: Any) -> Iterator[Breach]:
    """What can only be in another unit than the field is."""
    if field == "pose":
        for each, values in value.items():
            yield from _in_unit(number, f"{field}.{each}", values)
        return
    unit = UNITS.get(field.rpartition("_")[2])
    if unit is None:
        return
    values, least = value if isinstance(value, list) else [value], INSIDE if field == "pose.xyz_mm" else SMALLEST
    if why := not_millimetres(values, least) if unit == "millimetres" else not_degrees(values):
        yield _at(number, field, f"{_short(str(value))}; valid: {unit}, {why}")


def _unknown(number: int, step: dict[str, Any], known: frozenset[str] | None) -> Iterator[Breach]:
    if known is None:
        return
    named = [("name", step.get("name")), ("ref.named", step.get("ref", {}).get("named")), ("label", step.get("label"))]
    named += [("labels", label) for label in step.get("labels", [])]
    for field, name in named:
        if name is not None and name.lower() not in known:
            yield _at(number, field, f"there is no {name!r}; valid: {', '.join(sorted(known)) or 'nothing'}")


def _at(number: int, field: str, message: str, *more: int) -> Breach:
    return Breach(number, field, message, ("steps", number - 1, *field.split("."), *more))


def _finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_finite, value.values()))
    if isinstance(value, list):
        return all(map(_finite, value))
    try:
        return not isinstance(value, int | float) or math.isfinite(value)
    except OverflowError:  # an integer beyond any float
        return False


def _short(message: str) -> str:
    return message if len(message) <= 120 else f"{message[:119]}…"


# --- in a world -------------------------------------------------------------------------------------------------------
#
# Where the tool is after a step is known as far as the plan says it: exactly after a named or a numeric pose; after a
# step to a thing only that the thing was in the workspace, as all that are acted on are. So a hover, an offset or a
# retreat is refused here when no thing in the workspace could make it right.

_Span = tuple[Array, Array]
"""The corners (3,), (3,) of the box in which the tool point is."""
_ANYWHERE: _Span = (np.full(3, -np.inf), np.full(3, np.inf))
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
    span = _ANYWHERE
    for number, step, alone in steps:
        if unknown := list(_missing(number, step, alone, world)):
            found, span = found + unknown, _ANYWHERE
            continue
        span = _after(step, span, world)
        if why := _no_room(step, span, world):
            found.append(_at(number, _off(step)[0], why))
            span = _ANYWHERE
        elif not isinstance(step, Sleep):
            span = _allowed(span, world)
    return found


def _missing(number: int, step: Step, alone: bool, world: Workcell) -> Iterator[Breach]:
    """Names of poses and labels that the world does not have, each with the nearest that it has; things without a
    detector."""
    if isinstance(step, MoveToNamed | ApproachNamed) and step.name not in world.poses:
        yield _at(number, "name", _none("named pose", step.name, sorted(world.poses)))
    if not isinstance(step, OfObject):
        return
    if step.ref is not None and step.ref not in world.poses:
        yield _at(number, "ref.named", _none("named pose", step.ref, sorted(world.poses)))
    field = "label" if alone else "labels"
    if world.detector.source is None:
        yield _at(number, field, _BLIND)
        return
    for n, label in enumerate(step.labels):
        if world.labels and label not in world.labels:
            yield _at(number, field, _none("label of the detector", label, world.labels), *([] if alone else [n]))


def _none(kind: str, name: str, valid: Collection[str]) -> str:
    near = difflib.get_close_matches(name.lower(), [v.lower() for v in valid], 1)
    meant = next((f"; did you mean {v!r}?" for v in valid if near and v.lower() == near[0]), "")
    return f"there is no {kind} {name!r}{meant or '; valid: ' + (', '.join(valid) or 'none')}"


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
    off = _off(step)[1]
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
