"""Give the episodes of a benchmark to workers, and run those again whose worker died."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from tamp.runs.bench.records import EpisodeRecord

ATTEMPTS = 3
"""Workers that may die over one episode before it is given up."""
PATIENCE = 600.0
"""Seconds after which an episode's worker counts as hung and is ended."""
LOOK = 1.0
"""Seconds between looks for workers that hang."""


class Key(NamedTuple):
    """What makes an episode of a benchmark: of a scene file, `suite` is the scene and `init_state` the seed. `wording`
    counts other wordings from 1; 0 is the task's own."""

    suite: str
    task_id: int
    init_state: int
    wording: int = 0

    @property
    def folder(self) -> str:
        """The name of the episode's folder."""
        return re.sub(r"[^\w.]+", "-", "-".join(map(str, self if self.wording else self[:3])))


Runner = Callable[[Key], "EpisodeRecord"]
"""Runs one episode. Made once in each worker, so it may keep what episodes share."""


class BenchWorker(Protocol):
    """A process that runs episodes one after another."""

    def submit(self, key: Key) -> Future[EpisodeRecord]:
        """Have it run an episode. The future raises what the runner raised, BrokenExecutor where the process died."""
        ...

    def is_ready(self) -> bool:
        """Whether it has started: waiting for room on a cluster is not hanging."""
        ...

    def end(self) -> None:
        """End it at once, whatever it does."""
        ...


class LazyRunner:
    """What a worker's process has: its runner, made with its first episode, so that what prevents it is an error of the
    run. Relative paths are those of `folder`."""

    def __init__(self, make_runner: Callable[[], Runner], folder: str) -> None:
        self._make_runner, self._folder = make_runner, folder
        self._runner: Runner | None = None

    def run(self, key: Key) -> EpisodeRecord:
        """Run one episode."""
        if self._runner is None:
            os.chdir(self._folder)
            self._runner = self._make_runner()
        return self._runner(key)


class _Slot:
    """A place for a worker, which is started with its first episode; the episode that it runs, and since when."""

    def __init__(self, start: Callable[[], BenchWorker]) -> None:
        self._start = start
        self.worker: BenchWorker | None = None
        self.key: Key | None = None
        self.since: float | None = None

    def give(self, key: Key) -> Future[EpisodeRecord]:
        self.key, self.since = key, None
        if self.worker is not None:
            with suppress(BrokenExecutor):  # it may have died since its last episode
                return self.worker.submit(key)
            self.end()
        self.worker = self._start()
        return self.worker.submit(key)

    def end(self) -> None:
        if self.worker is not None:
            self.worker.end()
        self.worker = None

    def end_if_hung(self, patience: float) -> None:
        """End a worker that takes too long; its future then raises BrokenExecutor."""
        if self.worker is None or not self.worker.is_ready():
            return
        self.since = self.since or time.monotonic()
        if time.monotonic() - self.since > patience:
            self.worker.end()


def run_all(
    keys: Iterable[Key],
    workers: int,
    start: Callable[[], BenchWorker],
    given_up: Callable[[Key], EpisodeRecord],
    patience: float = PATIENCE,
) -> Generator[EpisodeRecord]:
    """Records of the given episodes as they come, in any order. `given_up` makes that of an episode over which workers
    died again and again. Raises what a runner raised. Closing the iterator ends the workers."""
    due, deaths = [*keys], Counter[Key]()
    slots = [_Slot(start) for _ in range(min(workers, len(due)))]
    running: dict[Future[EpisodeRecord], _Slot] = {}
    try:
        while due or running:
            for slot in slots:
                if slot in running.values():
                    continue
                if due:
                    key = next_key(due, slot.key, [s.key for s in slots])
                    running[slot.give(key)] = slot
                else:
                    slot.end()
            done, _ = wait(running, timeout=LOOK, return_when=FIRST_COMPLETED)
            for future in done:
                slot = running.pop(future)
                assert slot.key is not None
                try:
                    yield future.result()
                except BrokenExecutor:
                    slot.end()
                    deaths[slot.key] += 1
                    if deaths[slot.key] < ATTEMPTS:
                        due.insert(0, slot.key)
                    else:
                        yield given_up(slot.key)
            for slot in running.values():
                slot.end_if_hung(patience)
    finally:
        for slot in slots:
            slot.end()


def next_key(due: list[Key], last: Key | None, others: Iterable[Key | None]) -> Key:
    """Take an episode from those due: of the task that a worker ran last, whose scene it has built; else of one that no
    other works on, else of the one with most left."""
    left = Counter(k[:2] for k in due)
    taken = {k[:2] for k in others if k is not None}
    task = last[:2] if last is not None and last[:2] in left else next((t for t in left if t not in taken), None)
    task = task or max(left, key=lambda t: left[t])
    key = next(k for k in due if k[:2] == task)
    due.remove(key)
    return key
