"""How whoever is at the terminal stops an arm."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tamp.backends.xarm.stopping import Stop


@contextmanager
def stoppable(dead_man: float | None, stop: Stop) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop the arm instead of the program: it ends when the arm has acknowledged. So does a
    `dead_man` who says nothing on standard input for so many seconds."""
    reasons = {signal.SIGINT: "interrupted (Ctrl-C)", signal.SIGTERM: "ended by SIGTERM"}

    def told(number: int, _: object) -> None:
        stop.now(reasons[signal.Signals(number)])

    before = {number: signal.signal(number, told) for number in reasons}
    if dead_man is not None:
        threading.Thread(target=_listen, args=(stop,), daemon=True).start()
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _listen(stop: Stop) -> None:
    """Each line on standard input says that somebody is there; its end says nothing, so that the time runs out."""
    for _ in sys.stdin:
        stop.alive()
