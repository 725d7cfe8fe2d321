"""JSON and nothing else, and where in it everything stands.

Nothing is repaired. Text that a language model writes around the JSON, and commas too many, are reported as what they
are; Python's json says of most of them only that it expected something else.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection
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
            raise _input_error(source, fault) from e
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
        raise _input_error(source, fault) from fault
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


def _input_error(source: Source, fault: _Fault) -> InputError:
    line, column = source.place(fault.at)
    return InputError(f"{source.name}:{line}:{column}: not JSON: {fault}")


class _Reader:
    """Reads JSON as strictly as its standard, to find where things stand and what is wrong in words."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.places: dict[Key, int] = {}

    def document(self) -> None:
        self._skip()
        if self._next() == "":
            raise _Fault(0, f"there is nothing in it; {_ALONE}")
        if self._next() not in '{["-0123456789':
            raise _Fault(self.at, f"text before the JSON object: {self._ahead(30)}; {_ALONE}")
        self._value(())
        self._skip()
        if self._next():
            raise _Fault(self.at, f"text after the JSON object: {self._ahead(30)}; {_ALONE}")

    def _next(self) -> str:
        return self.text[self.at : self.at + 1]

    def _ahead(self, most: int = 12) -> str:
        return _shown(self.text[self.at : self.at + 4 * most], most)

    def _skip(self, characters: int = 0) -> None:
        """Past some characters and the blanks after them."""
        found = _BLANK.match(self.text, self.at + characters)
        self.at = found.end() if found else self.at

    def _value(self, key: Key) -> None:
        self.places.setdefault(key, self.at)
        if len(key) > DEEPEST:
            raise _Fault(self.at, f"nested too deeply: at most {DEEPEST} levels are read")
        if self._next() in ("{", "["):
            self._items(key, self._next())
        elif self._next() == '"':
            self._string()
        else:
            self._scalar()

    def _items(self, key: Key, begin: str) -> None:
        """The members of an object, or the elements of an array."""
        start, end, comma = self.at, "}" if begin == "{" else "]", -1
        names = dict[str | int, None]()
        self._skip(1)
        while self._next() != end:
            if not self._next():
                raise _Fault(start, f"{begin!r} is not closed; the text ends before a {end!r}")
            name = self._name(key, names) if begin == "{" else len(names)
            names[name] = None
            self._value((*key, name))
            self._skip()
            comma = self.at if self._next() == "," else -1
            if comma < 0 and self._next() not in (end, ""):
                raise _Fault(self.at, f"{self._ahead()} follows a value; valid: a comma or {end!r}")
            self._skip(1 if comma >= 0 else 0)
        if comma >= 0:
            raise _Fault(comma, f"a comma with nothing after it; valid: no comma before {end!r}")
        self.at += 1

    def _name(self, key: Key, names: Collection[str | int]) -> str:
        """The key of a member, and past the colon after it."""
        if self._next() != '"':
            raise _Fault(self.at, f"{self._ahead()} is no key; valid: a text in double quotes")
        at, name = self.at, str(json.loads(self._string()))
        if name in names:
            raise _Fault(at, f"{name!r} is said twice in one object; valid: once")
        self.places[*key, name] = at
        self._skip()
        if self._next() != ":":
            raise _Fault(self.at, f"a colon is missing after the key {name!r}")
        self._skip(1)
        return name

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
        """A number, true, false or null."""
        found = _NUMBER.match(self.text, self.at)
        if found and not math.isfinite(float(found[0])):
            raise _Fault(self.at, f"{_shown(found[0], 20)} is too large for a number; valid: a finite number")
        word = found or _WORD.match(self.text, self.at)
        if not found and (word is None or word[0] not in ("true", "false", "null")):
            raise _Fault(self.at, _no_value(word[0] if word else self._next()))
        self.at = word.end() if word else self.at


def _no_value(found: str) -> str:
    """Why a word or character is no value."""
    if found.lstrip("+-").lower() in ("nan", "inf", "infinity"):
        return f"{found} is no number; valid: a finite number"
    if found in ("True", "False", "None"):
        return f"{found} is Python's; valid: {'null' if found == 'None' else found.lower()}"
    if found[:1].isdigit() or found[:1] in ("+", "-", "."):
        return f"{_shown(found, 20)} is no number as JSON has them; valid: such as -80 or 0.5"
    if found in (",", "]", "}", ":", ""):
        return f"a value is missing before {found or 'the end'!r}"
    return f"{_shown(found, 20)} is no value; valid: a text in double quotes, a number, true, false, null, {{…}} or […]"


def _shown(text: str, most: int = 30) -> str:
    words = " ".join(text[: 4 * most].split())
    return repr(words if len(words) <= most else f"{words[: most - 1]}…")


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def _finite(digits: str) -> float:
    value = float(digits)  # of an integer too long for Python's int, infinity
    return value if math.isfinite(value) else _refuse(f"{digits[:20]}…")


def _whole(digits: str) -> int:
    _finite(digits)
    return int(digits)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key is said twice in one object")
    return value
