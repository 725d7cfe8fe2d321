"""Episodes on several processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from tamp.runs.bench.records import Record
from tamp.runs.bench.scheduling import PATIENCE, Key, Runner, run_all

LOOK = 1.0
"""Seconds between looks for workers that hang."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def run(
    keys: Iterable[Key],
    workers: int,
    make_runner: Callable[[], Runner],
    given_up: Callable[[Key], Record],
    patience: float = PATIENCE,
) -> Generator[Record]:
    """As `run_all`, with processes as workers. `make_runner` must be picklable."""
    return run_all(keys, workers, _Processes(make_runner), given_up, patience)


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    connection: Connection
    since: float = 0.0


@dataclass(eq=False)
class _Processes:
    make_runner: Callable[[], Runner]
    workers: dict[int, _Worker] = field(default_factory=dict)

    def give(self, worker: int, key: Key) -> None:
        if worker not in self.workers:
            self.workers[worker] = self._started()
        self.workers[worker].since = time.monotonic()
        self.workers[worker].connection.send(key)

    def _started(self) -> _Worker:
        context = multiprocessing.get_context("spawn")  # what has threads must not be forked
        ours, theirs = context.Pipe()
        resource_tracker.ensure_running()  # `start` would do it inside, and unblocks the interrupt when it does
        # It shares the machine with others like it: no threads of its own for algebra.
        with environment(dict.fromkeys(THREADS, "1")), no_interrupts():
            # No daemon: those may start nothing, and an episode with the clock running plans in a process of its own.
            process = context.Process(target=_work, args=(theirs, self.make_runner))
            process.start()
            theirs.close()
        return _Worker(process, ours)

    def answers(self, patience: float) -> Iterator[tuple[int, Record | None]]:
        ready = wait([w.connection for w in self.workers.values()], timeout=LOOK)
        for number, worker in list(self.workers.items()):
            if worker.connection in ready:
                try:
                    answer = worker.connection.recv()
                except (EOFError, OSError):
                    answer = None
                if isinstance(answer, BaseException):
                    raise answer
                yield number, answer
            elif time.monotonic() - worker.since > patience:
                worker.process.kill()  # it then answers that it is dead

    def stop(self, worker: int) -> None:
        if (ended := self.workers.pop(worker, None)) is not None:
            ended.connection.close()
            ended.process.join()

    def close(self) -> None:
        for worker in self.workers.values():
            worker.process.kill()
        for worker in self.workers.values():
            worker.process.join()


def _work(connection: Connection, make_runner: Callable[[], Runner]) -> None:
    """A worker's life: a key in, a record out, until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it has been blocked from the start; so for what it starts itself
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        runner = make_runner()
        while True:
            connection.send(runner(connection.recv()))
    except (EOFError, BrokenPipeError):
        return
    except Exception as error:
        connection.send(error)


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
