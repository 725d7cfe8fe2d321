"""The page of a benchmark run: success by suite and task, failures by stage, times, and what two runs of the same
episodes do not share."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path

from tamp.runs.bench.bench_report import BenchRun, failures, rows, suite_rows
from tamp.runs.bench.compare import Comparison
from tamp.runs.bench.records import EpisodeRecord
from tamp.view.episode_page import address
from tamp.view.page_layout import Layout

SCRIPTS = ("common.js",)
TIMES = (
    ("planning_seconds", "planning and refinement"),
    ("execution_seconds", "execution"),
    ("wall_seconds", "the whole episode"),
)


def times_of(records: Sequence[EpisodeRecord]) -> list[tuple[str, float, float, float]]:
    """How long planning, execution and episodes took: median, 95th percentile and the longest, in seconds."""
    found = []
    for field, name in TIMES:
        values = sorted(getattr(r, field) for r in records)
        found.append((name, statistics.median(values), values[ceil(0.95 * len(values)) - 1], values[-1]))
    return found


def changes(comparison: Comparison) -> list[tuple[str, int, int]]:
    """The tasks of which two runs differ, and how many episodes only the first and only the second solved; the most
    lost first."""
    lost, gained = (Counter(f"{k.suite}/{k.task_id}" for k in some) for some in (comparison.lost, comparison.gained))
    found = [(task, lost[task], gained[task]) for task in {*lost, *gained}]
    return sorted(found, key=lambda c: (c[2] - c[1], c[0]))


def bench_page(
    runs: Sequence[BenchRun], compared: Comparison | None, pages: Mapping[Path, Path], layout: Layout, folder: Path
) -> str:
    """The page of a run or of two that are compared, to be written in `folder`.

    `pages` are the pages of episodes by their log; an episode without one leads to its log.
    """
    shown = [
        {
            "name": run.name,
            "tree": run.tree,
            "perception": run.records[0].perception,
            "suites": suite_rows(run.records),
            "tasks": rows(run.records, lambda r: r.task_name),
            "failures": failures(run.records),
            "times": times_of(run.records),
            "failed": [_failed(run, r, pages, folder) for r in run.records if not r.success],
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


def _failed(run: BenchRun, r: EpisodeRecord, pages: Mapping[Path, Path], folder: Path) -> tuple[str, ...]:
    """A failed episode as text: what it is called, what it leads to, its numbers, and why it failed."""
    log = run.log_of(r)
    name = f"{r.task_name} init {r.init_state}{f' wording {r.wording}' if r.wording else ''}"
    leads = "" if log is None else address(pages.get(log, log), folder)
    why = f"{r.failure_stage or 'checker'}: {r.failure_reason or 'no reason given'}"
    return name, leads, str(r.steps), f"{r.planning_seconds:.2f}", f"{r.wall_seconds:.1f}", why
