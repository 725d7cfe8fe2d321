"""Every event of a log as a line that can be searched, within the size of a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from tamp.runs.pages.fields import Event, time_of
from tamp.runs.pages.layout import in_script

MOST_BYTES = 2_000_000
"""Bytes of all lines together, as the page has them: it stays under 5 MB."""

LONGEST = 20_000
"""Characters of one line."""


@dataclass(frozen=True)
class Line:
    """An event: its number in the log from 1, its kind, seconds, and its fields as JSON."""

    number: int
    kind: str
    t: float
    text: str


@dataclass(frozen=True)
class Listing:
    """The lines that a page has, and how many events it left out: control steps first, then the last ones."""

    lines: tuple[Line, ...]
    left_out: int


def listed(events: Sequence[Event], most: int = MOST_BYTES) -> Listing:
    """The events as lines, `most` bytes at most."""
    lines = [_line(number, e) for number, e in enumerate(events, 1)]
    size = sum(map(_size, lines))
    if size > most:
        steps = sum(_size(line) for line in lines if line.kind == "command")
        room = max(0, most - (size - steps))
        every = len(lines) if room == 0 else -(-steps // room)
        lines = [line for line in lines if line.kind != "command" or line.number % every == 0]
    kept, left = list[Line](), most
    for line in lines:
        left -= _size(line)
        if left < 0:
            break
        kept.append(line)
    return Listing(tuple(kept), len(events) - len(kept))


def _size(line: Line) -> int:
    return len(in_script(line.text).encode("utf-8", errors="replace"))


def _line(number: int, e: Event) -> Line:
    text = json.dumps({k: v for k, v in e.items() if k not in ("event", "t")}, ensure_ascii=False)
    cut = text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text) - LONGEST} characters more in the log)"
    return Line(number, str(e["event"]), time_of(e), cut)
