"""The action plan that an xArm executor takes: JSON under a schema, and what the schema cannot say.

`contract.schema.json` is the schema of the contract, version 1.0, to the letter. It lets every step have every
field; which of them an action reads is in the contract's prose, and checked here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tamp.backends.xarm.arm_steps import FIELDS
from tamp.backends.xarm.workcell import INSIDE
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
def schema() -> dict[str, Any]:
    """The contract's JSON Schema (draft 2020-12)."""
    text = (Path(__file__).parent / "contract.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


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

    errors = sorted(Draft202012Validator(schema()).iter_errors(plan), key=lambda e: list(map(str, e.absolute_path)))
    if errors:
        return [b for e in errors for b in _breaches(e)]
    return [b for n, step in enumerate(plan["steps"], 1) for b in _beyond_schema(n, step, known)]


def unread(plan: Any) -> list[Breach]:
    """What a plan that keeps to the contract says in vain: fields that the schema allows on every step, and that the
    step's action does not read. Planners that were written against the schema send them; they change nothing."""
    return [b for n, step in enumerate(plan["steps"], 1) for b in _unread(n, step)]


def _unread(number: int, step: dict[str, Any]) -> Iterator[Breach]:
    for field in (f for f in step if f not in FIELDS[step["action"]] | {"action"}):
        owners = ", ".join(a for a, fields in FIELDS.items() if field in fields)
        yield _at(number, field, f"{step['action']} does not read it: it belongs to {owners}")


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
        valid = _kind(error.validator_value, error.instance)
    elif error.validator == "additionalProperties":
        known = error.schema["properties"]
        owned = FIELDS.get(str(error.instance.get("action")), frozenset(known)) | {"action"}
        valid = ", ".join(f for f in known if f in owned)
        for field in (f for f in error.instance if f not in known):
            unknown = f"Additional properties are not allowed ({field!r} was unexpected); valid: {valid}"
            yield Breach(step, shown, unknown, (*at, field))
        return
    yield Breach(step, shown, f"{message}; valid: {valid}" if valid else message, at)


def _kind(kind: str, value: Any) -> str:
    """What would be of a type of JSON Schema."""
    if kind in ("number", "integer") and isinstance(value, str):
        return f"{'an integer' if kind == 'integer' else 'a number'} without quotes"
    return {"string": "a text in double quotes", "array": "a list: […]", "object": "an object: {…}"}.get(kind, kind)


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


def _at(number: int, field: str, message: str) -> Breach:
    return Breach(number, field, message, ("steps", number - 1, *field.split(".")))


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
