"""The action plan that an xArm executor takes: JSON under a schema, and what the schema cannot say.

`contract.schema.json` is the schema of the contract, version 1.0, to the letter. It lets every step have every
field; which of them an action reads is said in the contract's prose, and checked here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_OBJECT = frozenset({"label", "labels", "selector", "ref", "index", "min_conf", "timeout_sec"})
FIELDS = {
    "MOVE_TO_NAMED": frozenset({"name"}),
    "APPROACH_NAMED": frozenset({"name", "hover_mm"}),
    "MOVE_TO_OBJECT": _OBJECT | {"offset_mm"},
    "APPROACH_OBJECT": _OBJECT | {"hover_mm"},
    "RETREAT_Z": frozenset({"dz_mm"}),
    "MOVE_TO_POSE": frozenset({"pose"}),
    "SLEEP": frozenset({"seconds"}),
}
"""The fields that each action reads, besides `action`."""


@dataclass(frozen=True)
class Breach:
    """What is wrong with a plan: the number of the step, from 1, None for the whole; where in it; and what."""

    step: int | None
    path: str
    message: str

    def __str__(self) -> str:
        where = f"step {self.step}" if self.step else "the plan"
        return f"{where}{f', {self.path}' if self.path else ''}: {self.message}"


@cache
def schema() -> dict[str, Any]:
    """The contract's JSON Schema (draft 2020-12)."""
    text = (Path(__file__).parent / "contract.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def breaches(plan: Any, known: frozenset[str] | None = None) -> list[Breach]:
    """All that is wrong with a plan, in its order. Names and labels must be among `known`, where that is given:
    names of PDDL, in lower case, which are the same in upper case.

    What the schema says comes first: only a plan that keeps to it is looked at further.
    """
    from jsonschema import Draft202012Validator

    errors = sorted(Draft202012Validator(schema()).iter_errors(plan), key=lambda e: list(map(str, e.absolute_path)))
    if errors:
        return [_breach(e) for e in errors]
    return [b for n, step in enumerate(plan["steps"], 1) for b in _beyond_schema(n, step, known)]


def _breach(error: Any) -> Breach:
    path = list(error.absolute_path)
    step = path[1] + 1 if len(path) > 1 and path[0] == "steps" else None
    shown = ".".join(map(str, path[2:] if step else path))
    if error.validator == "anyOf":
        return Breach(step, shown, "'labels' or 'label' is needed")
    if error.validator == "enum":
        return Breach(step, shown, f"there is no {error.instance!r}; valid: {', '.join(error.validator_value)}")
    return Breach(step, shown, _short(error.message))


def _beyond_schema(number: int, step: dict[str, Any], known: frozenset[str] | None) -> Iterator[Breach]:
    action, owned = step["action"], FIELDS[step["action"]]
    for field in (f for f in step if f not in owned | {"action"}):
        owners = ", ".join(a for a, fields in FIELDS.items() if field in fields)
        yield Breach(number, field, f"{action} does not read it: it belongs to {owners}")
    if "label" in step and step.get("labels", [step["label"]]) != [step["label"]]:
        yield Breach(number, "label", f"'label' says {step['label']!r} and 'labels' {step['labels']}: give one of them")
    if "ref" in step and "named" not in step["ref"]:
        yield Breach(number, "ref", 'it names nothing; valid: {"named": …}, or no ref for the tool itself')
    if "ref" in step and step.get("selector", "nearest") != "nearest":
        yield Breach(number, "ref", f"only 'nearest' has one; the selector is {step['selector']!r}")
    for field, value in step.items():
        if not _finite(value):
            yield Breach(number, field, "a number that is not finite")
    yield from _unknown(number, step, known)


def _unknown(number: int, step: dict[str, Any], known: frozenset[str] | None) -> Iterator[Breach]:
    if known is None:
        return
    named = [("name", step.get("name")), ("ref.named", step.get("ref", {}).get("named")), ("label", step.get("label"))]
    named += [("labels", label) for label in step.get("labels", [])]
    for field, name in named:
        if name is not None and name.lower() not in known:
            yield Breach(number, field, f"there is no {name!r}; valid: {', '.join(sorted(known)) or 'nothing'}")


def _finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_finite, value.values()))
    if isinstance(value, list):
        return all(map(_finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def _short(message: str) -> str:
    return message if len(message) <= 120 else f"{message[:119]}…"
