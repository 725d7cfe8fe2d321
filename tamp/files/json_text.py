"""JSON and nothing else, and where in it everything stands.

Nothing is repaired. Text that a language model writes around the JSON, comments and commas too many are reported as
what they are; Python's json says of most of them only that it expected something else.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from tamp.errors import InputError
from tamp.files.source import Source

Key = tuple[str | int, ...]
"""The way to a value: keys of objects, and numbers of elements from 0."""

DEEPEST = 100
"""Levels of nesting that are read; no file of ours has ten."""
_ALONE = "valid: one JSON object, with nothing before and nothing after it"
_BLANK = re.compile(r"[ \t\n\r]*")
_TEXT = re.compile(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.+-])")
_WORD = re.compile(r"[\w.+-]+")
_WORDS = {"true": True, "false": False, "null": None}


def parse_json(source: Source) -> Any:
    """The value of a JSON text. InputError, with line and column, for anything that JSON is not."""
    try:
        return json.loads(
            source.text, parse_constant=_refuse, parse_float=_finite, parse_int=_whole, object_pairs_hook=_once
        )
    except (ValueError, RecursionError) as e:
        try:
            _Reader(source.text).document()
        except _Fault as fault:
            raise _told(source, fault) from e
        raise InputError(f"{source.name}:{source.first}: not JSON: {e}") from e


def parse_line(name: str, number: int, line: str) -> Any:
    """The value of a line of a file of JSON lines. InputError, with line and column, for anything that JSON is not."""
    return parse_json(Source(name, line, number))


def places_of(source: Source) -> dict[Key, tuple[int, int]]:
    """Line and column, from 1, of every value of a JSON text; of members of objects, those of their keys."""
    reader = _Reader(source.text)
    try:
        reader.document()
    except _Fault as fault:
        raise _told(source, fault) from fault
    line, begin, found = 1, 0, {}
    for key, at in reader.places.items():  # in the order of the text, so that lines are counted once
        while (end := source.text.find("\n", begin, at)) >= 0:
            line, begin = line + 1, end + 1
        found[key] = (line, at - begin + 1)
    return found


class _Fault(Exception):
    """What is wrong, and at which character."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at


def _told(source: Source, fault: _Fault) -> InputError:
    line, column = source.place(fault.at)
    return InputError(f"{source.name}:{line}:{column}: not JSON: {fault}")


class _Reader:
    """Reads JSON as strictly as its standard, to find where things stand and what is wrong in words."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.places: dict[Key, int] = {}

    def document(self) -> None:
        self._blank()
        if not self.text.strip():
            raise _Fault(0, f"there is nothing in it; {_ALONE}")
        if self.text[self.at] not in '{["-0123456789':
            self._around("before")
        self._value(())
        self._blank()
        if self.at < len(self.text):
            self._around("after")

    def _around(self, where: str) -> None:
        self._no_comment()
        rest = self.text[self.at :].lstrip()
        if rest.startswith("```"):
            raise _Fault(self.at, f"a code fence {where} the JSON object; {_ALONE}")
        if where == "after" and rest[0] in "}],":
            raise _Fault(self.at, f"{rest[0]!r} closes or parts nothing; {_ALONE}")
        if where == "before" and not re.search(r"[{\[]", rest):
            raise _Fault(self.at, f"no JSON object but {_shown(rest)}; {_ALONE}")
        raise _Fault(self.at, f"text {where} the JSON object: {_shown(rest)}; {_ALONE}")

    def _value(self, key: Key) -> None:
        self.places.setdefault(key, self.at)
        if len(key) > DEEPEST:
            raise _Fault(self.at, f"nested too deeply: at most {DEEPEST} levels are read")
        begin = self.text[self.at : self.at + 1]
        if begin == "{":
            self._members(key)
        elif begin == "[":
            self._elements(key)
        elif begin == '"':
            self._string()
        else:
            self._scalar()

    def _members(self, key: Key) -> None:
        start, keys, comma = self.at, set(), None
        self._open()
        while self._more(start, "}", comma):
            if self.text[self.at] != '"':
                self._no_comment()
                raise _Fault(self.at, f"{_shown(self.text[self.at :], 12)} is no key; valid: a text in double quotes")
            at, name = self.at, json.loads(self._string())
            if name in keys:
                raise _Fault(at, f"{name!r} is said twice in one object; valid: once")
            keys.add(name)
            self.places[*key, name] = at
            self._blank()
            if not self.text.startswith(":", self.at):
                raise _Fault(self.at, f"a colon is missing after the key {name!r}")
            self.at += 1
            self._blank()
            self._value((*key, name))
            comma = self._comma("}")

    def _elements(self, key: Key) -> None:
        start, number, comma = self.at, 0, None
        self._open()
        while self._more(start, "]", comma):
            self._value((*key, number))
            number, comma = number + 1, self._comma("]")

    def _open(self) -> None:
        self.at += 1
        self._blank()

    def _more(self, start: int, end: str, comma: int | None) -> bool:
        """Whether another member or element follows; `comma` is where the one before it is."""
        if self.at >= len(self.text):
            raise _Fault(start, f"{self.text[start]!r} is not closed; the text ends before a {end!r}")
        if self.text[self.at] != end:
            return True
        if comma is not None:
            raise _Fault(comma, f"a comma with nothing after it; valid: no comma before {end!r}")
        self.at += 1
        return False

    def _comma(self, end: str) -> int | None:
        """Past the comma after a member or element, and where it was; None when the end follows."""
        self._blank()
        if self.text.startswith(",", self.at):
            self.at += 1
            comma = self.at - 1
            self._blank()
            return comma
        if self.at < len(self.text) and self.text[self.at] != end:
            self._no_comment()
            raise _Fault(self.at, f"{_shown(self.text[self.at :], 12)} follows a value; valid: a comma or {end!r}")
        return None

    def _string(self) -> str:
        found = _TEXT.match(self.text, self.at)
        if not found:
            begun = re.compile(_TEXT.pattern[:-1]).match(self.text, self.at)
            at = begun.end() if begun else self.at
            if at >= len(self.text):
                raise _Fault(self.at, "a text whose double quote is not closed")
            what = "a backslash that begins no escape" if self.text[at] == "\\" else "a line break or control character"
            raise _Fault(at, f"{what} within a text; valid: escapes such as \\n")
        self.at = found.end()
        return found[0]

    def _scalar(self) -> None:
        if found := _NUMBER.match(self.text, self.at):
            if not _is_finite(found[0]):
                raise _Fault(self.at, f"{_shown(found[0], 20)} is too large for a number; valid: a finite number")
            self.at = found.end()
            return
        word = _WORD.match(self.text, self.at)
        if word and word[0] in _WORDS:
            self.at = word.end()
            return
        self._no_comment()
        raise _Fault(self.at, _no_value(word[0] if word else self.text[self.at : self.at + 1]))

    def _blank(self) -> None:
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def _no_comment(self) -> None:
        if self.text.startswith(("//", "/*", "#"), self.at):
            raise _Fault(self.at, "a comment, which JSON does not have; valid: none")


def _no_value(said: str) -> str:
    """Why a word or character is no value."""
    if said.lstrip("+-").lower() in ("nan", "inf", "infinity"):
        return f"{said} is no number; valid: a finite number"
    if said.lower() in ("true", "false", "none"):
        return f"{said} is Python's; valid: {'null' if said.lower() == 'none' else said.lower()}"
    if said[:1].isdigit() or said[:1] in ("+", "-", "."):
        return f"{_shown(said, 20)} is no number as JSON has them; valid: such as -80 or 0.5"
    if said in ("'", "“", "”", "‘", "`"):
        return f"{said} opens no text; valid: double quotes"
    if said in (",", "]", "}", ":", ""):
        return f"a value is missing before {said or 'the end'!r}"
    return f"{_shown(said, 20)} is no value; valid: a text in double quotes, a number, true, false, null, {{…}} or […]"


def _shown(text: str, most: int = 30) -> str:
    words = " ".join(text[: 4 * most].split())
    return repr(words if len(words) <= most else f"{words[: most - 1]}…")


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:20]} is too large for a number")
    return value


def _whole(digits: str) -> int:
    _finite(digits)
    return int(digits)


def _is_finite(digits: str) -> bool:
    return math.isfinite(float(digits))  # of an integer too long for Python's int, infinity


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key is said twice in one object")
    return value
