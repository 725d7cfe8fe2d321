"""The orders of a session: start, stop, skip, end, say. As objects, as JSON lines, as typed words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from motion.poses import Array
from tamp.errors import InputError
from tamp.files.json_text import parse_line
from tamp.files.quantities import is_number, not_metres

if TYPE_CHECKING:
    from tamp.agent.session import Session

LONGEST_SKIP = 3600.0
"""Seconds that can be skipped at most."""
LONGEST_TEXT = 2000
"""Characters that can be said at once."""
WORDS = ("start", "stop", "skip", "end", "say")
_FORMS = 'valid: start (pick mug_1 table), stop, stop wave, skip 2, end, say "put the mug in the drawer"'


@dataclass(frozen=True)
class Start:
    """Begin an action: a ground action of the domain, `(pick mug_1 table)`, or an endless one, `wave`."""

    action: str

    def __str__(self) -> str:
        return f"start {self.action}"


@dataclass(frozen=True)
class Stop:
    """End an action by the name it was started under; without one, everything."""

    action: str | None = None

    def __str__(self) -> str:
        return f"stop {self.action}" if self.action else "stop"


@dataclass(frozen=True)
class Skip:
    """Decide nothing for so many seconds; what runs goes on."""

    seconds: float = 1.0

    def __str__(self) -> str:
        return f"skip {self.seconds:g}"


@dataclass(frozen=True)
class End:
    """Stop everything and end the session."""

    def __str__(self) -> str:
        return "end"


@dataclass(frozen=True)
class Say:
    """Words for the robot, to be read while it goes on."""

    text: str

    def __str__(self) -> str:
        return f"say {self.text!r}" if len(self.text) <= 60 else f"say {self.text[:59]!r}…"


Order = Start | Stop | Skip | End | Say


def order_of(word: str, value: Any = None) -> Order:
    """The order of a word and what goes with it. InputError for what is none."""
    match word:
        case "start" if isinstance(value, str) and value.strip("() \t\n"):
            return Start(action_name(value))
        case "stop" if value in (None, "", True):
            return Stop()
        case "stop" if isinstance(value, str):
            return Stop(action_name(value))
        case "skip":
            return Skip(_seconds(1.0 if value in (None, "") else value))
        case "end" if value in (None, "", True):
            return End()
        case "say" if isinstance(value, str) and value.strip():
            if len(value) > LONGEST_TEXT:
                raise InputError(f"{len(value):,} characters are too many to be said at once; at most {LONGEST_TEXT:,}")
            return Say(" ".join(value.split()))
    raise InputError(f"{_shown(word)} is no order; {_FORMS}")


def read_json(line: str) -> Order:
    """The order in a line of JSON: `{"start": "(pick mug_1 table)"}`. InputError for what is none."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as e:
        raise InputError(f'{_shown(line)} is not JSON; valid: a line such as {{"stop": "wave"}}') from e
    found = [w for w in WORDS if isinstance(said, dict) and w in said]
    if len(found) != 1:
        raise InputError(f"{_shown(line)} is no order; valid: an object with one of {', '.join(WORDS)}")
    return order_of(found[0], said[found[0]])


def read_typed(line: str) -> Order:
    """The order in what a person typed: a word of the orders first, or plain words for the robot."""
    word, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    known = word.lower()
    if known in ("stop", "end") and rest and not rest.startswith("("):
        known = known if known == "stop" and " " not in rest else ""
    if known in ("start", "skip", "stop", "end") and not (known == "skip" and not _is_number(rest or "1")):
        return order_of(known, rest or None)
    return order_of("say", rest.strip("\"'") if word.lower() == "say" else line)


def action_name(text: str) -> str:
    """An action as it is listed: one space between words, in parentheses where it has arguments."""
    words = text.strip().strip("()").lower().split()
    return f"({' '.join(words)})" if len(words) > 1 or text.strip().startswith("(") else " ".join(words)


def _seconds(value: Any) -> float:
    if isinstance(value, str) and _is_number(value):
        value = float(value)
    if not is_number(value) or not 0.0 <= value <= LONGEST_SKIP:
        raise InputError(f"{str(value)[:20]} is nothing to skip; valid: seconds from 0 to {LONGEST_SKIP:g}")
    return float(value)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan|[+-]?inf(inity)?", text.strip().lower()) is not None


def _shown(text: str) -> str:
    words = " ".join(str(text).split())
    return repr(words if len(words) <= 40 else f"{words[:39]}…")


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
