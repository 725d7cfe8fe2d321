"""What the page of a benchmark run shows: success by suite and task, failures by stage, times, and what two runs of the
same episodes do not share."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

from tamp.runs.bench.compare import Comparison
from tamp.runs.bench.records import Record, key, wilson
from tamp.runs.bench.report import failures
from tamp.runs.bench.scheduling import Key
from tamp.runs.episode_log import LOG
from tamp.runs.pages.episode import address
from tamp.runs.pages.layout import Layout

SCRIPTS = ("common.js", "bench.js")
TIMES = (
    ("planning_seconds", "planning and refinement"),
    ("execution_seconds", "execution"),
    ("wall_seconds", "the whole episode"),
)
BINS = 24
MOST_LINKS = 10
"""Episodes that a reason of failure leads to at once; its button shows all."""


@dataclass(frozen=True)
class Rate:
    """How many of so many episodes succeeded, with Wilson's interval at 95 % in per cent."""

    name: str
    successes: int
    episodes: int
    told: str = ""

    @property
    def share(self) -> float:
        """Per cent."""
        return 100 * self.successes / self.episodes

    @property
    def interval(self) -> tuple[float, float]:
        """Per cent, from and to."""
        low, high = wilson(self.successes, self.episodes)
        return 100 * low, 100 * high


@dataclass(frozen=True)
class Bin:
    """So many episodes that took from `begin` to `end` seconds."""

    begin: float
    end: float
    episodes: int


@dataclass(frozen=True)
class Times:
    """How long something took: the middle, the 95th percentile and the longest, in seconds, and bins of equal width on
    a logarithmic scale."""

    name: str
    median: float
    percentile_95: float
    longest: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class TaskChange:
    """A task of which two runs do not agree on every episode: how many only the first and only the second solved."""

    task: str
    lost: int
    gained: int


def task_name(k: Key) -> str:
    """A task as commands name it."""
    return f"{k.suite}/{k.task_id}"


def by_suite(records: Iterable[Record]) -> tuple[Rate, ...]:
    """A rate a suite, and one of all where there are several."""
    rates = _rates(records, lambda r: str(r["suite"]))
    whole = Rate("all", sum(r.successes for r in rates), sum(r.episodes for r in rates))
    return (*rates, whole) if len(rates) > 1 else rates


def by_task(records: Iterable[Record]) -> dict[str, tuple[Rate, ...]]:
    """The rates of the tasks of each suite, by the suite's name."""
    of: dict[str, list[Record]] = defaultdict(list)
    for r in records:
        of[str(r["suite"])].append(r)
    return {suite: _rates(some, lambda r: task_name(key(r))) for suite, some in of.items()}


def _rates(records: Iterable[Record], name: Any) -> tuple[Rate, ...]:
    counts: dict[str, list[int]] = {}
    words: dict[str, str] = {}
    for r in records:
        of = counts.setdefault(name(r), [0, 0])
        of[0] += bool(r["success"])
        of[1] += 1
        words.setdefault(name(r), str(r.get("language") or ""))
    return tuple(Rate(n, s, of, words[n]) for n, (s, of) in counts.items())


def times_of(records: Sequence[Record]) -> tuple[Times, ...]:
    """How long planning, execution and episodes took."""
    found = []
    for field, name in TIMES:
        values = sorted(float(r[field]) for r in records if isinstance(r.get(field), int | float))
        if values:
            last = values[ceil(0.95 * len(values)) - 1]
            found.append(Times(name, statistics.median(values), last, values[-1], _bins(values)))
    return tuple(found)


def _bins(values: Sequence[float]) -> tuple[Bin, ...]:
    """Bins over a logarithmic scale; what took less than a hundredth of a second is in the first one."""
    low = floor(10 * log10(max(0.01, values[0]))) / 10
    high = max(low + 0.1, ceil(10 * log10(max(0.01, values[-1]))) / 10)
    width = (high - low) / BINS
    counts = Counter(min(BINS - 1, max(0, floor((log10(max(0.01, v)) - low) / width))) for v in values)
    return tuple(Bin(10 ** (low + n * width), 10 ** (low + (n + 1) * width), counts[n]) for n in range(BINS))


def changes(comparison: Comparison) -> tuple[TaskChange, ...]:
    """The tasks of which two runs differ, the most lost first."""
    lost, gained = Counter(map(task_name, comparison.lost)), Counter(map(task_name, comparison.gained))
    told = [TaskChange(task, lost[task], gained[task]) for task in {*lost, *gained}]
    return tuple(sorted(told, key=lambda c: (c.gained - c.lost, c.task)))


@dataclass(frozen=True)
class Run:
    """A run, or parts of one: what it is called, its records, its git tree, and the folders that it left."""

    name: str
    records: Sequence[Record]
    tree: str
    folders: tuple[Path, ...] = ()


def log_of(run: Run, k: Key) -> Path | None:
    """The log of an episode of a run, None where its folder is not there."""
    name = "-".join(map(str, k if k.wording else k[:3]))
    logs = (folder / "episodes" / name / LOG for folder in run.folders)
    return next((log for log in logs if log.is_file()), None)


def bench_page(
    runs: Sequence[Run], compared: Comparison | None, pages: Mapping[Path, Path], layout: Layout, beside: Path
) -> str:
    """The page of a run or of two that are compared, to be written in the folder `beside`.

    `pages` are the pages of episodes by their log; an episode without one leads to its log.
    """
    told = [
        {
            "name": run.name,
            "tree": run.tree,
            "perception": run.records[0]["perception"],
            "suites": by_suite(run.records),
            "tasks": by_task(run.records),
            "failures": failures(run.records),
            "times": times_of(run.records),
            "links": _links(run, pages, beside),
        }
        for run in runs
    ]
    return layout.page(
        "bench.html.j2",
        SCRIPTS,
        {"runs": [_data(run, pages, beside) for run in runs]},
        title=f"Benchmark: {', '.join(run.name for run in runs)}",
        runs=told,
        compared=compared,
        changes=changes(compared) if compared else (),
    )


def _links(run: Run, pages: Mapping[Path, Path], beside: Path) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """The first failed episodes of each stage and reason, by name, and what they lead to."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for r in run.records:
        why, k = _why(r), key(r)
        if not r["success"] and len(found[why]) < MOST_LINKS and (log := log_of(run, k)):
            name = f"{task_name(k)} init {k.init_state}{f' wording {k.wording}' if k.wording else ''}"
            found[why].append((name, address(pages.get(log, log), beside)))
    return dict(found)


def _why(r: Record) -> tuple[str, str]:
    """Stage and reason of an episode that failed."""
    return str(r["failure_stage"] or "checker"), str(r["failure_reason"] or "no reason given")


def _data(run: Run, pages: Mapping[Path, Path], beside: Path) -> dict[str, Any]:
    """A run's episodes as rows of numbers, with names and reasons once each."""
    tasks, reasons = dict[str, int](), dict[tuple[str, str], int]()
    rows = []
    for r in run.records:
        k, ok = key(r), bool(r["success"])
        task = tasks.setdefault(task_name(k), len(tasks))
        reason = -1 if ok else reasons.setdefault(_why(r), len(reasons))
        log = log_of(run, k)
        leads = "" if log is None else address(pages.get(log, log), beside)
        numbers = (r["steps"], round(r["planning_seconds"], 2), round(r["wall_seconds"], 1))
        rows.append([task, k.init_state, k.wording, int(ok), reason, *numbers, leads])
    return {"name": run.name, "tasks": list(tasks), "reasons": list(reasons), "episodes": rows}
