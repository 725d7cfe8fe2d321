"""One place that says whether an arm has to stop, and why: asked in every cycle of a run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tamp.backends.xarm.faults import ArmFault


@dataclass(eq=False)
class Stop:
    """Set from any thread by `now`, or by a dead man: with `dead_man` seconds, `alive` must be called that often.

    `clock` gives seconds that only grow.
    """

    dead_man: float | None = None
    clock: Callable[[], float] = time.monotonic
    _reason: str = field(default="", init=False)
    _set: threading.Event = field(default_factory=threading.Event, init=False)
    _alive: float = field(init=False)

    def __post_init__(self) -> None:
        self._alive = self.clock()

    def now(self, reason: str) -> None:
        """Stop. The first reason is the one that is told."""
        if not self._set.is_set():
            self._reason = reason
            self._set.set()

    def alive(self) -> None:
        """Who supervises is still there."""
        self._alive = self.clock()

    @property
    def reason(self) -> str:
        """Why to stop, empty as long as nothing says so."""
        if not self._set.is_set() and self.dead_man is not None:
            silent = self.clock() - self._alive
            if silent > self.dead_man:
                self.now(f"nobody said that they are there for {silent:.1f} s (dead man, {self.dead_man:g} s)")
        return self._reason

    @property
    def event(self) -> threading.Event:
        """Set when there is a reason; a dead man is only noticed by asking."""
        return self._set

    def check(self) -> None:
        """ArmFault `stopped` when there is a reason."""
        if reason := self.reason:
            raise ArmFault("stopped", reason)

    def sleep(self, seconds: float, cycle: float = 0.02) -> None:
        """Wait so long, or until there is a reason: ArmFault `stopped`."""
        until = self.clock() + seconds
        while (left := until - self.clock()) > 0:
            self.check()
            self._set.wait(min(left, cycle))
        self.check()
