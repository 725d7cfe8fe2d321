"""The page of a benchmark run: success by suite and task, failures by stage, times, and what two runs of the same
episodes do not share."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from tamp.runs.bench.compare import Comparison
from tamp.runs.bench.records import Record, key, wilson
from tamp.runs.bench.report import BenchRun, failures
from tamp.runs.bench.scheduling import Key
from tamp.runs.episode_log import LOG
from tamp.view.episode_page import address
from tamp.view.page_layout import Layout

SCRIPTS = ("common.js",)
TIMES = (
    ("planning_seconds", "planning and refinement"),
    ("execution_seconds", "execution"),
    ("wall_seconds", "the whole episode"),
)


@dataclass(frozen=True)
class Rate:
    """How many of so many episodes succeeded, with Wilson's interval at 95 % in per cent."""

    name: str
    successes: int
    episodes: int
    instruction: str = ""

    @property
    def share(self) -> float:
        """Per cent."""
        return 100 * self.successes / self.episodes

    @property
    def interval(self) -> tuple[float, float]:
        """Per cent, from and to."""
        low, high = wilson(self.successes, self.episodes)
        return 100 * low, 100 * high


def task_name(k: Key) -> str:
    """A task as commands name it."""
    return f"{k.suite}/{k.task_id}"


def rates(records: Iterable[Record], name: Callable[[Record], str]) -> list[Rate]:
    """The rates of records that have the same name."""
    found: dict[str, list[Record]] = defaultdict(list)
    for r in records:
        found[name(r)].append(r)
    return [
        Rate(n, sum(bool(r["success"]) for r in some), len(some), str(some[0].get("language") or ""))
        for n, some in found.items()
    ]


def by_suite(records: Sequence[Record]) -> list[Rate]:
    """A rate a suite, and one of all where there are several."""
    found = rates(records, lambda r: str(r["suite"]))
    return found + rates(records, lambda r: "all") if len(found) > 1 else found


def times_of(records: Iterable[Record]) -> list[tuple[str, float, float, float]]:
    """How long planning, execution and episodes took: median, 95th percentile and the longest, in seconds."""
    known = [*records]
    found = []
    for field, name in TIMES:
        values = sorted(float(r[field]) for r in known if isinstance(r.get(field), int | float))
        if values:
            found.append((name, statistics.median(values), values[ceil(0.95 * len(values)) - 1], values[-1]))
    return found


def changes(comparison: Comparison) -> list[tuple[str, int, int]]:
    """The tasks of which two runs differ, and how many episodes only the first and only the second solved; the most
    lost first."""
    lost, gained = Counter(map(task_name, comparison.lost)), Counter(map(task_name, comparison.gained))
    found = [(task, lost[task], gained[task]) for task in {*lost, *gained}]
    return sorted(found, key=lambda c: (c[2] - c[1], c[0]))


def log_of(run: BenchRun, k: Key) -> Path | None:
    """The log of an episode of a run, None where its folder is not there."""
    name = "-".join(map(str, k if k.wording else k[:3]))
    logs = (folder / "episodes" / name / LOG for folder in run.folders)
    return next((log for log in logs if log.is_file()), None)


def bench_page(
    runs: Sequence[BenchRun], compared: Comparison | None, pages: Mapping[Path, Path], layout: Layout, beside: Path
) -> str:
    """The page of a run or of two that are compared, to be written in the folder `beside`.

    `pages` are the pages of episodes by their log; an episode without one leads to its log.
    """
    shown = [
        {
            "name": run.name,
            "tree": run.tree,
            "perception": run.records[0]["perception"],
            "suites": by_suite(run.records),
            "tasks": rates(run.records, lambda r: task_name(key(r))),
            "failures": failures(run.records),
            "times": times_of(run.records),
            "failed": [_failed(run, r, pages, beside) for r in run.records if not r["success"]],
        }
        for run in runs
    ]
    return layout.page(
        "bench.html.j2",
        SCRIPTS,
        {},
        title=f"Benchmark: {', '.join(run.name for run in runs)}",
        runs=shown,
        compared=compared,
        changes=changes(compared) if compared else (),
    )


def _failed(run: BenchRun, r: Record, pages: Mapping[Path, Path], beside: Path) -> tuple[str, str, str, Record]:
    """A failed episode: what it is called, why it failed, what it leads to, and its record."""
    k, log = key(r), log_of(run, key(r))
    name = f"{task_name(k)} init {k.init_state}{f' wording {k.wording}' if k.wording else ''}"
    why = f"{r['failure_stage'] or 'checker'}: {r['failure_reason'] or 'no reason given'}"
    return name, why, "" if log is None else address(pages.get(log, log), beside), r
