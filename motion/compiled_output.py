"""What compiled code prints, at the file descriptors, where Python's own streams are not asked."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hush_compiled() -> Iterator[None]:
    """Drop what compiled code prints inside, such as a library that says when it was built. Errors come through."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = {fd: os.dup(fd) for fd in (1, 2)}
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
        for fd in kept:
            os.dup2(nowhere.fileno(), fd)
    try:
        yield
    finally:
        flush_compiled()
        for fd, copy in kept.items():
            os.dup2(copy, fd)
            os.close(copy)


def flush_compiled() -> None:
    """Let compiled code's buffered words out while they still go where they are meant to."""
    ctypes.CDLL(None).fflush(None)
