"""What a controller's report frames say of an arm, as far as it is shown; no sockets.

Every frame begins with its own size in bytes, u32 with the highest byte first. State, mode and joints stand at the same
places in the frames of all report ports; only the rich one is read for errors and for how many joints the arm has.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from motion.poses import Array
from tamp.errors import TampError

SHORTEST, LONGEST = 87, 4096
"""Bytes of a frame: what all of them have, and more than any is known to have."""
MOST_STATE, MOST_MODE = 9, 11
"""Beyond these, which are the SDK's bounds too, it is no report."""
FARTHEST = 100.0
"""Radians, beyond which no joint of any arm is."""
_RICH = b"\xaa\x55"
"""Bytes 147 and 148 of a rich frame, its master and slave number. Real ones have forces where it has errors."""


class NoReport(TampError):
    """Bytes that are no report."""


@dataclass(frozen=True, eq=False)
class ArmReport:
    """State and mode by their numbers, the joints (7,) in radians, those that an arm does not have being 0.

    `error`, `warning`, and how many `axes` the arm has are None where the frame is not a rich one.
    """

    state: int
    mode: int
    q: Array
    error: int | None = None
    warning: int | None = None
    axes: int | None = None


def read_report(frame: bytes) -> ArmReport:
    """What one whole frame says. Raises NoReport."""
    if not SHORTEST <= len(frame) <= LONGEST:
        raise NoReport(f"{len(frame)} bytes; valid: {SHORTEST} to {LONGEST}")
    both = frame[4]
    q = np.frombuffer(frame, dtype="<f4", count=7, offset=7).astype(float)
    report = ArmReport(both & 15, both >> 4, q)
    if report.state > MOST_STATE or report.mode > MOST_MODE:
        raise NoReport(f"state {report.state} in mode {report.mode}; valid: to {MOST_STATE} and {MOST_MODE}")
    if not np.all(np.abs(q) < FARTHEST):  # also what is not a number
        raise NoReport(f"joints {q}; valid: radians")
    if frame[147:149] == _RICH:
        report = replace(report, error=frame[89], warning=frame[90], axes=frame[146])
    return report


def split(received: bytes) -> tuple[list[bytes], bytes]:
    """The whole frames in what was received, and the bytes of one that is not whole yet.

    Raises NoReport for bytes that cannot begin a frame: there is no way to find the next one.
    """
    found = []
    while len(received) >= 4:
        size = int.from_bytes(received[:4])
        if not SHORTEST <= size <= LONGEST:
            raise NoReport(f"a frame of {size} bytes; valid: {SHORTEST} to {LONGEST}")
        if len(received) < size:
            break
        found.append(received[:size])
        received = received[size:]
    return found, received
