"""Runs of a benchmark, as their results tell them: what each came to, and what two have in common."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamp.errors import InputError
from tamp.runs.bench import report as reports
from tamp.runs.bench.compare import Comparison, compare
from tamp.runs.bench.records import Record, key, read, results_file, wilson
from tamp.runs.episode_log import is_log
from tamp.runs.labels import in_words
from tamp.runs.text_table import Form, TextTable

if TYPE_CHECKING:
    from tamp.runs.bench.scheduling import Key

COMPARED = ("first", "second", "episodes", "both", "first only", "second only", "neither", "p")
"""Columns of a comparison: of the episodes that two runs have, how many succeeded in which; McNemar's p, two-sided."""

Runs = dict[str, list[Record]]
"""Runs by the name that they were given with."""
Compared = tuple[str, str, Comparison]
"""Two runs by their names, and what became of the episodes that both have."""


def read_runs(paths: list[Path], tree: str | None) -> Runs:
    """The records of each path, of one git tree if that is named. InputError for what is none, is there twice, or has
    an episode twice."""
    return _of_tree(_read(paths), tree)


def share_episodes(runs: Runs) -> bool:
    """Whether some have episodes in common: they are then runs of their own, else parts of one."""
    counted = Counter(k for records in runs.values() for k in {key(r) for r in records})
    return counted.most_common(1)[0][1] > 1


def are_logs(paths: list[Path]) -> bool:
    """Whether there are episodes' logs and no results; InputError for some of these and some of those."""
    without = [path for path in paths if _without_results(path)]
    if without and len(without) < len(paths):
        other = next(path for path in paths if path not in without)
        raise InputError(f"{without[0]} holds episodes and {other} results of tamp bench: report them one by one")
    return bool(without)


def _without_results(path: Path) -> bool:
    return not results_file(path).exists() if path.is_dir() else is_log(path)


def _read(paths: list[Path]) -> Runs:
    """The records of each path; InputError for one that is given twice, or has an episode twice."""
    files = Counter(results_file(path).resolve() for path in paths)
    if twice := [path for path in paths if files[results_file(path).resolve()] > 1]:
        raise InputError(f"{twice[0]} is given twice")
    return {str(path): read(path) for path in paths}


def _of_tree(runs: Runs, tree: str | None) -> Runs:
    """What ran on a tree, if one is named; InputError when nothing did, or a run has an episode twice."""
    if tree is not None:
        chosen = {name: [r for r in of if str(r["tree"]).startswith(tree)] for name, of in runs.items()}
        if not any(chosen.values()):
            valid = ", ".join(sorted({str(r["tree"])[:12] for of in runs.values() for r in of}))
            raise InputError(f"--tree {tree}: no episode ran on it; valid: {valid}")
        runs = {name: of for name, of in chosen.items() if of}
    for name, of in runs.items():
        if twice := [k for k, n in Counter(map(key, of)).items() if n > 1]:
            suite, task, state, _ = twice[0]
            told = f"{len(twice)} episodes are in {name} more than once, {suite}/{task} init {state} first"
            raise InputError(f"{told}; valid: those of one git tree (--tree)")
    return runs


def tree_of(records: list[Record]) -> str:
    """The git tree of all records. InputError when there are several."""
    return reports.of_one_tree(records)


def one_tree(name: str, records: list[Record]) -> str:
    """The git tree of a run. InputError, with its name, when there are several."""
    try:
        return reports.of_one_tree(records)
    except InputError as e:
        raise InputError(f"{name}: {e}") from e


def compared(runs: Runs) -> list[Compared]:
    """Each two runs that have episodes in common, compared over these."""
    pairs = [(a, b) for a, b in combinations(runs, 2) if {*map(key, runs[a])} & {*map(key, runs[b])}]
    return [(a, b, compare(runs[a], runs[b])) for a, b in pairs]


def table(records: list[Record], form: Form) -> str:
    """A row for each suite, and one for all where there are several."""
    return reports.table(reports.rows(records)).written(form)


def side_by_side(runs: Runs, form: Form) -> str:
    """The same of several runs, those of one suite below each other."""
    return reports.side_by_side({name: reports.rows(records) for name, records in runs.items()}).written(form)


def comparisons(found: list[Compared], form: Form) -> str:
    """A row for each two runs."""
    return TextTable(COMPARED, tuple(_cells(*pair) for pair in found), "ll" + "r" * 6).written(form)


def seen_by(records: list[Record]) -> str:
    """What saw in a run, in words."""
    return in_words(records[0]["perception"])


def reached(records: list[Record]) -> tuple[int, int] | None:
    """In how many episodes what was asked for holds by the oracle of the goal, of how many where that is known; None
    where it is of none."""
    return reports.reached(records)


def failures(records: list[Record]) -> list[tuple[str, str, str, int]]:
    """Stage, reason, tasks and number of what did not succeed, the most frequent first."""
    return reports.failures(records)


def _cells(first: str, second: str, c: Comparison) -> tuple[str, ...]:
    counts = (c.pairs, c.solved, len(c.lost), len(c.gained), c.neither)
    return (first, second, *map(str, counts), f"{c.two_sided:.3g}")


def compared_as_dict(first: str, second: str, c: Comparison) -> dict[str, Any]:
    """Two runs that are compared, as plain data."""
    told = {"first": first, "second": second, "episodes": c.pairs, "both": c.solved, "neither": c.neither}
    told |= {"first_only": [*map(_plain_key, c.lost)], "second_only": [*map(_plain_key, c.gained)]}
    return told | {"p_value": c.two_sided}


def _plain_key(k: Key) -> dict[str, Any]:
    return dict(k._asdict())


def as_dict(records: list[Record], tree: str) -> dict[str, Any]:
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
        for row in reports.rows(records)
    ]
    failed = [
        {"stage": stage, "reason": reason, "tasks": tasks.split(), "episodes": n}
        for stage, reason, tasks, n in reports.failures(records)
    ]
    known = reports.reached(records)
    told = {"reached": known and known[0], "reached_of": known and known[1]}
    return {"tree": tree, "perception": records[0]["perception"], "suites": suites, "failures": failed} | told
