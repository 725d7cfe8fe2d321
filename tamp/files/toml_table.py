"""Tables of a TOML or JSON file that know where they stand, so that every complaint names a line and what is valid."""

from __future__ import annotations

import bisect
import difflib
import itertools
import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.errors import InputError
from tamp.files import quantities
from tamp.files.json_text import parse_json, places_of
from tamp.files.source import Source

Key = tuple[str | int, ...]
"""The way to a value: keys of tables and, in arrays, numbers from 0."""
CLOSING = ("", "]", "]]", "]]]", "]}", "]}]", "]]}", "]]}]")
"""What may be open at the end of a line."""


def read_toml(path: Path) -> dict[str, Any]:
    """The table in a file. InputError, with line and column, when it cannot be read or is no TOML."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        return tomllib.loads(text)
    except OSError as e:
        raise InputError(f"cannot read {path}: {e.strerror}") from e
    except ValueError as e:  # tomllib's own, of the decoding, and of numbers with thousands of digits
        raise InputError(f"{path}: not TOML: {e}") from e
    except RecursionError as e:
        raise InputError(f"{path}:{_deepest(text)}: nested too deeply; valid: lists in lists, a few levels") from e


def _deepest(text: str) -> int:
    """The line with the most brackets that are open, whatever stands in texts and comments."""
    depths = itertools.accumulate((c in "[{") - (c in "]}") for c in text)
    at = max(enumerate(depths), key=lambda each: each[1])[0]
    return text.count("\n", 0, at) + 1


def line_of(text: str, key: Key) -> int:
    """The line, from 1, of what stands at a key, or at the longest part of the key that there is. `text` must be TOML.

    tomllib does not say where a value stands: this is the first line up to which the text has it.
    """
    rows = text.split("\n")

    @cache
    def parsed(count: int) -> dict[str, Any] | None:
        """The value of the first lines; None where they end inside a text or an inline table."""
        for closing in CLOSING:
            try:
                return tomllib.loads("\n".join([*rows[:count], closing]))
            except (ValueError, RecursionError):
                continue
        return None

    def before(count: int) -> int:
        """The most of the first lines that have a value."""
        return next(n for n in range(count, -1, -1) if parsed(n) is not None)

    while key and not _has(parsed(before(len(rows))), key):
        key = key[:-1]
    if not key:
        return 1
    first = bisect.bisect_left(range(len(rows)), True, key=lambda n: _has(parsed(before(n)), key))
    return before(first - 1) + 1


def _has(value: Any, key: Key) -> bool:
    for part in key:
        there = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        if part not in there:
            return False
        value = value[part]
    return True


@dataclass(frozen=True)
class Table:
    """A table of the file `name`; `at` are the keys that lead to it, `line_of` finds a key of the whole file."""

    name: str
    values: Mapping[str, Any]
    line_of: Callable[[Key], int]
    at: Key = ()

    def wrong(self, message: str, *keys: str | int) -> InputError:
        """The error about what stands at some keys from here, with its file and line."""
        return InputError(f"{self.name}:{self.line_of((*self.at, *keys))}: {message}")

    def called(self, key: str) -> str:
        """What messages call the value at a key: `poses.home.xyz_mm`."""
        return ".".join(map(str, (*self.at, key)))

    def only(self, *known: str) -> None:
        """InputError when there is another key than these."""
        for key in self.values:
            if key not in known:
                where = f" of {'.'.join(map(str, self.at))}" if self.at else ""
                near = difflib.get_close_matches(key, known, 1)
                meant = f"; did you mean {near[0]!r}?" if near else ""
                raise self.wrong(f"unknown key {key!r}{where}; valid: {', '.join(known)}{meant}", key)

    def has(self, key: str) -> bool:
        """Whether a key is there."""
        return key in self.values

    def text(self, key: str, valid: str) -> str:
        """A text that is not empty."""
        value = self._there(key, valid)
        if not isinstance(value, str) or not value.strip():
            raise self.no(key, valid)
        return value

    def texts(self, key: str, valid: str, several: bool = False) -> tuple[str, ...]:
        """A list of texts, none empty and, but for `several`, none twice."""
        value = self._there(key, valid)
        if not isinstance(value, list) or not all(isinstance(v, str) and v.strip() for v in value):
            raise self.no(key, valid)
        if len(set(value)) < len(value) and not several:
            raise self.wrong(f"{self.called(key)} says {max(value, key=value.count)!r} twice", key)
        return tuple(value)

    def flag(self, key: str, valid: str) -> bool:
        """True or false."""
        value = self._there(key, valid)
        if not isinstance(value, bool):
            raise self.no(key, valid)
        return value

    def number(self, key: str, valid: str, low: float, high: float = math.inf) -> float:
        """A finite number from `low` to `high`."""
        value = self._there(key, valid)
        if not quantities.is_number(value) or not low <= value <= high:
            raise self.no(key, valid)
        return float(value)

    def whole(self, key: str, valid: str, low: int = 0, high: int = 2**31) -> int:
        """A whole number from `low` to `high`; 3.0 is one."""
        value = self.number(key, valid, low, high)
        if value != int(value):
            raise self.no(key, valid)
        return int(value)

    def numbers(self, key: str, count: int, valid: str) -> Array:
        """A list of `count` finite numbers, as an array (count,)."""
        return self.array(key, valid, count)

    def array(self, key: str, valid: str, *shape: int | None) -> Array:
        """Lists of finite numbers, as an array of a shape; None stands for any number of them."""
        value = self._there(key, valid)
        if not _has_shape(value, shape):
            raise self.no(key, valid)
        return np.array(value, dtype=float)

    def metres(self, key: str, count: int, valid: str, most: float) -> Array:
        """`count` lengths (count,) of at most so many metres."""
        return self._quantity(key, count, valid, lambda values: quantities.not_metres(values, most))

    def millimetres(self, key: str, valid: str, least: float = 0.0) -> Array:
        """A point (3,), in metres, that the file has in millimetres: 0, or at least `least` of them along an axis."""
        return self._quantity(key, 3, valid, lambda values: quantities.not_millimetres(values, least)) / 1000

    def radians(self, key: str, count: int, valid: str) -> Array:
        """`count` angles (count,), none greater than a turn."""
        return self._quantity(key, count, valid, quantities.not_radians)

    def degrees(self, key: str, count: int, valid: str) -> Array:
        """`count` angles (count,), in radians, that the file has in degrees."""
        return np.radians(self._quantity(key, count, valid, quantities.not_degrees))

    def angle(self, key: str) -> float:
        """An angle in radians, as 1.5708 for a quarter turn; 0 when it is not there."""
        if not self.has(key):
            return 0.0
        valid = "radians, as 1.5708 for a quarter turn"
        value = self.number(key, valid, -math.inf)
        self._possible(key, valid, quantities.not_radians([value]))
        return value

    def _quantity(self, key: str, count: int, valid: str, wrong: Callable[[Sequence[float]], str]) -> Array:
        values = self.numbers(key, count, valid)
        self._possible(key, valid, wrong(values.tolist()))
        return values

    def _possible(self, key: str, valid: str, why: str) -> None:
        """InputError where there is a reason why a value is not in the unit of its key."""
        if why:
            raise self.no(key, f"{valid}, {why}")

    def table(self, key: str, valid: str) -> Table:
        """The table at a key."""
        value = self._there(key, valid)
        if not isinstance(value, dict):
            raise self.no(key, valid)
        return Table(self.name, value, self.line_of, (*self.at, key))

    def tables(self, key: str, valid: str) -> Iterator[tuple[str, Table]]:
        """The tables of the table at a key, with their names; none when it is not there."""
        if self.has(key):
            table = self.table(key, valid)
            for name in table.values:
                yield name, table.table(name, valid)

    def rows(self, key: str, valid: str) -> Iterator[Table]:
        """The tables of the list at a key."""
        value = self._there(key, valid)
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise self.no(key, valid)
        for n, row in enumerate(value):
            yield Table(self.name, row, self.line_of, (*self.at, key, n))

    def _there(self, key: str, valid: str) -> Any:
        if key not in self.values:
            raise self.wrong(f"{self.called(key)} is missing; valid: {valid}")
        return self.values[key]

    def no(self, key: str, valid: str) -> InputError:
        """The error about the value at a key, saying what would be valid."""
        shown = " ".join(str(self.values[key]).split())
        return self.wrong(f"{self.called(key)} is {shown[:60] or 'empty'}; valid: {valid}", key)


def read_placed(path: Path) -> Table:
    """The table in a TOML file. InputError when it cannot be read or is no TOML."""
    return Table(str(path), read_toml(path), lambda key: line_of(path.read_text(encoding="utf-8-sig"), key))


def read_json(path: Path) -> Table:
    """The object in a JSON file. InputError when it cannot be read, is no JSON, or another value."""
    try:
        source = Source(str(path), path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as e:
        raise InputError(f"cannot read {path}: {getattr(e, 'strerror', None) or e}") from e
    value = parse_json(source)
    if not isinstance(value, dict):
        raise InputError(f"{path}:1: {str(value)[:40]} is no object; valid: {{…}}")

    def line_of(key: Key) -> int:
        places = places_of(source)
        while key and key not in places:
            key = key[:-1]
        return places[key][0] if key else 1

    return Table(str(path), value, line_of)


def _has_shape(value: Any, shape: Sequence[int | None]) -> bool:
    if not shape:
        return quantities.is_number(value)
    lists = isinstance(value, list) and shape[0] in (None, len(value))
    return lists and all(_has_shape(each, shape[1:]) for each in value)
