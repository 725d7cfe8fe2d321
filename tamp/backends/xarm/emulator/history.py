"""What has moved, and when: so that it can be proved that nothing did."""

from __future__ import annotations

from collections import deque
from dataclasses import asdict, dataclass

import numpy as np

from motion.poses import Array

LONGEST = 10000
"""Segments that are kept."""


@dataclass
class Segment:
    """One motion: from where to where (joint angles), between which times of the emulator's clock, and how it ended:
    "running", "done", "stopped" or "failed"."""

    number: int
    kind: str
    register: int
    started: float
    start: list[float]
    ended: float | None = None
    end: list[float] | None = None
    share: float = 0.0
    outcome: str = "running"


class History:
    """The segments, and when the joints moved last."""

    def __init__(self) -> None:
        self.segments: deque[Segment] = deque(maxlen=LONGEST)
        self.started = self.done = 0
        self.moved_at: float | None = None
        self._open: dict[int, Segment] = {}

    def begin(self, number: int, kind: str, register: int, now: float, q: Array) -> None:
        """A motion has started."""
        segment = Segment(number, kind, register, now, _plain(q))
        self.segments.append(segment)
        self._open[number] = segment
        self.started += 1

    def end(self, number: int, now: float, q: Array, share: float, outcome: str) -> None:
        """It has ended; unknown numbers never began."""
        segment = self._open.pop(number, None)
        if segment is not None:
            segment.ended, segment.end, segment.share, segment.outcome = now, _plain(q), share, outcome
            self.done += outcome == "done"

    def share(self, number: int) -> float:
        """The share of its way that a motion went before it ended; -1 for one that has not."""
        ended = (s.share for s in reversed(self.segments) if s.number == number and s.ended is not None)
        return next(ended, -1.0)

    def moved(self, now: float) -> None:
        """The joints have just moved."""
        self.moved_at = now

    def plain(self) -> list[dict[str, object]]:
        """All segments as JSON has them."""
        return [asdict(segment) for segment in self.segments]


def _plain(q: Array) -> list[float]:
    return [float(v) for v in np.round(q, 9)]
