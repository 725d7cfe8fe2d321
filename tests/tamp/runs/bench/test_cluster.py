"""Episodes on a local Ray cluster: all records arrive, and what kills its actor costs nothing else."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tamp.errors import InputError
from tamp.runs.bench import cluster
from tamp.runs.bench.scheduling import Key

pytestmark = pytest.mark.process

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'tamp-toolkit[ray]'")
KEYS = [Key("s", task, k) for task in range(4) for k in range(3)]
ONCE, ALWAYS, HANGS = KEYS[4], KEYS[7], KEYS[10]


@dataclass(frozen=True)
class Runner:
    """Dies of one episode the first time, of another every time; hangs in a third the first time."""

    folder: Path

    def __call__(self, key: Key) -> dict[str, Any]:
        first = not (self.folder / str(key)).exists()
        with (self.folder / str(key)).open("a") as f:
            f.write(f"{os.getpid()}\n")
        if key == ALWAYS or (key == ONCE and first):
            os.kill(os.getpid(), signal.SIGKILL)
        if key == HANGS and first:
            time.sleep(300)
        time.sleep(0.05)
        return {"key": key, "pid": os.getpid(), "threads": os.environ.get("OMP_NUM_THREADS")}


@dataclass(frozen=True)
class Make:
    folder: Path

    def __call__(self) -> Runner:
        return Runner(self.folder)


def given_up(key: Key) -> dict[str, Any]:
    return {"key": key, "pid": None, "threads": None}


def tries(folder: Path, key: Key) -> int:
    return len((folder / str(key)).read_text().splitlines())


def gone(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return True


@pytest.fixture(autouse=True)
def no_cluster_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


@pytest.mark.thorough
def test_killed_and_hanging_actors_cost_only_the_episode_that_always_kills(tmp_path: Path) -> None:
    with contextlib.closing(cluster.run(KEYS, 2, Make(tmp_path), given_up, patience=2.0)) as arriving:
        records = list(arriving)
    assert sorted(r["key"] for r in records) == KEYS, "none lost, none doubled"
    assert [r["key"] for r in records if r["pid"] is None] == [ALWAYS]
    assert {k: tries(tmp_path, k) for k in KEYS} == dict.fromkeys(KEYS, 1) | {ONCE: 2, ALWAYS: 3, HANGS: 2}
    assert {r["threads"] for r in records} == {"1", None}
    assert not ray.is_initialized() and all(gone(r["pid"]) for r in records if r["pid"])


def cannot_be_made() -> Any:
    raise InputError("no such scene")


@pytest.mark.thorough
def test_what_an_actor_cannot_start_with_is_raised_here() -> None:
    with pytest.raises(InputError, match="no such scene"):
        list(cluster.run(KEYS, 1, cannot_be_made, given_up))
    assert not ray.is_initialized()


def test_a_cluster_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "nowhere")
    with pytest.raises(InputError, match="no cluster at RAY_ADDRESS=nowhere"):
        list(cluster.run(KEYS, 1, cannot_be_made, given_up))
