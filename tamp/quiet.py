"""Third parties kept quiet: what libraries print and warn about when they are imported or used.

Errors always come through, and with `TAMP_DEBUG=1` everything does.
"""

from __future__ import annotations

import ctypes
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO

NOISY = ("libero", "robosuite", "gym", "gymnasium", "bddl")
"""Packages that warn when they are imported, of their own age or of files that nobody needs."""


def debugging() -> bool:
    """Whether `TAMP_DEBUG=1` asks for tracebacks and third-party chatter."""
    return os.environ.get("TAMP_DEBUG") == "1"


@contextmanager
def hush_simulator() -> Iterator[None]:
    """Import LIBERO and robosuite inside this, and ask them for tasks: what they print there is dropped, and their
    warnings are from then on. Warnings of others are as before once it is over."""
    if debugging():
        yield
        return
    logging.getLogger("robosuite_logs").setLevel(logging.ERROR)
    with (
        open(os.devnull, "w", encoding="utf-8") as nowhere,  # noqa: PTH123
        redirect_stdout(nowhere),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield
    for module in NOISY:
        warnings.filterwarnings("ignore", module=rf"{module}(\.|$)")


@contextmanager
def quiet_stdout() -> Iterator[TextIO]:
    """Send file descriptor 1 to standard error for a while; yields a stream on the real standard output.

    That holds for compiled code too, so the redirection is made at the file descriptor.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    real_fd, python_stdout = os.dup(1), sys.stdout
    real = open(real_fd, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 (closed below)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield real
    finally:
        sys.stdout = python_stdout
        sys.stdout.flush()
        ctypes.CDLL(None).fflush(None)  # what compiled code has buffered
        os.dup2(real_fd, 1)
        try:
            real.close()
        finally:
            os.close(real_fd)


def hush_warnings() -> None:
    """No Python warnings from here on; some libraries turn them on again when they are imported."""
    if not debugging():
        warnings.simplefilter("ignore")
