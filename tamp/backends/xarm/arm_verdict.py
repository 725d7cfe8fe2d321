"""What became of a run on an arm."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


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
"""What is said of an arm by whether it has acknowledged a stop; None where it was not told to."""


@dataclass(frozen=True)
class ArmVerdict:
    """`failed` is the number of the step that was not done, `kind` a word for why, as of `ArmFault`; `halted` says
    whether the arm acknowledged that it stands still, None when it never moved."""

    success: bool
    done: tuple[StepDone, ...]
    failed: int | None = None
    kind: str = ""
    reason: str = ""
    halted: bool | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)
