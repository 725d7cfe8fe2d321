"""`make bench-resume`: benches that are killed, whose disk is full, or that are started twice in one folder; what is in
the folder after the same command again, against a run that nothing disturbed.

`tamp bench` as it is, over episodes that are drawn in milliseconds. A kill (SIGKILL) comes at a moment that is drawn
over the run's time, a disk (tmpfs) has a size that is drawn up to what the run needs, and a second run starts at a
moment that is drawn. Compared are the lines of results.jsonl, each as often as it is there, and summary.json, without
times.
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
from collections.abc import Callable, Iterator
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
LIMIT = 600.0
DUE = 1.0
PAGE = 4096
FULL, LOCKED = "No space left on device", re.compile(r"tamp: error: process \d+ is writing \S+; wait for it")
FORKS = multiprocessing.get_context("fork")


def started(folder: Path, output: Path) -> ForkProcess:
    """A bench of drawn episodes in a fork of this process, which is quick; what it says goes to a file."""
    process = FORKS.Process(target=_bench, args=(folder, output))
    process.start()
    return process


def exit_code(process: ForkProcess) -> int:
    """Its exit code, once it has ended."""
    process.join(LIMIT)
    assert process.exitcode is not None, "it goes on for too long"
    return process.exitcode


def _bench(folder: Path, output: Path) -> None:
    """`tamp bench`, but for what it asks of LIBERO."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    cli.run_bench.prepare = _prepare
    how: dict[str, Any] = {"stage": "plan", "planner": "none", "llm": "none", "trials": EPISODES}
    config = BenchConfig(suites=("drawn",), out=folder, **how)
    sys.exit(run(lambda: cli.run_bench.bench(config, Output(None, json=False)), "bench"))


def _prepare(config: BenchConfig) -> Bench:
    assert config.out is not None
    keys = [Key("drawn", n % 4, n // 4) for n in range(config.trials)]
    results, setup = Results(config.out), Setup(config, config.out)

    def workers(due: list[Key], *_: object) -> Any:
        yield from map(partial(_episode, setup), due)

    return Bench(setup, keys, workers, results, results.open(common(config)), None)


def _episode(setup: Setup, k: Key) -> EpisodeRecord:
    rng = random.Random(repr(k))
    folder = setup.folder / "episodes" / "-".join(map(str, k[:3]))
    clear(folder)
    with EpisodeLog(folder) as log:
        log.event("start", task=k.suite)
        time.sleep(rng.uniform(0.0, 0.01))
    success, steps = rng.random() < 0.8, rng.randrange(50, 150)
    values = {"failure_stage": None if success else "execution", "success": success, "steps": steps, "lasting": success}
    return record(k, setup, "wait", values | {"plan": ["(wait)"] * rng.randrange(30), "wall_seconds": rng.random()})


def outcome(folder: Path) -> tuple[Counter[str], Any]:
    """How often each line of the results is there, and the summary, without times."""

    def timeless(values: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if not re.search("seconds|per_minute", name)}

    lines = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    summary = json.loads((folder / "summary.json").read_text())
    return Counter(json.dumps(timeless(line)) for line in lines), [timeless(s) for s in summary.values()]


def disturbed(way: str, n: int, seed: int) -> Iterator[str]:
    """What was wrong with each of `n` runs that were disturbed in a way, and gone on with; empty where nothing was."""
    with tempfile.TemporaryDirectory(prefix="tamp-resume-") as name:
        place, before = Path(name), time.monotonic()
        code = exit_code(started(place / "whole", place / "said"))
        seconds, whole = time.monotonic() - before, place / "whole"
        assert code == 0, (place / "said").read_text()
        pages = sum(-(-p.stat().st_size // PAGE) for p in whole.rglob("*") if p.is_file())
        due = outcome(whole)
        for number in range(n):
            rng = random.Random(f"{seed} {way} {number}")
            with small_disk(place / str(number), max(1, rng.randrange(pages)) if way == "full" else None) as folder:
                output = place / f"{number}.said"
                wrong = WAYS[way](partial(started, folder), output, rng.uniform(0.0, seconds))
                if folder.is_mount():
                    subprocess.run(["mount", "-o", "remount,size=1g", str(folder)], check=True)
                again = exit_code(started(folder, output))
                wrong += f"exit {again} after it: {output.read_text()[-300:]}" if again else ""
                if not wrong and (now := outcome(folder)) != due:
                    lost, more = due[0] - now[0], now[0] - due[0]
                    wrong = f"lines lost: {list(lost)}, too many: {list(more)}; summary {now[1]}, not {due[1]}"
                yield wrong


def killed(start: Callable[[Path], ForkProcess], output: Path, moment: float) -> str:
    """A kill at a moment, as by a machine without memory."""
    process = start(output)
    time.sleep(moment)
    process.kill()
    code = exit_code(process)
    return "" if code in (0, -signal.SIGKILL) else f"exit {code}: {output.read_text()[-300:]}"


def full(start: Callable[[Path], ForkProcess], output: Path, moment: float) -> str:
    """A disk that is full at some time: exit 2, and one message that says so."""
    code, text = exit_code(start(output)), output.read_text()
    right = code == 2 and FULL in text.splitlines()[-1] and text.count("error") == 1
    return "" if (right or code == 0) and "Traceback" not in text else f"exit {code}: {text[-300:]}"


def twice(start: Callable[[Path], ForkProcess], output: Path, moment: float) -> str:
    """A second run from a moment on: exit 2 for the one that comes later, while the other is there."""
    first, other = start(output), output.with_suffix(".other")
    time.sleep(moment)
    second = start(other)
    ends = [(exit_code(first), output.read_text()), (exit_code(second), other.read_text())]
    right = all(code == 0 or (code == 2 and LOCKED.search(text)) for code, text in ends)
    return "" if right and 0 in dict(ends) else f"{ends}"


WAYS = {"killed": killed, "full": full, "twice": twice}
"""Ways in which a run is disturbed."""


@contextmanager
def small_disk(folder: Path, pages: int | None) -> Iterator[Path]:
    """A folder, on a disk of its own if it is to have a size."""
    folder.mkdir()
    if pages is not None:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={pages * PAGE}", "tmpfs", str(folder)], check=True)
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


def bench(n: int = 30, seed: int = 0, only: tuple[str, ...] = tuple(WAYS)) -> Iterator[Row]:
    """A row for each run that is disturbed and gone on with."""
    for way in only:
        for wrong in disturbed(way, n, seed):
            yield Row(way, not wrong, detail=wrong)
