"""How a person at a terminal, or a program that supervises, stops an arm."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tamp.backends.xarm.arm_faults import ArmStop


@contextmanager
def stoppable(stop: ArmStop, reads: bool = True) -> Iterator[None]:
    """Every signal that ends a program stops the arm instead, and the program once the arm has acknowledged. For
    a dead man each line on standard input is a sign of life, which is read here unless it has another reader; its
    end is none, so that the time runs out.
    """
    from tamp.api.arm_plans import stopped_by_every_signal

    if reads and stop.dead_man is not None:
        threading.Thread(target=_listen, args=(stop,), daemon=True).start()
    with stopped_by_every_signal(stop):
        yield


def _listen(stop: ArmStop) -> None:
    for _ in sys.stdin:
        stop.alive()
