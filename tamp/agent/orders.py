"""What a session can be told: start, stop, skip, undo, end, say. As objects, as JSON lines, as typed words."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tamp.errors import InputError
from tamp.files.quantities import is_number

LONGEST_SKIP = 3600.0
"""Seconds that can be skipped at most."""
LONGEST_TEXT = 2000
"""Characters that can be said at once."""
WORDS = ("start", "stop", "skip", "undo", "end", "say")
_FORMS = 'valid: start (pick mug_1 table), stop, stop wave, skip 2, undo, end, say "put the mug in the drawer"'


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
class Undo:
    """Put things back as they were before what was wanted last."""

    def __str__(self) -> str:
        return "undo"


@dataclass(frozen=True)
class End:
    """Stop everything and end the session."""

    def __str__(self) -> str:
        return "end"


@dataclass(frozen=True)
class Say:
    """Words for the robot, to be read beside what it does."""

    text: str

    def __str__(self) -> str:
        return f"say {self.text!r}" if len(self.text) <= 60 else f"say {self.text[:59]!r}…"


Order = Start | Stop | Skip | Undo | End | Say


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
        case "undo" | "end" if value in (None, "", True):
            return Undo() if word == "undo" else End()
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
    if known in ("stop", "undo", "end") and rest and not rest.startswith("("):
        known = known if known == "stop" and " " not in rest else ""
    if known in ("start", "skip", "stop", "undo", "end") and not (known == "skip" and not _is_number(rest or "1")):
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
