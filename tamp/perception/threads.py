"""The same done to many things at once: compiled code lets other threads run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

MOST = 4
"""Threads at most."""


def each(done: Callable[[T], R], things: Iterable[T]) -> list[R]:
    """What is done to each of some things, in their order."""
    with ThreadPoolExecutor(min(MOST, len(os.sched_getaffinity(0)))) as threads:
        return list(threads.map(done, things))
