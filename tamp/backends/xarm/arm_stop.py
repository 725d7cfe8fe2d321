"""Stop an arm: by a signal, a person or a fault; what can go wrong with one, in words; and what became of a run.

The performer and the stream ask an `ArmStop` in every cycle, and halt the arm.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tamp.errors import TampError

_API = {
    -9: "the controller was stopped",
    -8: "a value is out of range",
    -7: "joint limits",
    -6: "limits of the tool pose",
    -2: "it is not enabled",
    -1: "not connected",
    1: "the controller has an error that is not cleared",
    2: "the controller has a warning that is not cleared",
    9: "it is not ready to move",
    10: "what was sent is not what it takes",
}
"""Codes that the SDK's calls return, where there is more to say than the number."""


class ArmFault(TampError):
    """The arm cannot go on. `kind` is a word for counting:

    `infeasible` (no way; `step` is the number of the step), `unreachable` (no connection), `lost` (it broke),
    `frozen` (no answer in time), `error` (the controller's own),
    `taken` (something else stopped it or changed its mode), `refused` (a command was not accepted),
    `tracking_error` (not where it must be), `stopped` (on demand), `unseen` (detections), `hand` (the hand controller).
    """

    exit_code = 1

    def __init__(self, kind: str, message: str, step: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.step = step


def api_meaning(code: int) -> str:
    """What a code that a call of the SDK returned means."""
    return f"code {code}: {_API[code]}" if code in _API else f"code {code}"


def error_meaning(code: int) -> str:
    """A controller's error in the words of the SDK, with what it advises."""
    from xarm.core.config.x_code import ControllerError

    known = ControllerError(code)
    title, advice = (str(text.get("en", "")).strip() for text in (known.title, known.description))
    words = " ".join(f"{title}: {advice}".split()).strip(": ")
    return f"C{code}, {words}" if words else f"C{code}"


def warning_meaning(code: int) -> str:
    """A controller's warning in the words of the SDK."""
    from xarm.core.config.x_code import ControllerWarn

    words = " ".join(str(ControllerWarn(code).title.get("en", "")).split())
    return f"W{code}, {words}" if words else f"W{code}"


def meanings(error: int, warning: int) -> str:
    """An error and a warning in words; empty for neither."""
    parts = [error_meaning(error)] if error else []
    return "; ".join([*parts, warning_meaning(warning)] if warning else parts)


# --- stopping ---------------------------------------------------------------------------------------------------------


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

    def check(self) -> None:
        """ArmFault `stopped` when there is a reason."""
        if reason := self.reason:
            raise ArmFault("stopped", reason)


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


# --- what became of a run ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StepDone:
    """A step that was carried out: metres and radians from where it should end, and the nearest that the arm came to
    anything by the second look (metres; None when that is off, or nothing was near)."""

    number: int
    action: str
    seconds: float
    off_metres: float
    off_radians: float
    nearest: float | None


STANDS = {
    None: "nothing moved",
    True: "the arm stands still",
    False: "THE ARM DID NOT ACKNOWLEDGE THE STOP: PRESS THE EMERGENCY STOP",
}
"""Whether an arm stands still, in words, by whether it has acknowledged a stop; None where none was sent."""


@dataclass(frozen=True)
class ArmResult:
    """What became of an action plan. It is true where every step was done; of a dry run, where it can be.

    `done` are the steps that were carried out, each with its `number`, `action` and `seconds`, how far from its target
    it ended (`off_metres`, `off_radians`), and the `nearest` that the arm came to anything (metres). `failed` is the
    number of the step that was not done, `kind` a word for why, `reason` says it; `halted`, whether the arm has
    acknowledged that it stands still, None where it never moved. `out` is the folder of the log, None without one.
    """

    success: bool
    done: tuple[StepDone, ...] = ()
    failed: int | None = None
    kind: str = ""
    reason: str = ""
    halted: bool | None = None
    out: Path | None = None

    def __bool__(self) -> bool:
        return self.success
