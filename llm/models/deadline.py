"""Work that is given up on after some time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T]) -> T:
    """`work`'s result or error; TimeoutError when it takes longer.

    A client's own limit is for each read: a server that trickles keeps it waiting, and a name look-up knows no limit
    at all. What is given up on goes on in a thread that nobody waits for.
    """
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    if not wait([done], seconds).done:
        raise TimeoutError(f"no answer within {seconds:g} s")
    return done.result()
