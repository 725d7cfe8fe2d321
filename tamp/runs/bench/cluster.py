"""Episodes on a Ray cluster, the same way as on one machine.

Ray is an optional extra (`pip install tamp-toolkit[ray]`). A cluster that is running is joined when
`RAY_ADDRESS` names it (and `RAY_AUTH_MODE=token` says so where it asks for a token); else one is started on
this machine, and stopped at the end.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tamp.errors import InputError
from tamp.runs.bench.records import Record
from tamp.runs.bench.scheduling import PATIENCE, Key, Runner, run_all
from tamp.runs.bench.workers import LOOK, THREADS, environment

STORE = 100_000_000
"""Bytes for what workers hand over: records are small, and Ray would take a third of the memory."""
OWN = {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_USAGE_STATS_ENABLED": "0"}
"""Ray hides no GPU from workers that did not ask for one, and reports nothing to its makers."""


def run(
    keys: Iterable[Key],
    workers: int,
    make_runner: Callable[[], Runner],
    given_up: Callable[[Key], Record],
    patience: float = PATIENCE,
) -> Generator[Record]:
    """As `run_all`, with actors of one CPU each as workers.

    `make_runner` must be picklable, and this folder and Python's be at the same place on every node. An
    actor for which the cluster has no room yet joins in when there is some. InputError when there is no
    cluster at `RAY_ADDRESS`.
    """
    if due := list(keys):
        with _cluster(workers) as ray:
            yield from run_all(due, workers, _Actors(ray, make_runner), given_up, patience)


@dataclass(eq=False)
class _Member:
    """An actor, the promise that it has started, since when it has been seen to run its episode, and that task."""

    actor: Any
    started: Any
    since: float | None = None
    task: Any = None


@dataclass(eq=False)
class _Actors:
    ray: Any
    make_runner: Callable[[], Runner]
    members: dict[int, _Member] = field(default_factory=dict)

    def give(self, worker: int, key: Key) -> None:
        if worker not in self.members:
            self.members[worker] = self._started()
        member = self.members[worker]
        member.task = member.actor.run.remote(key)
        member.since = member.since and time.monotonic()

    def _started(self) -> _Member:
        variables = {**dict.fromkeys(THREADS, "1"), **OWN, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        actor = (
            self.ray.remote(_Worker)
            .options(num_cpus=1, max_restarts=0, runtime_env={"env_vars": variables})
            .remote(self.make_runner, os.getcwd())  # noqa: PTH109 (a text that any node understands)
        )
        return _Member(actor, actor.ready.remote())

    def answers(self, patience: float) -> Iterator[tuple[int, Record | None]]:
        for member in self.members.values():
            if member.since is None:  # waiting for room on the cluster is not hanging
                started, _ = self.ray.wait([member.started], timeout=0)
                member.since = time.monotonic() if started else None
            elif time.monotonic() - member.since > patience:
                self.ray.kill(member.actor)  # its task then says that it is gone
        tasks, errors = {member.task: number for number, member in self.members.items()}, self.ray.exceptions
        ready, _ = self.ray.wait(list(tasks), timeout=LOOK)
        for task in ready:
            try:
                record = self.ray.get(task)
            except errors.RayTaskError as error:  # raised by what the actor ran
                raise (error.cause if isinstance(error.cause, Exception) else error) from None
            except errors.RayError:
                record = None
            yield tasks[task], record

    def stop(self, worker: int) -> None:
        member = self.members.pop(worker, None)
        with contextlib.suppress(Exception):  # it is gone already, or the cluster is
            self.ray.kill(member and member.actor)

    def close(self) -> None:  # a cluster that was joined lives on, and others need the room
        for number in list(self.members):
            self.stop(number)


class _Worker:
    """An actor: makes its runner with its first episode, then runs episodes."""

    def __init__(self, make_runner: Callable[[], Runner], folder: str) -> None:
        self._make_runner, self._folder = make_runner, folder
        self._runner: Runner | None = None

    def ready(self) -> None:
        """Answered once the actor has started."""

    def run(self, key: Key) -> Record:
        """One episode. A runner that cannot be made is an error of the run, as on one machine."""
        if self._runner is None:
            os.chdir(self._folder)  # relative paths mean what they mean to whoever typed them
            self._runner = self._make_runner()
        return self._runner(key)


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
