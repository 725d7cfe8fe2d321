"""What became of a run on an arm."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


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
