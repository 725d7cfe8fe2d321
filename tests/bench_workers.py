"""`make bench-workers`: the same episodes with one worker and with two, and how much sooner two are done.

Two tasks of four suites with `trials` initial states each, from the task's own goal. The time is that of the episodes:
from the workers' start, which includes their imports and the scenes they build, to the last record.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench import Row
from tests.emulated import TAMP

SUITES = ("libero_spatial", "libero_object", "libero_goal", "libero_10")
DUE = 1.0
FASTER = 1.7
"""Times as fast as one worker that two have to be."""

Records = dict[tuple[str, int, int], dict[str, Any]]


def bench(trials: int = 10) -> Iterator[Row]:
    """A row for the whole, and one for each episode: whether it came out the same, and its time over that alone."""
    with tempfile.TemporaryDirectory() as folder:
        (alone, one), (together, two) = (measure(n, trials, Path(folder) / str(n)) for n in (1, 2))
    ratio = alone / together
    yield Row("two workers", ratio >= FASTER, {"one s": alone, "two s": together, "times as fast": ratio}, "too slow")
    for key, record in one.items():
        same = all(record[name] == two[key][name] for name in ("success", "steps"))
        longer = two[key]["wall_seconds"] / record["wall_seconds"]
        yield Row("same episode", same, {"time over alone": longer}, str(key))


def measure(workers: int, trials: int, folder: Path) -> tuple[float, Records]:
    """Seconds that the episodes took, and their records."""
    what = (*SUITES, "--tasks", "0-1", "--trials", str(trials), "--stage", "plan")
    command = [*TAMP, "bench", *what, "--workers", str(workers), "--out", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        start = end = time.monotonic()
        for line in process.stderr:
            end = time.monotonic()
            if line.startswith("tamp: results go to"):
                start = end
    if process.returncode:
        raise SystemExit(process.returncode)
    lines = (folder / "results.jsonl").read_text().splitlines()
    return end - start, {(r["suite"], r["task_id"], r["init_state"]): r for r in map(json.loads, lines)}
