"""Processes that run episodes: all records arrive, and a killed one costs nothing."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tamp.runs.bench import workers
from tamp.runs.bench.scheduling import Key

pytestmark = pytest.mark.process

KEYS = [Key("s", task, k) for task in range(4) for k in range(3)]


@dataclass(frozen=True)
class Runner:
    """Writes down who ran what; the first to run `deadly` dies of it, every one if `always`."""

    folder: Path
    deadly: Key | None = None
    always: bool = False

    def __call__(self) -> Runner:
        return self

    def run(self, key: Key) -> dict[str, Any]:
        mark = self.folder / "died"
        if key == self.deadly and (self.always or not mark.exists()):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.05)
        return {"key": key, "pid": os.getpid()}


@dataclass(frozen=True)
class Make:
    runner: Runner

    def __call__(self) -> Any:
        return self.runner.run


def given_up(key: Key) -> dict[str, Any]:
    return {"key": key, "pid": None}


def run(runner: Runner, count: int) -> list[dict[str, Any]]:
    with contextlib.closing(workers.run(KEYS, count, Make(runner), given_up)) as records:
        return list(records)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_every_episode_is_run_once(count: int, tmp_path: Path) -> None:
    records = run(Runner(tmp_path), count)
    assert sorted(r["key"] for r in records) == KEYS
    assert len({r["pid"] for r in records}) == count


def test_a_killed_workers_episode_is_run_again(tmp_path: Path) -> None:
    records = run(Runner(tmp_path, deadly=KEYS[4]), 2)
    assert (tmp_path / "died").exists()
    assert sorted(r["key"] for r in records) == KEYS, "none lost, none doubled"
    assert len({r["pid"] for r in records}) == 3


def test_an_episode_that_kills_every_worker_is_given_up(tmp_path: Path) -> None:
    records = run(Runner(tmp_path, deadly=KEYS[0], always=True), 2)
    assert sorted(r["key"] for r in records) == KEYS
    assert [r["key"] for r in records if r["pid"] is None] == [KEYS[0]]


def stays(folder: Path, key: Key) -> dict[str, Any]:
    (folder / "pid").write_text(f"{os.getpid()}\n")
    time.sleep(60)
    return {"key": key}


def test_a_worker_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    """An episode that went on would write where the same run, gone on with, does."""
    make = partial(partial, stays, tmp_path)
    parent = multiprocessing.get_context("spawn").Process(target=list_all, args=(make,))
    parent.start()
    mark = tmp_path / "pid"
    while not mark.is_file() or not mark.read_text().endswith("\n"):
        time.sleep(0.02)
    parent.kill()
    parent.join()
    deadline = time.monotonic() + 20.0
    while Path(f"/proc/{mark.read_text().strip()}/cmdline").is_file() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert time.monotonic() < deadline


def list_all(make: Any) -> None:
    list(workers.run(KEYS[:1], 1, make, given_up))


def cannot_be_made() -> Any:
    raise ValueError("no such scene")


def test_what_a_worker_cannot_start_with_is_raised_here() -> None:
    with pytest.raises(ValueError, match="no such scene"):
        list(workers.run(KEYS, 1, cannot_be_made, given_up))


def test_processes_end_with_the_iterator(tmp_path: Path) -> None:
    records = workers.run(KEYS, 2, Make(Runner(tmp_path)), given_up)
    first = next(records)
    records.close()
    time.sleep(0.2)
    with pytest.raises(ProcessLookupError):
        os.kill(first["pid"], 0)
