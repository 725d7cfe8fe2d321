"""Scripts of a session: orders and disturbances, each at its time or as soon as the one before was taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from motion.poses import Array
from tamp.agent.orders import WORDS, Order, order_of
from tamp.agent.session import Session
from tamp.errors import InputError
from tamp.files.json_text import parse_line
from tamp.files.quantities import is_number, not_metres

LONGEST = 86_400.0
"""Seconds that a session lasts at most: a day."""
FARTHEST = 10.0
"""Metres that a thing is moved: more are millimetres, or a mistake."""


@dataclass(frozen=True, eq=False)
class Disturb:
    """Somebody moves a thing `by` (3,) metres, world frame."""

    thing: str
    by: Array


@dataclass(frozen=True, eq=False)
class Entry:
    """A line of a script; `at` in seconds of the session, None: as soon as the one before was taken."""

    at: float | None
    what: Order | Disturb


@dataclass(eq=False)
class Script:
    """Gives a session the orders of a script when they are due."""

    entries: list[Entry]
    _next: int = field(default=0)

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        return self._next >= len(self.entries)

    def give(self, session: Session, disturb: Callable[[Disturb], None]) -> None:
        """What is due now; disturbances go to `disturb`. Called before each tick. A skip puts off what has no time of
        its own."""
        while not self.over:
            entry = self.entries[self._next]
            due = session.skips_until if entry.at is None else entry.at
            if session.time < due:
                return
            self._next += 1
            if isinstance(entry.what, Disturb):
                disturb(entry.what)
            else:
                session.order(entry.what)
                return  # it is taken at the tick; what follows may depend on it


def read_script(path: Path) -> list[Entry]:
    """The entries of a file with a JSON object a line. InputError with the line of what is wrong."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as e:
        raise InputError(f"cannot read {path}: {getattr(e, 'strerror', None) or e}") from e
    entries = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            said = parse_line(str(path), number, line)
            try:
                entries.append(_entry(said))
            except InputError as e:
                raise InputError(f"{path}:{number}: {e}") from e
    return entries


def _entry(said: Any) -> Entry:
    if not isinstance(said, dict):
        raise InputError('valid: an object such as {"at": 2.5, "stop": "wave"}')
    words = [w for w in (*WORDS, "disturb") if w in said]
    if unknown := sorted(set(said) - {"at", *words}):
        raise InputError(f"unknown key {unknown[0]!r}; valid: at, {', '.join(WORDS)}, disturb")
    if len(words) != 1:
        raise InputError(f"one of {', '.join(WORDS)}, disturb is needed, not {' and '.join(words) or 'none'}")
    at = said.get("at")
    if at is not None and (not is_number(at) or not 0 <= at <= LONGEST):
        raise InputError(f"at is {str(at)[:20]}; valid: seconds from 0 to {LONGEST:g}")
    value = said[words[0]]
    return Entry(at, _disturb(value) if words[0] == "disturb" else order_of(words[0], value))


def _disturb(value: Any) -> Disturb:
    by = value.get("by") if isinstance(value, dict) else None
    if (
        not isinstance(value, dict)
        or not isinstance(value.get("thing"), str)
        or not isinstance(by, list)
        or len(by) != 3
        or not all(map(is_number, by))
    ):
        raise InputError('disturb takes {"thing": NAME, "by": [x, y, z]} in metres')
    if why := not_metres(by, FARTHEST):
        raise InputError(f"by is {by}; valid: [x, y, z] in metres, {why}")
    return Disturb(value["thing"], np.array(by, dtype=float))
