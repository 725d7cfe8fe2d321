"""A policy in a process of its own, which gets observations and the instruction and can see nothing else.

It is kept for many episodes, ends with whoever started it, and is replaced when it hangs or dies.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from tamp.errors import InputError
from tamp.quiet import debugging
from tamp.runs.bench.workers import no_interrupts
from tamp.runs.policy.answering import Answering, Diary, Make
from tamp.runs.policy.remote import Entry, RemotePolicy
from tamp.wire import pack, unpack

PATIENCE = 600.0
"""Seconds that one answer may take, planning and a model's reading included, before the process counts as hung."""
ORPHANED = 1.0
"""Seconds between two looks whether the process that started it is still there."""
ENDING = 2.0
"""Seconds that it may take to end before it is killed."""
SEALED = ("libero", "robosuite")
"""Modules that the policy's process may not have: the task and its simulation."""


@dataclass(eq=False)
class _Pipe:
    """One end of a pipe as a channel: see `tamp.wire.Channel`. `alive` says why nobody answers."""

    connection: Connection
    patience: float | None = None
    gone: Callable[[], str] = lambda: "the other end is closed"

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message."""
        try:
            self.connection.send_bytes(pack(message))
        except OSError as e:
            raise EOFError(self.gone()) from e

    def receive(self) -> dict[str, Any]:
        """The next message. EOFError when it takes longer than `patience`."""
        try:
            if not self.connection.poll(self.patience):
                raise EOFError(f"it did not answer within {self.patience:g} s")
            return unpack(self.connection.recv_bytes())
        except (EOFError, OSError) as e:
            raise EOFError(str(e) or self.gone()) from e


@dataclass(eq=False)
class PolicyProcess:
    """Starts the process when it is first needed. `make`, which has to be picklable, makes the policy there."""

    make: Make
    patience: float = PATIENCE
    _process: BaseProcess | None = None
    _connection: Connection | None = None
    _policy: RemotePolicy | None = field(default=None)

    def policy(self, hear: Callable[[Entry], None]) -> RemotePolicy:
        """The policy, for an episode: in the process that was there before, if that is well."""
        if self._policy is None or self._process is None or not self._process.is_alive():
            self.close()
            self._start()
        assert self._policy is not None
        self._policy.hear = hear
        return self._policy

    def close(self) -> None:
        """End the process. What hangs is killed; the next episode gets another one."""
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.join(ENDING)
            if self._process.is_alive():
                self._process.kill()
                self._process.join()
        self._process = self._connection = self._policy = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self.make, os.getpid()), name="policy", daemon=True)
        resource_tracker.ensure_running()  # `start` would do it inside, and unblocks the interrupt when it does
        with no_interrupts():
            process.start()
        theirs.close()
        self._process = process

        def gone() -> str:
            process.join(ENDING)
            return f"its process ended (exit code {process.exitcode})"

        self._policy = RemotePolicy(_Pipe(self._connection, self.patience, gone))


def _work(connection: Connection, make: Make, parent: int) -> None:
    """The process's life: messages in, answers out, until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    if not debugging():
        warnings.simplefilter("ignore")  # what the libraries behind eyes and reading warn about
    channel, diary = _Pipe(connection), Diary()
    try:
        policy = make(diary)
    except Exception as e:  # the first who asks is told
        with contextlib.suppress(EOFError):
            channel.receive()
            channel.send({"error": str(e)} if isinstance(e, InputError) else _fault(e))
        return
    Answering(policy, diary, tells=True, check=_check_sealed).run(channel)


def _fault(error: Exception) -> dict[str, str]:
    import traceback

    return {"error": f"{type(error).__name__}: {error}", "traceback": "".join(traceback.format_exception(error))}


def _check_sealed() -> None:
    """InputError where the simulation can be reached from in here."""
    if found := [name for name in SEALED if name in sys.modules]:
        raise InputError(f"the policy's process has loaded {found[0]}, which knows the task: this does not count")


def _end_with(parent: int) -> None:
    """End at once when the process that started this one is gone, whatever is going on."""
    while os.getppid() == parent:
        time.sleep(ORPHANED)
    os._exit(1)
