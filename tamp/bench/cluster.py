"""Episodes on a Ray cluster, the same way as on one machine: a worker that dies is replaced, its episode run again.

Ray is an optional extra (`pip install tamp-toolkit[ray]`). A cluster that is running is joined when
`RAY_ADDRESS` names it; else one is started on this machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tamp.bench.records import Record
from tamp.bench.scheduling import Key, Schedule
from tamp.bench.workers import PATIENCE, THREADS, Runner
from tamp.errors import InputError


def run(
    keys: Iterable[Key], workers: int, make_runner: Callable[[], Runner], given_up: Callable[[Key], Record]
) -> Generator[Record]:
    """Records of the given episodes as they come, in any order, from `workers` actors.

    `make_runner` must be picklable, and the checkout and its packages be at the same place on every node.
    """
    schedule = Schedule.of(keys)
    with _cluster(workers) as ray:
        employ = ray.remote(num_cpus=1, runtime_env={"env_vars": dict.fromkeys(THREADS, "1")})(_Worker).remote
        crew = {number: employ(make_runner) for number in range(min(workers, len(schedule.left())))}
        pending: dict[Any, int] = {}

        def give(number: int) -> None:
            key = schedule.next(number)
            if key is not None:
                pending[crew[number].run.remote(key)] = number

        for number in crew:
            give(number)
        while pending:
            ready, _ = ray.wait(list(pending), num_returns=1, timeout=PATIENCE)
            if not ready:  # every one of them hangs
                for number in pending.values():
                    ray.kill(crew[number])
                continue
            number = pending.pop(ready[0])
            try:
                record = ray.get(ready[0])
            except ray.exceptions.RayActorError:
                if (lost := schedule.died(number)) is not None:
                    yield given_up(lost)
                crew[number] = employ(make_runner)
                give(number)
                continue
            schedule.finished(number)
            give(number)
            yield record


class _Worker:
    """An actor: makes its runner once, then runs episodes."""

    def __init__(self, make_runner: Callable[[], Runner]) -> None:
        self._runner = make_runner()

    def run(self, key: Key) -> Record:
        return self._runner(key)


@contextmanager
def _cluster(workers: int) -> Iterator[Any]:
    """Ray, connected; what was started here is stopped at the end."""
    try:
        import ray
    except ImportError as e:
        raise InputError("--engine ray: Ray is not installed; get it with: pip install 'tamp-toolkit[ray]'") from e
    address = os.environ.get("RAY_ADDRESS")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    settings = {} if address else {"num_cpus": workers, "include_dashboard": False}
    ray.init(address=address, log_to_driver=False, logging_level="ERROR", **settings)
    try:
        yield ray
    finally:
        ray.shutdown()
