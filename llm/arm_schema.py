"""The schema of an arm's action plan, narrowed to one world and one instruction.

Names and labels are those of the world. Numbers are what the contract has as defaults, or stand in the instruction:
language says what to do, never where things are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

HOVER_MM = RETREAT_MM = 80
"""The contract's own hover, which is also how far an arm lifts that is not told how far."""
MOST_ALIKE = 5
"""Things of one kind that can be told apart by their order."""

_UNITS = {"mm": 1.0, "millimetre": 1.0, "millimeter": 1.0, "cm": 10.0, "centimetre": 10.0, "centimeter": 10.0}
_UNITS |= {"m": 1000.0, "metre": 1000.0, "meter": 1000.0}
_TIMES = {"s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0}
_NUMBER = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?)\s*([a-z]+)?", re.IGNORECASE)
_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}

_SUREST = re.compile(r"\b(sure(st)?|certain|confiden(t|ce)|likel(y|iest)|clearest|best)\b", re.IGNORECASE)
_PREPOSITIONS = {"above", "over", "on", "in", "at", "under", "below", "near", "by", "to", "of", "the"}

Schema = dict[str, Any]


@dataclass(frozen=True)
class Numbers:
    """What an instruction says in numbers: lengths in millimetres, times in seconds, and all as they stand."""

    lengths: tuple[float, ...]
    times: tuple[float, ...]
    bare: tuple[float, ...]


def numbers_in(text: str) -> Numbers:
    """The numbers of an instruction. Those without a unit may be lengths in millimetres."""
    lengths, times, bare = [], [], []
    for value, unit in _found(text):
        name = unit.lower().rstrip("s") or "s" if unit else ""
        if name in _TIMES:
            times.append(value * _TIMES[name])
        elif name in _UNITS:
            lengths.append(value * _UNITS[name])
        else:
            bare.append(value)
            lengths.append(value)
    return Numbers(tuple(dict.fromkeys(lengths)), tuple(dict.fromkeys(times)), tuple(bare))


def _found(text: str) -> list[tuple[float, str]]:
    units = "|".join(f"{unit}s?" for unit in (*_UNITS, *_TIMES))
    spelt = re.compile(rf"\b({'|'.join(_WORDS)})(?=\s+({units})\b)", re.IGNORECASE)
    text = spelt.sub(lambda m: str(_WORDS[m[0].lower()]), text)
    return [(float(value), unit or "") for value, unit in _NUMBER.findall(text)]


def step_schema(names: Sequence[str], labels: Sequence[str], text: str) -> Schema:
    """JSON Schema of one step: the contract's, narrowed."""
    numbers = numbers_in(text)
    heights = _values([HOVER_MM, *(n for n in numbers.lengths if n >= 0)])
    lifts = _values([RETREAT_MM, *(n for n in numbers.lengths if n > 0)])
    kinds: list[Schema] = [_step("RETREAT_Z", {"dz_mm": lifts})]
    if names:
        kinds += [_step("MOVE_TO_NAMED", {"name": {"enum": list(names)}})]
        kinds += [_step("APPROACH_NAMED", {"name": {"enum": list(names)}, "hover_mm": heights})]
    surest = _SUREST.search(text) is not None
    for about in _things([name for name in names if _mentioned(name, text)], labels, surest):
        kinds += [_step("APPROACH_OBJECT", about | {"hover_mm": heights}), _step("MOVE_TO_OBJECT", about)]
        if numbers.lengths:
            signed = _values([0, *numbers.lengths, *(-n for n in numbers.lengths)])
            kinds += [_step("MOVE_TO_OBJECT", about | {"offset_mm": _three(signed)})]
    if numbers.times:
        kinds += [_step("SLEEP", {"seconds": _values(numbers.times)})]
    if len(numbers.bare) >= 6:
        three = _three(_values(numbers.bare))
        pose = {"type": "object", "required": ["xyz_mm", "rpy_deg"], "properties": {"xyz_mm": three, "rpy_deg": three}}
        kinds += [_step("MOVE_TO_POSE", {"pose": pose | {"additionalProperties": False}})]
    return {"anyOf": kinds}


def _mentioned(name: str, text: str) -> bool:
    """Whether an instruction speaks of a place: by any word of its name that is no preposition."""
    said = set(re.findall(r"[a-z0-9]+", text.lower()))
    return not said.isdisjoint(set(re.findall(r"[a-z0-9]+", name.lower())) - _PREPOSITIONS)


def _things(names: Sequence[str], labels: Sequence[str], surest: bool) -> list[Schema]:
    """The ways to say which thing: nearest to the tool or to a named pose, most certain; the first or a later one."""
    if not labels:
        return []
    label: Schema = {"labels": {"type": "array", "items": {"enum": list(labels)}, "minItems": 1, "maxItems": 1}}
    nearest = label | {"selector": {"const": "nearest"}}
    later = {"index": {"enum": list(range(MOST_ALIKE))}}
    ways = [nearest | later]
    if surest:
        ways.append(label | {"selector": {"const": "highest_conf"}} | later)
    if names:
        ref = {"type": "object", "required": ["named"], "properties": {"named": {"enum": list(names)}}}
        ways.insert(1, nearest | {"ref": ref | {"additionalProperties": False}} | later)
    return ways


def _step(action: str, fields: Schema) -> Schema:
    properties = {"action": {"const": action}, **fields}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _values(numbers: Sequence[float]) -> Schema:
    return {"enum": [int(n) if n == int(n) else n for n in dict.fromkeys(numbers)]}


def _three(values: Schema) -> Schema:
    return {"type": "array", "items": values, "minItems": 3, "maxItems": 3}
