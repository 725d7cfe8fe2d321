"""Episodes on several processes of this machine. A process that is killed is replaced and its episode run again."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from tamp.runs.bench.records import Record
from tamp.runs.bench.scheduling import Key, Schedule

Runner = Callable[[Key], Record]
"""Runs one episode. Made once in each worker, so it may keep what episodes share."""

PATIENCE = 600.0
"""Seconds after which an episode's worker counts as hung and is ended."""
LOOK = 1.0
"""Seconds between looks for workers that hang."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True, eq=False)
class _Worker:
    process: BaseProcess
    connection: Connection
    started: float


def run(
    keys: Iterable[Key],
    workers: int,
    make_runner: Callable[[], Runner],
    given_up: Callable[[Key], Record],
    patience: float = PATIENCE,
) -> Generator[Record]:
    """Records of the given episodes as they come, in any order, from `workers` processes.

    `make_runner` must be picklable. `given_up` makes the record of an episode over which workers died again
    and again. Closing the iterator ends the processes. A worker whose episode takes more than `patience` seconds
    counts as dead.
    """
    schedule = Schedule.of(keys)
    crew: dict[int, _Worker] = {}
    try:
        for number in range(min(workers, len(schedule.left()))):
            _employ(number, schedule, crew, make_runner)
        while crew:
            ready = wait([w.connection for w in crew.values()], timeout=LOOK)
            for number, worker in list(crew.items()):
                if worker.connection in ready:
                    yield from _hear(number, schedule, crew, make_runner, given_up)
                elif time.monotonic() - worker.started > patience:
                    worker.process.kill()
    finally:
        for worker in crew.values():
            worker.process.kill()
        for worker in crew.values():
            worker.process.join()


def _hear(
    number: int,
    schedule: Schedule,
    crew: dict[int, _Worker],
    make_runner: Callable[[], Runner],
    given_up: Callable[[Key], Record],
) -> Iterator[Record]:
    """What a worker has to say: a record, an error that is the whole run's, or nothing since it is dead."""
    worker = crew.pop(number)
    try:
        answer = worker.connection.recv()
    except (EOFError, OSError):
        worker.process.join()
        if (lost := schedule.died(number)) is not None:
            yield given_up(lost)
        _employ(number, schedule, crew, make_runner)
        return
    if isinstance(answer, BaseException):
        raise answer
    schedule.finished(number)
    key = schedule.next(number)
    if key is None:
        worker.connection.close()
        worker.process.join()
    else:
        worker.connection.send(key)
        crew[number] = _Worker(worker.process, worker.connection, time.monotonic())
    yield answer


def _employ(number: int, schedule: Schedule, crew: dict[int, _Worker], make_runner: Callable[[], Runner]) -> None:
    """Start a worker with its first episode, if there is one left."""
    key = schedule.next(number)
    if key is None:
        return
    context = multiprocessing.get_context("spawn")  # what has threads must not be forked
    ours, theirs = context.Pipe()
    resource_tracker.ensure_running()  # `start` would do it inside, and unblocks the interrupt when it does
    # It shares the machine with others like it: no threads of its own for algebra.
    with environment(dict.fromkeys(THREADS, "1")), no_interrupts():
        # No daemon: those may start nothing, and an episode with the clock running thinks in a process of its own.
        process = context.Process(target=_work, args=(theirs, make_runner))
        process.start()
        theirs.close()
        ours.send(key)
        crew[number] = _Worker(process, ours, time.monotonic())


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
