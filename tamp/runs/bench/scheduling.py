"""Give the episodes of a benchmark to workers, and run those again whose worker died."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from tamp.runs.bench.records import Record

ATTEMPTS = 3
"""Workers that may die over one episode before it is given up."""
PATIENCE = 600.0
"""Seconds after which an episode's worker counts as hung and is ended."""


class Key(NamedTuple):
    """What makes an episode of a benchmark. `wording` counts other wordings from 1; 0 is the task's own."""

    suite: str
    task_id: int
    init_state: int
    wording: int = 0


@dataclass
class Schedule:
    """Episodes still to run, grouped by task: a worker keeps a task, whose scene it has built, while it can."""

    due: dict[tuple[str, int], list[Key]]
    running: dict[int, Key] = field(default_factory=dict)
    deaths: dict[Key, int] = field(default_factory=dict)
    _tasks: dict[int, tuple[str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, keys: Iterable[Key]) -> Schedule:
        """A schedule of the given episodes."""
        due: dict[tuple[str, int], list[Key]] = {}
        for key in keys:
            due.setdefault(key[:2], []).append(key)
        return cls(due)

    def next(self, worker: int) -> Key | None:
        """The next episode for a worker, which is then running it; None when nothing is left to give out.

        It goes on with its own task; else it takes one that nobody works on, else the one with most left.
        """
        own = self._tasks.get(worker)
        if own not in self.due:
            taken = set(self._tasks.values())
            free = [task for task in self.due if task not in taken]
            if not self.due:
                return None
            own = free[0] if free else max(self.due, key=lambda task: len(self.due[task]))
        self._tasks[worker] = own
        key = self.due[own].pop(0)
        if not self.due[own]:
            del self.due[own]
        self.running[worker] = key
        return key

    def finished(self, worker: int) -> None:
        """A worker has delivered its record."""
        del self.running[worker]

    def died(self, worker: int) -> Key | None:
        """A worker is gone: its episode is due again. Returns it instead when too many have died of it."""
        key = self.running.pop(worker, None)
        self._tasks.pop(worker, None)
        if key is None:
            return None
        self.deaths[key] = self.deaths.get(key, 0) + 1
        if self.deaths[key] >= ATTEMPTS:
            return key
        self.due.setdefault(key[:2], []).insert(0, key)
        return None

    def left(self) -> Sequence[Key]:
        """Episodes not given out yet."""
        return [key for keys in self.due.values() for key in keys]


Runner = Callable[[Key], "Record"]
"""Runs one episode. Made once in each worker, so it may keep what episodes share."""


class Pool(Protocol):
    """Workers by their numbers."""

    def give(self, worker: int, key: Key) -> None:
        """Have a worker run an episode; it is started where it is not there."""
        ...

    def answers(self, patience: float) -> Iterable[tuple[int, Record | None]]:
        """Wait a moment for records of workers; None of one that is dead, or that was ended since its episode took more
        than `patience` seconds. Raises what a runner raised."""
        ...

    def stop(self, worker: int) -> None:
        """End a worker that is dead or has nothing to do."""
        ...

    def close(self) -> None:
        """End all workers."""
        ...


def run_all(
    keys: Iterable[Key], workers: int, pool: Pool, given_up: Callable[[Key], Record], patience: float
) -> Generator[Record]:
    """Records of the given episodes as they come, in any order. `given_up` makes that of an episode over which workers
    died again and again. Closing the iterator ends the workers."""
    schedule = Schedule.of(keys)

    def go_on(worker: int) -> None:
        if (key := schedule.next(worker)) is None:
            pool.stop(worker)
        else:
            pool.give(worker, key)

    with closing(pool):
        for worker in range(min(workers, len(schedule.left()))):
            go_on(worker)
        while schedule.running:
            for worker, record in pool.answers(patience):
                if record is not None:
                    schedule.finished(worker)
                    go_on(worker)
                    yield record
                    continue
                pool.stop(worker)
                if (lost := schedule.died(worker)) is not None:
                    yield given_up(lost)
                go_on(worker)
