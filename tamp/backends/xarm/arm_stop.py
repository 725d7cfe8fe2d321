"""Whether an arm has to stop, and why: asked in every cycle by `arm_performer` and `streaming`, which halt it."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tamp.backends.xarm.arm_faults import ArmFault


@dataclass(eq=False)
class ArmStop:
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
        """Stop. The first reason is the one that is reported."""
        if not self._set.is_set():
            self._reason = reason
            self._set.set()

    def alive(self) -> None:
        """The supervisor is still there."""
        self._alive = self.clock()

    @property
    def reason(self) -> str:
        """Why to stop, empty as long as nothing says so."""
        if not self._set.is_set() and self.dead_man is not None:
            silent = self.clock() - self._alive
            if silent > self.dead_man:
                self.now(f"no sign of life for {silent:.1f} s (dead man, {self.dead_man:g} s)")
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


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""What ends a program: Ctrl-C, `kill`, a terminal that was closed, Ctrl-\\."""


@contextmanager
def stopped_by_signals(stop: ArmStop, signals: Sequence[signal.Signals] = (signal.SIGINT,)) -> Iterator[None]:
    """Signals stop the arm instead of the program, which ends once the arm has acknowledged. Only the main thread can
    take signals; in another one nothing changes. A hang-up that is ignored (`nohup`) stays ignored.

    A handler that raises is no stop: within the SDK the exception is lost to a bare `except:`.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def take(number: int, _: object) -> None:
        name = signal.Signals(number).name
        stop.now("interrupted (Ctrl-C)" if number == signal.SIGINT else f"ended by {name}")

    taken = [s for s in signals if s != signal.SIGHUP or signal.getsignal(s) != signal.SIG_IGN]
    before = {s: signal.signal(s, take) for s in taken}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
