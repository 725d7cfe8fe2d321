"""Runs of a benchmark, as their results tell them: what each came to, and what two have in common."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamp.errors import InputError
from tamp.runs.bench import report as reports
from tamp.runs.bench.compare import Comparison, compare
from tamp.runs.bench.records import key, read, results_file, wilson
from tamp.runs.bench.report import BenchRun
from tamp.runs.bench.report import failures as failures  # noqa: PLC0414 (for cli)
from tamp.runs.bench.report import reached as reached  # noqa: PLC0414
from tamp.runs.episode_log import is_log
from tamp.runs.labels import in_words
from tamp.runs.text_table import Form, TextTable

if TYPE_CHECKING:
    from collections.abc import Sequence

COMPARED = ("first", "second", "episodes", "both", "first only", "second only", "neither", "p")
"""Columns of a comparison: of the episodes that two runs have, how many succeeded in which; McNemar's p, two-sided."""

ComparedRuns = tuple[BenchRun, BenchRun, Comparison]
"""Two runs, and what became of the episodes that both have."""


def read_runs(paths: Sequence[Path], tree: str | None) -> list[BenchRun]:
    """The runs at some paths, of one git tree if that is named: one, of whatever parts, or several that have episodes
    in common. InputError for what is none, is there twice, has an episode twice, or ran on several trees."""
    files = Counter(results_file(path).resolve() for path in paths)
    if twice := [path for path in paths if files[results_file(path).resolve()] > 1]:
        raise InputError(f"{twice[0]} is given twice")
    read_there = {path: read(path) for path in paths}
    if tree is not None:
        chosen = {path: [r for r in of if str(r["tree"]).startswith(tree)] for path, of in read_there.items()}
        if not any(chosen.values()):
            valid = ", ".join(sorted({str(r["tree"])[:12] for of in read_there.values() for r in of}))
            raise InputError(f"--tree {tree}: no episode ran on it; valid: {valid}")
        read_there = {path: of for path, of in chosen.items() if of}
    for path, of in read_there.items():
        if several := [k for k, n in Counter(map(key, of)).items() if n > 1]:
            suite, task, state, _ = several[0]
            what = f"{len(several)} episodes are in {path} more than once, {suite}/{task} init {state} first"
            raise InputError(f"{what}; valid: those of one git tree (--tree)")
    counts = Counter(k for records in read_there.values() for k in {key(r) for r in records})
    folders = {path: tuple(p for p in (path, path.parent) if (p / "episodes").is_dir()) for path in read_there}
    if counts.most_common(1)[0][1] == 1:
        records = [r for some in read_there.values() for r in some]
        name = " ".join(map(str, read_there))
        return [BenchRun(name, records, reports.of_one_tree(records), tuple(f for of in folders.values() for f in of))]
    return [BenchRun(str(path), of, _tree(path, of), folders[path]) for path, of in read_there.items()]


def _tree(path: Path, records: list[dict[str, Any]]) -> str:
    try:
        return reports.of_one_tree(records)
    except InputError as e:
        raise InputError(f"{path}: {e}") from e


def are_logs(paths: Sequence[Path]) -> bool:
    """Whether there are episodes' logs and no results; InputError for some of these and some of those."""
    without = [path for path in paths if (not results_file(path).exists() if path.is_dir() else is_log(path))]
    if without and len(without) < len(paths):
        other = next(path for path in paths if path not in without)
        raise InputError(f"{without[0]} holds episodes and {other} results of tamp bench: report them one by one")
    return bool(without)


def seen_by(run: BenchRun) -> str:
    """What saw in a run, in words."""
    return in_words(run.records[0]["perception"])


def compared(runs: Sequence[BenchRun]) -> list[ComparedRuns]:
    """Each two runs that have episodes in common, compared over these."""
    pairs = [(a, b) for a, b in combinations(runs, 2) if {*map(key, a.records)} & {*map(key, b.records)}]
    return [(a, b, compare(list(a.records), list(b.records))) for a, b in pairs]


def table(runs: Sequence[BenchRun], form: Form) -> str:
    """A row for each suite, and one for all where there are several; those of several runs below each other."""
    if len(runs) == 1:
        written = reports.table(reports.rows(runs[0].records))
    else:
        written = reports.side_by_side({run.name: reports.rows(run.records) for run in runs})
    return written.written(form)


def comparisons(found: Sequence[ComparedRuns], form: Form) -> str:
    """A row for each two runs."""
    rows = []
    for first, second, c in found:
        counts = (c.pairs, c.solved, len(c.lost), len(c.gained), c.neither)
        rows.append((first.name, second.name, *map(str, counts), f"{c.two_sided:.3g}"))
    return TextTable(COMPARED, tuple(rows), "ll" + "r" * 6).written(form)


def compared_as_dict(first: BenchRun, second: BenchRun, c: Comparison) -> dict[str, Any]:
    """Two runs that are compared, as plain data."""
    about = {"first": first.name, "second": second.name, "episodes": c.pairs, "both": c.solved, "neither": c.neither}
    about |= {"first_only": [k._asdict() for k in c.lost], "second_only": [k._asdict() for k in c.gained]}
    return about | {"p_value": c.two_sided}


def as_dict(run: BenchRun) -> dict[str, Any]:
    """A run as plain data."""
    suites = [
        {
            "suite": row.suite,
            "episodes": row.episodes,
            "successes": row.successes,
            "success_rate": row.successes / row.episodes,
            "wilson": [round(x, 4) for x in wilson(row.successes, row.episodes)],
            "worst_task": row.worst,
            "lasting_rate": row.lasting,
            "mean_steps": row.steps,
            "median_planning_seconds": row.planning,
            "max_planning_seconds": row.slowest,
            "clean_rate": row.clean,
            "contact_steps": {"median": row.contacts[0], "percentile_95": row.contacts[1]},
        }
        for row in reports.rows(run.records)
    ]
    failed = [
        {"stage": stage, "reason": reason, "tasks": tasks.split(), "episodes": n}
        for stage, reason, tasks, n in failures(run.records)
    ]
    known = reached(run.records)
    about = {"reached": known and known[0], "reached_of": known and known[1]}
    return {"tree": run.tree, "perception": run.records[0]["perception"], "suites": suites, "failures": failed} | about
