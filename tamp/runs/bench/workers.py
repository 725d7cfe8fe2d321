"""Episodes on several processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import resource_tracker

from tamp.runs.bench.records import EpisodeRecord
from tamp.runs.bench.scheduling import PATIENCE, Key, LazyRunner, Runner, run_all

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def run(
    keys: Iterable[Key],
    workers: int,
    make_runner: Callable[[], Runner],
    given_up: Callable[[Key], EpisodeRecord],
    patience: float = PATIENCE,
) -> Generator[EpisodeRecord]:
    """As `run_all`, with processes as workers. `make_runner` must be picklable."""
    return run_all(keys, workers, partial(_ProcessWorker, make_runner), given_up, patience)


class _ProcessWorker:
    """An executor with one process: where that dies, the others go on."""

    def __init__(self, make_runner: Callable[[], Runner]) -> None:
        context = multiprocessing.get_context("spawn")  # what has threads must not be forked
        resource_tracker.ensure_running()  # `start` would do it inside, and unblocks the interrupt when it does
        before = multiprocessing.active_children()
        self._executor = ProcessPoolExecutor(1, context, _begin, (make_runner, os.getcwd()))  # noqa: PTH109 (text)
        # It shares the machine with others like it: no threads of its own for algebra.
        with environment(dict.fromkeys(THREADS, "1")), no_interrupts():
            self._executor.submit(os.getpid)  # starts the process
        (self._process,) = set(multiprocessing.active_children()).difference(before)

    def submit(self, key: Key) -> Future[EpisodeRecord]:
        return self._executor.submit(_run, key)

    def is_ready(self) -> bool:
        return True

    def end(self) -> None:
        self._process.kill()
        self._executor.shutdown()


_LAZY: list[LazyRunner] = []
"""The runner of a worker's process."""


def _begin(make_runner: Callable[[], Runner], folder: str) -> None:
    """Begin a worker's process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it has been blocked from the start; so for what it starts itself
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _LAZY.append(LazyRunner(make_runner, folder))


def _run(key: Key) -> EpisodeRecord:
    return _LAZY[0].run(key)


def _end_with_parent() -> None:
    """End this process when its parent has ended, also by SIGKILL: the same run may go on in the same folder."""
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


@contextmanager
def no_interrupts() -> Iterator[None]:
    """Ctrl-C waits for what is done inside, and never reaches what is started there: the parent decides.

    Blocking is for the child, which inherits it; here another thread could still take the signal.
    """
    waiting: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda number, frame: waiting.append(number)) if main else None
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if main:
            signal.signal(signal.SIGINT, handler)
        if waiting and callable(handler):  # also where what is inside broke off: the interrupt is the reason
            handler(waiting[0], None)


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for what is started inside."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
