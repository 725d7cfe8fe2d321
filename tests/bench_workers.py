"""`make bench-workers`: the same episodes with one worker and with two, and how much sooner two are done.

    python tests/bench_workers.py [--trials N] [--out DIR]

Two tasks of four suites with N initial states each, from the task's own goal. The time is that of the episodes:
from the workers' start, which includes their imports and the scenes they build, to the last record. Also told:
how much longer an episode takes beside another, and whether the episodes came out the same. Exits 1 when two
workers are not 1.7 times as fast.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tamp.runs.versions import versions

TAMP = Path(sys.executable).with_name("tamp")
SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10")
TASKS = "0-1"
DUE = 1.7

Records = dict[tuple[str, int, int], dict[str, Any]]


def bench(workers: int, trials: int, folder: Path) -> tuple[float, Records]:
    """Seconds that the episodes took, and their records."""
    shutil.rmtree(folder, ignore_errors=True)
    what = (*SUITES, "--tasks", TASKS, "--trials", str(trials), "--stage", "plan")
    command = [str(TAMP), "bench", *what, "--workers", str(workers), "--out", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        start = end = time.monotonic()
        for line in process.stderr:
            end = time.monotonic()
            if line.startswith("tamp: results go to"):
                start = end
            say(f"{workers}: {line.rstrip()}")
    if process.returncode:
        raise SystemExit(process.returncode)
    lines = (folder / "results.jsonl").read_text().splitlines()
    records = {(r["suite"], r["task_id"], r["init_state"]): r for r in map(json.loads, lines)}
    return end - start, records


def machine() -> str:
    names = [x for x in Path("/proc/cpuinfo").read_text().splitlines() if x.startswith("model name")]
    cpu = names[0].partition(":")[2].strip() if names else "unknown CPU"
    told = ", ".join(f"{name} {version}" for name, version in versions().items())
    return f"{cpu}, {os.cpu_count()} cores, load {os.getloadavg()[1]:.1f}; {told}"


def total(seconds: tuple[float, float], one: Records, two: Records) -> bool:
    """Print what it comes to; whether it holds."""
    ratio = seconds[0] / seconds[1]
    slower = [two[k]["wall_seconds"] / one[k]["wall_seconds"] for k in one]
    stretched = f"median {statistics.median(slower):.2f}, {min(slower):.2f} to {max(slower):.2f}"
    same = sum(one[k]["success"] == two[k]["success"] and one[k]["steps"] == two[k]["steps"] for k in one)
    good = [sum(r["success"] for r in records.values()) for records in (one, two)]
    sys.stdout.write(
        f"{machine()}\n"
        f"{len(one)} episodes, seed 0; successes {good[0]} and {good[1]}, verdict and steps alike in {same}\n"
        f"{'ok  ' if ratio >= DUE else 'FAIL'}  one worker {seconds[0]:.1f} s, two {seconds[1]:.1f} s: "
        f"{ratio:.2f}, due {DUE}\n"
        f"an episode's time beside another over alone: {stretched}\n"
    )
    return ratio >= DUE


def say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare two workers with one.")
    parser.add_argument("--trials", type=int, default=10, metavar="N")
    parser.add_argument("--out", type=Path, default=None, metavar="DIR", help="keep the results there")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.out or Path(temporary)
        alone, one = bench(1, arguments.trials, folder / "one")
        beside, two = bench(2, arguments.trials, folder / "two")
    return 0 if total((alone, beside), one, two) else 1


if __name__ == "__main__":
    sys.exit(main())
