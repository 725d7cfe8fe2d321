"""Servo targets and velocities in a row: one segment of the history."""

from __future__ import annotations

from motion.poses import Array
from tamp.backends.xarm.emulator.history import History

GAP = 0.2
"""Seconds of standing still that end a row."""


class Stream:
    """The row that is going on, if any; times are seconds of the controller's clock."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._number, self._rested = 0, 0.0

    @property
    def open(self) -> bool:
        """Whether a row is going on."""
        return self._number > 0

    def begin(self, number: int, kind: str, register: int, now: float, q: Array) -> None:
        """A row starts from `q` (n,)."""
        self._number, self._rested = number, now
        self._history.begin(number, kind, register, now, q)

    def watch(self, now: float, q: Array, moving: bool) -> None:
        """The row has ended once nothing has moved for a while."""
        if moving:
            self._rested = now
        elif self.open and now - self._rested > GAP:
            self.end(now, q, moving, "done")

    def end(self, now: float, q: Array, moving: bool, outcome: str) -> None:
        """The row ends at `q` (n,): now, or when it last moved."""
        if self.open:
            self._history.end(self._number, now if moving else self._rested, q, 1.0, outcome)
        self._number = 0
