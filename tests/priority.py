"""Tests in real time come before all other work of the machine, where one may ask for that, and are not late for it.

By niceness they would not: a shell's session, and what it starts, shares the processors with others as a whole.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


def comes_first() -> bool:
    """Whether this thread, and what it starts, comes before others."""
    return os.sched_getscheduler(0) == os.SCHED_RR


def come_first(first: bool = True) -> None:
    """Let it, or no longer; nothing where one may not, as without root's rights."""
    policy, priority = (os.SCHED_RR, 1) if first else (os.SCHED_OTHER, 0)
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, policy, os.sched_param(priority))


@contextlib.contextmanager
def in_real_time() -> Iterator[None]:
    """This thread, and what it starts meanwhile, come first."""
    before = comes_first()
    come_first()
    try:
        yield
    finally:
        come_first(before)
