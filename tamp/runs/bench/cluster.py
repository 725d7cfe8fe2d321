"""Episodes on a Ray cluster, the same way as on one machine.

Ray is an optional extra (`pip install tamp-toolkit[ray]`). A cluster that is running is joined when
`RAY_ADDRESS` names it (and `RAY_AUTH_MODE=token` says so where it asks for a token); else one is started on
this machine, and stopped at the end.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager
from functools import partial
from typing import Any

from tamp.errors import InputError
from tamp.runs.bench.records import EpisodeRecord
from tamp.runs.bench.scheduling import PATIENCE, Key, LazyRunner, Runner, run_all
from tamp.runs.bench.workers import THREADS, environment

STORE = 100_000_000
"""Bytes for what workers hand over: records are small, and Ray would take a third of the memory."""
OWN = {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_USAGE_STATS_ENABLED": "0"}
"""Ray hides no GPU from workers that did not ask for one, and reports nothing to its makers."""


def run(
    keys: Iterable[Key],
    workers: int,
    make_runner: Callable[[], Runner],
    given_up: Callable[[Key], EpisodeRecord],
    patience: float = PATIENCE,
) -> Generator[EpisodeRecord]:
    """As `run_all`, with actors of one CPU each as workers.

    `make_runner` must be picklable, and this folder and Python's be at the same place on every node. An
    actor for which the cluster has no room yet joins in when there is some. InputError when there is no
    cluster at `RAY_ADDRESS`.
    """
    if due := list(keys):
        with _cluster(workers) as ray:
            yield from run_all(due, workers, partial(_ActorWorker, ray, make_runner), given_up, patience)


class _ActorWorker:
    """An actor, and the future that it has started."""

    def __init__(self, ray: Any, make_runner: Callable[[], Runner]) -> None:
        variables = {**dict.fromkeys(THREADS, "1"), **OWN, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        options = {"num_cpus": 1, "max_restarts": 0, "runtime_env": {"env_vars": variables}}
        self._ray = ray
        self._actor = ray.remote(LazyRunner).options(**options).remote(make_runner, os.getcwd())  # noqa: PTH109 (text)
        self._started: Future[Any] = self._actor.__ray_ready__.remote().future()

    def submit(self, key: Key) -> Future[EpisodeRecord]:
        answer = Future[EpisodeRecord]()
        self._actor.run.remote(key).future().add_done_callback(partial(self._answered, answer))
        return answer

    def is_ready(self) -> bool:
        return self._started.done()

    def end(self) -> None:
        with contextlib.suppress(Exception):  # it is gone already, or the cluster is
            self._ray.kill(self._actor)

    def _answered(self, answer: Future[EpisodeRecord], task: Future[Any]) -> None:
        error, errors = task.exception(), self._ray.exceptions
        if error is None:
            answer.set_result(task.result())
        elif isinstance(error, errors.RayTaskError):  # raised by what the actor ran
            answer.set_exception(error.cause if isinstance(error.cause, Exception) else error)
        elif isinstance(error, errors.RayError):
            answer.set_exception(BrokenExecutor(str(error)))
        else:
            answer.set_exception(error)


@contextmanager
def _cluster(workers: int) -> Iterator[Any]:
    """Ray, connected; what was started here is stopped at the end."""
    import ray

    address = os.environ.get("RAY_ADDRESS", "local")
    own = {"num_cpus": workers, "num_gpus": 0, "include_dashboard": False, "object_store_memory": STORE}
    settings = own if address == "local" else {}
    with environment(OWN):
        try:
            ray.init(address=address, log_to_driver=False, logging_level="CRITICAL", **settings)
            yield ray
        except (ConnectionError, RuntimeError, ValueError) as e:
            if ray.is_initialized():
                raise
            where = "on this machine" if address == "local" else f"at RAY_ADDRESS={address}"
            hint = "" if address == "local" else " (one that asks for a token needs RAY_AUTH_MODE=token)"
            raise InputError(f"--engine ray: no cluster {where}{hint}: {str(e).splitlines()[0]}") from e
        finally:  # also of a start that was interrupted
            ray.shutdown()
