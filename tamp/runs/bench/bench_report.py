"""Runs of a benchmark as tables: success, times and failures of each, and two runs compared."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from pathlib import Path
from typing import Any

from tamp.errors import InputError
from tamp.runs.bench.compare import Comparison, compare
from tamp.runs.bench.records import EpisodeRecord, read, results_file, wilson
from tamp.runs.episode_log import LOG, is_log
from tamp.runs.text_table import TextTable

LONGEST_DEMONSTRATION = {
    "libero_spatial": 193,
    "libero_object": 254,
    "libero_goal": 270,
    "libero_10": 505,
    "libero_90": 373,
}
"""Control steps of the longest human demonstration of each suite, as published with LIBERO's datasets."""
COLUMNS = (
    *("suite", "episodes", "success %", "95 %", "worst task %", "lasting %", "steps", "% of demo"),
    *("planning s", "slowest s", "clean %", "contacts"),
)
"""`contacts` is the median and the 95th percentile of an episode's control steps with an unintended contact; `clean`
is the share of episodes without any, in which no bystander was moved either."""
COMPARED = ("first", "second", "episodes", "both", "first only", "second only", "neither", "p")
"""Of the episodes that two runs have, how many succeeded in which; McNemar's p, two-sided."""


@dataclass(frozen=True)
class BenchRun:
    """A run, or parts of one: what it is called, its records, its git tree, and the folders that it left."""

    name: str
    records: Sequence[EpisodeRecord]
    tree: str
    folders: tuple[Path, ...] = ()

    def log_of(self, r: EpisodeRecord) -> Path | None:
        """The log of an episode, None where its folder is not there."""
        logs = (folder / "episodes" / r.key.folder / LOG for folder in self.folders)
        return next((log for log in logs if log.is_file()), None)


ComparedRuns = tuple[BenchRun, BenchRun, Comparison]
"""Two runs, and what became of the episodes that both have."""


def read_runs(paths: Sequence[Path], tree: str | None) -> list[BenchRun]:
    """The runs at some paths, of one git tree if that is named: one, of whatever parts, or several that have episodes
    in common. InputError for what is none, is there twice, has an episode twice, or ran on several trees."""
    files = Counter(results_file(path).resolve() for path in paths)
    if twice := [path for path in paths if files[results_file(path).resolve()] > 1]:
        raise InputError(f"{twice[0]} is given twice")
    found = {path: read(path) for path in paths}
    if tree is not None:
        chosen = {path: [r for r in of if str(r.tree).startswith(tree)] for path, of in found.items()}
        if not any(chosen.values()):
            valid = ", ".join(sorted({str(r.tree)[:12] for of in found.values() for r in of}))
            raise InputError(f"--tree {tree}: no episode ran on it; valid: {valid}")
        found = {path: of for path, of in chosen.items() if of}
    for path, of in found.items():
        if several := [k for k, n in Counter(r.key for r in of).items() if n > 1]:
            suite, task, state, _ = several[0]
            what = f"{len(several)} episodes are in {path} more than once, {suite}/{task} init {state} first"
            raise InputError(f"{what}; valid: those of one git tree (--tree)")
    folders = {path: tuple(p for p in (path, path.parent) if (p / "episodes").is_dir()) for path in found}
    records = [r for of in found.values() for r in of]
    if len({r.key for r in records}) == len(records):
        every = tuple(folder for of in folders.values() for folder in of)
        return [BenchRun(" ".join(map(str, found)), records, tree_of(records), every)]
    return [BenchRun(str(path), of, tree_of(of, f"{path}: "), folders[path]) for path, of in found.items()]


def are_logs(paths: Sequence[Path]) -> bool:
    """Whether there are episodes' logs and no results; InputError for some of these and some of those."""
    without = [p for p in paths if (not results_file(p).exists() if p.is_dir() else is_log(p))]
    if without and len(without) < len(paths):
        other = next(path for path in paths if path not in without)
        raise InputError(f"{without[0]} holds episodes and {other} results of tamp bench: report them one by one")
    return bool(without)


def compared(runs: Sequence[BenchRun]) -> list[ComparedRuns]:
    """Each two runs that have episodes in common, compared over these."""
    keys = {run.name: {r.key for r in run.records} for run in runs}
    pairs = [(a, b) for a, b in combinations(runs, 2) if keys[a.name] & keys[b.name]]
    return [(a, b, compare(list(a.records), list(b.records))) for a, b in pairs]


def tree_of(records: Iterable[EpisodeRecord], of: str = "") -> str:
    """The git tree that every record ran on; InputError, which begins with `of`, when there are several."""
    trees = Counter(str(r.tree) for r in records)
    if len(trees) > 1:
        listed = ", ".join(f"{tree[:12]} ({n} episodes)" for tree, n in trees.most_common())
        raise InputError(f"{of}the results are of {len(trees)} trees: {listed}; a table is made from one (--tree)")
    return next(iter(trees))


@dataclass(frozen=True)
class Row:
    """The episodes of one `name`, a suite or a task. Rates are shares; `worst` is the lowest success rate of a task;
    `steps` is the mean over successes that lasted; `planning` the median over tasks of the median per task, in seconds,
    `slowest` the longest of an episode; `contacts` the median and the 95th percentile of control steps with an
    unintended contact."""

    name: str
    episodes: int
    successes: int
    worst: float
    lasting: float
    steps: float | None
    planning: float
    slowest: float
    clean: float
    contacts: tuple[int, int]
    instruction: str = ""

    @property
    def share(self) -> float:
        """Successes in per cent."""
        return 100 * self.successes / self.episodes

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval at 95 %, in per cent."""
        low, high = wilson(self.successes, self.episodes)
        return 100 * low, 100 * high

    def cells(self) -> tuple[str, ...]:
        """The columns as text."""
        demo = LONGEST_DEMONSTRATION.get(self.name)
        return (
            self.name,
            str(self.episodes),
            f"{self.share:.1f}",
            "{:.1f} to {:.1f}".format(*self.interval),
            f"{100 * self.worst:.0f}",
            f"{100 * self.lasting:.1f}",
            "-" if self.steps is None else f"{self.steps:.0f}",
            "-" if self.steps is None or demo is None else f"{100 * self.steps / demo:.0f}",
            f"{self.planning:.2f}",
            f"{self.slowest:.1f}",
            f"{100 * self.clean:.1f}",
            "{}, {}".format(*self.contacts),
        )

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data."""
        return {
            "suite": self.name,
            "episodes": self.episodes,
            "successes": self.successes,
            "success_rate": self.successes / self.episodes,
            "wilson": [round(x, 4) for x in wilson(self.successes, self.episodes)],
            "worst_task": self.worst,
            "lasting_rate": self.lasting,
            "mean_steps": self.steps,
            "median_planning_seconds": self.planning,
            "max_planning_seconds": self.slowest,
            "clean_rate": self.clean,
            "contact_steps": {"median": self.contacts[0], "percentile_95": self.contacts[1]},
        }


def rows(records: Sequence[EpisodeRecord], name: Callable[[EpisodeRecord], str] = lambda r: r.suite) -> list[Row]:
    """A row for the records of each name."""
    return [_row(group, of) for group, of in _grouped(records, name).items()]


def suite_rows(records: Sequence[EpisodeRecord]) -> list[Row]:
    """A row for each suite, and one for all when there are several."""
    found = rows(records)
    return [*found, _row("all", records)] if len(found) > 1 else found


def _row(name: str, records: Sequence[EpisodeRecord]) -> Row:
    tasks = _grouped(records, lambda r: r.task_name).values()
    steps = [r.steps for r in records if r.success and r.lasting]
    contacts = sorted(sum(r.touched.values()) for r in records)
    return Row(
        name=name,
        episodes=len(records),
        successes=sum(r.success for r in records),
        worst=min(sum(r.success for r in task) / len(task) for task in tasks),
        lasting=len(steps) / len(records),
        steps=statistics.fmean(steps) if steps else None,
        planning=statistics.median(statistics.median(r.planning_seconds for r in task) for task in tasks),
        slowest=max(r.planning_seconds for r in records),
        clean=sum(not (r.touched or r.shifted) for r in records) / len(records),
        contacts=(contacts[(len(contacts) - 1) // 2], contacts[ceil(0.95 * len(contacts)) - 1]),
        instruction=records[0].language or "",
    )


def _grouped(records: Iterable[EpisodeRecord], name: Callable[[EpisodeRecord], str]) -> dict[str, list[EpisodeRecord]]:
    found: dict[str, list[EpisodeRecord]] = defaultdict(list)
    for r in records:
        found[name(r)].append(r)
    return found


def reached(records: Sequence[EpisodeRecord]) -> tuple[int, int] | None:
    """In how many episodes what was asked for holds by the oracle of the goal, and of how many that is known; None
    where it is of none, as in results of earlier versions. What counts as a success is LIBERO's check."""
    known = [r.reached for r in records if r.reached is not None]
    return (sum(known), len(known)) if known else None


def failures(records: Iterable[EpisodeRecord]) -> list[tuple[str, str, str, int]]:
    """(stage, reason, tasks, episodes) of what did not succeed, the most frequent first."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for r in records:
        if not r.success:
            groups[r.failure_stage or "checker", r.failure_reason or "no reason given"].append(r.task_name)
    ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
    return [(stage, reason, " ".join(sorted({*tasks})), len(tasks)) for (stage, reason), tasks in ordered]


def table(runs: Sequence[BenchRun]) -> TextTable:
    """A row for each suite, and one for all where there are several; the rows of several runs of one suite are below
    each other, with a column for the run's name."""
    found = {run.name: {row.name: row for row in suite_rows(run.records)} for run in runs}
    suites = [*dict.fromkeys(suite for of in found.values() for suite in of if suite != "all"), "all"]
    rows_ = [(name, of[suite].cells()) for suite in suites for name, of in found.items() if suite in of]
    if len(runs) == 1:
        return TextTable(COLUMNS, tuple(cells for _, cells in rows_), "l" + "r" * (len(COLUMNS) - 1))
    lines = tuple((cells[0], name, *cells[1:]) for name, cells in rows_)
    return TextTable((COLUMNS[0], "run", *COLUMNS[1:]), lines, "ll" + "r" * (len(COLUMNS) - 1))


def comparisons(found: Iterable[ComparedRuns]) -> TextTable:
    """A row for each two runs."""
    lines = []
    for first, second, c in found:
        counts = (c.pairs, c.solved, len(c.lost), len(c.gained), c.neither)
        lines.append((first.name, second.name, *map(str, counts), f"{c.two_sided:.3g}"))
    return TextTable(COMPARED, tuple(lines), "ll" + "r" * 6)


def compared_as_dict(first: BenchRun, second: BenchRun, c: Comparison) -> dict[str, Any]:
    """Two runs that are compared, as plain data."""
    about = {"first": first.name, "second": second.name, "episodes": c.pairs, "both": c.solved, "neither": c.neither}
    about |= {"first_only": [k._asdict() for k in c.lost], "second_only": [k._asdict() for k in c.gained]}
    return about | {"p_value": c.two_sided}


def as_dict(run: BenchRun) -> dict[str, Any]:
    """A run as plain data."""
    suites = [row.as_dict() for row in suite_rows(run.records)]
    failed = [
        {"stage": stage, "reason": reason, "tasks": tasks.split(), "episodes": n}
        for stage, reason, tasks, n in failures(run.records)
    ]
    known = reached(run.records)
    about = {"reached": known and known[0], "reached_of": known and known[1]}
    return {"tree": run.tree, "perception": run.records[0].perception, "suites": suites, "failures": failed} | about
