"""Faults for every number in a text, one at a time: what is no number, and the enormous.

The text is changed in place, so that each fault stays on the line of its number. In TOML and JSON the field is what
the parser finds at that place; in XML it is the attribute. PDDL has lines only.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Syntax = Literal["toml", "json", "jsonl", "pddl", "xml", "plan"]
MARK = "87654321.25"
"""Takes the place of a number while the parser is asked which field it is."""
NESTED, DIGITS = 3000, 400
_SKIPPED = {
    "toml": r'"(?:\\.|[^"\\\n])*"|#[^\n]*|(?m:^\s*\[[^\n]*\]\s*$)|[A-Za-z_][\w-]*',
    "json": r'"(?:\\.|[^"\\\n])*"',
    "pddl": r";[^\n]*|[?:]?[A-Za-z_][\w-]*",
    "xml": r"<\?[^>]*>|<!--.*?-->|[A-Za-z_][\w.-]*",
    "plan": r";[^\n]*|[A-Za-z_][\w-]*",
}
_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"


@dataclass(frozen=True)
class Fault:
    """A text with a number that is spoilt. `field` is its name, empty where the format has none."""

    kind: str
    line: int
    field: str
    text: str


def faults(text: str, syntax: Syntax) -> Iterator[Fault]:
    """All faults of a text, number after number."""
    for start, end in _numbers(text, syntax):
        line, field = text.count("\n", 0, start) + 1, _field(text, start, end, syntax)
        for kind, other in _instead(text[start:end], syntax).items():
            yield Fault(kind, line, field, text[:start] + other + text[end:])


def _numbers(text: str, syntax: Syntax) -> list[tuple[int, int]]:
    skipped = _SKIPPED["json" if syntax == "jsonl" else syntax]
    found = re.finditer(rf"(?s:{skipped})|(?P<number>(?<![\w.]){_NUMBER}(?![\w]))", text)
    return [m.span("number") for m in found if m["number"]]


def _instead(said: str, syntax: Syntax) -> dict[str, str]:
    """What stands for a number, by kind."""
    nan, inf = ("NaN", "Infinity") if syntax in ("json", "jsonl") else ("nan", "inf")
    quoted = syntax in ("toml", "json", "jsonl")
    told = {
        "nan": nan,
        "inf": inf,
        "-inf": f"-{inf}",
        "empty": '""' if quoted else "",
        "null": "null",
        "text": '"x"' if quoted else "x",
        "1e15": "1e15",
        "1e308": "1e308",
        "1e999": "1e999",
        "digits": "1" + "0" * DIGITS,
        "-1": "-1",
        "0": "0",
        "list": f"[{said}]" if quoted else f"({said})",
        "nested": "[" * NESTED + "]" * NESTED if quoted else "(" * NESTED + ")" * NESTED,
        "float": f"{said}.5" if "." not in said else said[:-1],
    }
    return {kind: other for kind, other in told.items() if other != said}


def _field(text: str, start: int, end: int, syntax: Syntax) -> str:
    """The last key on the way to a number."""
    if syntax in ("pddl", "plan"):
        return ""
    if syntax == "xml":
        return (re.findall(r'([\w:]+)\s*=\s*"[^"]*$', text[:start]) or [""])[-1]
    marked = text[:start] + MARK + text[end:]
    if syntax == "jsonl":
        marked = marked[text.rfind("\n", 0, start) + 1 :].partition("\n")[0]
    try:
        parsed = tomllib.loads(marked) if syntax == "toml" else json.loads(marked)
    except ValueError:  # a number that can be no fraction there: a date, a key
        return ""
    way = _way(parsed) or []
    return next((key for key in reversed(way) if isinstance(key, str)), "")


def _way(value: Any) -> list[str | int] | None:
    """The keys that lead to the mark."""
    if value == float(MARK):
        return []
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        if (way := _way(each)) is not None:
            return [key, *way]
    return None


def lacks(said: str, file: str, fault: Fault) -> str:
    """What a refusal does not say of `file`, `line` and `field`; empty when it says all that the format has.

    What is no value in the file's syntax has a place, and no field; a line within 3 before that of the number is that
    of the table, or of the key of a list.
    """
    if file not in said:
        return "file"
    lines = [int(n) for n in re.findall(rf"{re.escape(file)}:(\d+)|line (\d+)", said) for n in n if n]
    if not lines:
        return "line"
    no_syntax = re.search(r"not (TOML|JSON|XML|BDDL)|no XML|nested too deeply", said)
    if fault.field and not no_syntax and fault.field not in said:
        return "field"
    return "" if no_syntax or any(fault.line - 40 <= n <= fault.line + 1 for n in lines) else "right line"
