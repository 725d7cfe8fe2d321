"""`make bench-resume`: benches that are killed, whose disk is full, or that are started twice in one folder; what is in
the folder after the same command again, against a run that nothing disturbed.

`tamp bench` as it is, over episodes that are drawn in milliseconds; with --libero over four of LIBERO's, two workers.
A kill (SIGKILL) comes at a moment that is drawn over the run's time, a disk (tmpfs) has a size that is drawn up to what
the run needs, and a second run starts at a moment that is drawn. Compared are the lines of results.jsonl, each as often
as it is there, and summary.json, without times.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

import cli.run_bench
from cli.output import Output, run
from tamp.api.bench import Bench, common
from tamp.api.bench_episodes import Setup, clear, record
from tamp.api.configs import BenchConfig
from tamp.runs.bench.records import EpisodeRecord, Results
from tamp.runs.bench.scheduling import Key
from tamp.runs.episode_log import EpisodeLog
from tests.bench import Row

EPISODES = 40
REAL = ("libero_object", "--tasks", "0-1", "--trials", "2", "--stage", "plan", "--workers", "2")
LIMIT = 600.0
DUE = 1.0
PAGE = 4096
FULL, LOCKED = "No space left on device", re.compile(r"tamp: error: process \d+ is writing \S+; wait for it")
FORKS = multiprocessing.get_context("fork")

Start = Callable[[Path, Path], "Process"]
"""Starts a bench in a folder; what it says goes to a file."""


class Process:
    """A bench that runs: of drawn episodes in a fork of this process, which is quick, or of real ones."""

    def __init__(self, of: ForkProcess | subprocess.Popen[bytes]) -> None:
        self._of = of

    def kill(self) -> None:
        """End it as a machine without memory does."""
        if self._of.pid is not None:
            os.kill(self._of.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Its exit code."""
        if isinstance(self._of, subprocess.Popen):
            return self._of.wait(LIMIT)
        self._of.join(LIMIT)
        assert self._of.exitcode is not None, "it goes on for too long"
        return self._of.exitcode


def drawn(folder: Path, said: Path) -> Process:
    """A bench of drawn episodes."""
    made = FORKS.Process(target=_bench, args=(folder, said))
    made.start()
    return Process(made)


def real(folder: Path, said: Path) -> Process:
    """A bench of LIBERO's episodes."""
    command = [str(Path(sys.executable).with_name("tamp")), "bench", *REAL, "--out", str(folder)]
    with said.open("wb") as errors:
        return Process(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors))


def _bench(folder: Path, said: Path) -> None:
    """`tamp bench`, but for what it asks of LIBERO."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    cli.run_bench.prepare = _prepare
    how: dict[str, Any] = {"stage": "plan", "planner": "none", "llm": "none", "trials": EPISODES}
    config = BenchConfig(suites=("drawn",), out=folder, **how)
    sys.exit(run(lambda: cli.run_bench.bench(config, Output(None, json=False)), "bench"))


def _prepare(config: BenchConfig) -> Bench:
    assert config.out is not None
    keys = [Key("drawn", n % 4, n // 4) for n in range(config.trials)]
    results = Results(config.out)
    return Bench(Setup(config, config.out), keys, _here, results, results.open(common(config)), None)


def _here(
    due: list[Key], workers: int, setup: Setup, given_up: Callable[[Key], EpisodeRecord]
) -> Generator[EpisodeRecord]:
    yield from map(partial(_episode, setup), due)


def _episode(setup: Setup, k: Key) -> EpisodeRecord:
    rng = random.Random(repr(k))
    folder = setup.folder / "episodes" / "-".join(map(str, k[:3]))
    clear(folder)
    with EpisodeLog(folder) as log:
        log.event("start", task=k.suite)
        time.sleep(rng.uniform(0.0, 0.01))
    success, steps = rng.random() < 0.8, rng.randrange(50, 150)
    reached = {
        "failure_stage": None if success else "execution",
        "success": success,
        "steps": steps,
        "lasting": success,
        "plan": ["(wait)"] * rng.randrange(30),
    }
    return record(k, setup, "wait", reached | {"wall_seconds": rng.random()})


def outcome(folder: Path) -> tuple[Counter[str], Any]:
    """How often each line of the results is there, and the summary, without times."""
    lines = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    summary = json.loads((folder / "summary.json").read_text())
    return Counter(json.dumps(_timeless(line)) for line in lines), [_timeless(s) for s in summary.values()]


def difference(now: tuple[Counter[str], Any], due: tuple[Counter[str], Any]) -> str:
    """What differs, in words; empty where nothing does."""
    if now == due:
        return ""
    lost, more = due[0] - now[0], now[0] - due[0]
    return f"lines lost: {list(lost.elements())}, too many: {list(more.elements())}; summary {now[1]}, not {due[1]}"


def _timeless(told: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if not re.search("seconds|per_minute", name)}


def disturbed(way: str, start: Start, n: int, seed: int) -> Iterator[str]:
    """What was wrong with each of `n` runs that were disturbed in a way, and gone on with; empty where nothing was."""
    with tempfile.TemporaryDirectory(prefix="tamp-resume-") as name:
        place = Path(name)
        before = time.monotonic()
        code = start(place / "whole", place / "said").wait()
        seconds, whole = time.monotonic() - before, place / "whole"
        assert code == 0, (place / "said").read_text()
        pages = sum(-(-p.stat().st_size // PAGE) for p in whole.rglob("*") if p.is_file())
        for number in range(n):
            rng = random.Random(f"{seed} {way} {number}")
            with small_disk(place / str(number), max(1, rng.randrange(pages)) if way == "full" else None) as folder:
                said = place / f"{number}.said"
                wrong = WAYS[way](partial(start, folder), said, rng.uniform(0.0, seconds))
                give_room(folder)
                again = start(folder, said).wait()
                wrong += f"exit {again} after it: {said.read_text()[-300:]}" if again else ""
                yield wrong or difference(outcome(folder), outcome(whole))


def killed(start: Callable[[Path], Process], said: Path, moment: float) -> str:
    """A kill at a moment."""
    process = start(said)
    time.sleep(moment)
    process.kill()
    return "" if (code := process.wait()) in (0, -signal.SIGKILL) else f"exit {code}: {said.read_text()[-300:]}"


def full(start: Callable[[Path], Process], said: Path, moment: float) -> str:
    """A disk that is full at some time: exit 2, and one message that says so."""
    code, told = start(said).wait(), said.read_text()
    right = code == 2 and FULL in told.splitlines()[-1] and told.count("error") == 1
    return "" if (right or code == 0) and "Traceback" not in told else f"exit {code}: {told[-300:]}"


def twice(start: Callable[[Path], Process], said: Path, moment: float) -> str:
    """A second run from a moment on: exit 2 for the one that comes later, while the other is there."""
    first, other = start(said), said.with_suffix(".other")
    time.sleep(moment)
    second = start(other)
    ends = [(first.wait(), said.read_text()), (second.wait(), other.read_text())]
    right = all(code == 0 or (code == 2 and LOCKED.search(told)) for code, told in ends)
    return "" if right and 0 in dict(ends) else f"{ends}"


WAYS = {"killed": killed, "full": full, "twice": twice}
"""Ways in which a run is disturbed."""


@contextmanager
def small_disk(folder: Path, pages: int | None) -> Iterator[Path]:
    """A folder, on a disk of its own if it is to have a size."""
    folder.mkdir()
    if pages is not None:
        options = ["-o", f"size={pages * PAGE}", "tmpfs", str(folder)]
        subprocess.run(["mount", "-t", "tmpfs", *options], check=True)
    try:
        yield folder
    finally:
        if pages is not None:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def can_mount() -> bool:
    """Whether small disks can be had here."""
    with tempfile.TemporaryDirectory() as name:
        try:
            with small_disk(Path(name) / "small", 1):
                return True
        except (OSError, subprocess.CalledProcessError):
            return False


def give_room(folder: Path) -> None:
    """Make a small disk large."""
    if folder.is_mount():
        subprocess.run(["mount", "-o", "remount,size=1g", str(folder)], check=True)


def bench(n: int = 30, seed: int = 0, libero: bool = False, only: tuple[str, ...] = tuple(WAYS)) -> Iterator[Row]:
    """A row for each run that is disturbed and gone on with; `libero`: episodes of LIBERO, by two workers."""
    for way in only:
        for wrong in disturbed(way, real if libero else drawn, n, seed):
            yield Row(way, not wrong, detail=wrong)
