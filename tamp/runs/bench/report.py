"""Results as a table fit for a paper, and every failure with its cause."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from tamp.errors import InputError
from tamp.runs.bench.records import Record, wilson
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


@dataclass(frozen=True)
class BenchRun:
    """A run, or parts of one: what it is called, its records, its git tree, and the folders that it left."""

    name: str
    records: Sequence[Record]
    tree: str
    folders: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Row:
    """One suite. Rates are shares; `worst` is the lowest success rate of a task; `steps` is the mean over
    successes that lasted; `planning` the median over tasks of the median per task, in seconds, `slowest` the longest
    of an episode; `contacts` the median and the 95th percentile of control steps with an unintended contact."""

    suite: str
    episodes: int
    successes: int
    worst: float
    lasting: float
    steps: float | None
    planning: float
    slowest: float
    clean: float
    contacts: tuple[int, int]

    def cells(self) -> tuple[str, ...]:
        """The columns as text."""
        low, high = wilson(self.successes, self.episodes)
        demo = LONGEST_DEMONSTRATION.get(self.suite)
        return (
            self.suite,
            str(self.episodes),
            f"{100 * self.successes / self.episodes:.1f}",
            f"{100 * low:.1f} to {100 * high:.1f}",
            f"{100 * self.worst:.0f}",
            f"{100 * self.lasting:.1f}",
            "-" if self.steps is None else f"{self.steps:.0f}",
            "-" if self.steps is None or demo is None else f"{100 * self.steps / demo:.0f}",
            f"{self.planning:.2f}",
            f"{self.slowest:.1f}",
            f"{100 * self.clean:.1f}",
            "{}, {}".format(*self.contacts),
        )


def of_one_tree(records: list[Record]) -> str:
    """The git tree that every record ran on; InputError when there are several."""
    trees = Counter(str(r["tree"]) for r in records)
    if len(trees) > 1:
        told = ", ".join(f"{tree[:12]} ({n} episodes)" for tree, n in trees.most_common())
        raise InputError(f"the results are of {len(trees)} trees: {told}; a table is made from one (--tree)")
    return next(iter(trees))


def rows(records: Iterable[Record]) -> list[Row]:
    """A row for each suite, and one for all when there are several."""
    by_suite: dict[str, list[Record]] = defaultdict(list)
    for r in records:
        by_suite[r["suite"]].append(r)
    out = [_row(suite, of_suite) for suite, of_suite in by_suite.items()]
    if len(out) > 1:
        out.append(_row("all", [r for of_suite in by_suite.values() for r in of_suite]))
    return out


def _row(suite: str, records: list[Record]) -> Row:
    by_task: dict[tuple[str, int], list[Record]] = defaultdict(list)
    for r in records:
        by_task[r["suite"], r["task_id"]].append(r)
    steps = [r["steps"] for r in records if r["success"] and r["lasting"]]
    contacts = sorted(sum(r["touched"].values()) for r in records)
    return Row(
        suite=suite,
        episodes=len(records),
        successes=sum(r["success"] for r in records),
        worst=min(sum(r["success"] for r in task) / len(task) for task in by_task.values()),
        lasting=len(steps) / len(records),
        steps=statistics.fmean(steps) if steps else None,
        planning=statistics.median(statistics.median(r["planning_seconds"] for r in task) for task in by_task.values()),
        slowest=max(r["planning_seconds"] for r in records),
        clean=sum(not (r["touched"] or r["shifted"]) for r in records) / len(records),
        contacts=(contacts[(len(contacts) - 1) // 2], contacts[ceil(0.95 * len(contacts)) - 1]),
    )


def reached(records: Sequence[Record]) -> tuple[int, int] | None:
    """In how many episodes what was asked for holds by the oracle of the goal, and of how many that is known; None
    where it is of none, as in results of earlier versions. What counts as a success is LIBERO's check."""
    known = [r for r in records if r.get("reached") is not None]
    return (sum(r["reached"] for r in known), len(known)) if known else None


def failures(records: Iterable[Record]) -> list[tuple[str, str, str, int]]:
    """(stage, reason, tasks, episodes) of what did not succeed, the most frequent first."""
    groups: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for r in records:
        if not r["success"]:
            groups[r["failure_stage"] or "checker", r["failure_reason"] or "no reason given"].append(r)
    told = []
    for (stage, reason), group in sorted(groups.items(), key=lambda item: -len(item[1])):
        tasks = sorted({f"{r['suite']}/{r['task_id']}" for r in group})
        told.append((stage, reason, " ".join(tasks), len(group)))
    return told


def table(rows: Iterable[Row]) -> TextTable:
    """The rows with their columns."""
    return TextTable(COLUMNS, tuple(row.cells() for row in rows), "l" + "r" * (len(COLUMNS) - 1))


def side_by_side(runs: Mapping[str, list[Row]]) -> TextTable:
    """The rows of several runs, those of one suite below each other, with a column for the run's name."""
    suites = dict.fromkeys(row.suite for of_run in runs.values() for row in of_run if row.suite != "all")
    lines = []
    for suite in (*suites, "all"):
        for name, of_run in runs.items():
            lines += [(suite, name, *row.cells()[1:]) for row in of_run if row.suite == suite]
    return TextTable((COLUMNS[0], "run", *COLUMNS[1:]), tuple(lines), "ll" + "r" * (len(COLUMNS) - 1))
