"""TOML files that people write: what is in them, and on which line."""

from __future__ import annotations

import bisect
import itertools
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from tamp.errors import InputError

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
