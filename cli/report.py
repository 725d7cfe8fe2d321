"""`tamp report`: what benchmark runs came to, as tables, and why what failed did."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any, TextIO

from cli.output import emit_json, say
from cli.report_episodes import report_episodes
from tamp.errors import InputError
from tamp.quiet import quiet_stdout
from tamp.runs.bench import report as reports
from tamp.runs.bench.compare import Comparison, compare
from tamp.runs.bench.records import Record, key, read, results_file, wilson
from tamp.runs.bench.scheduling import Key
from tamp.runs.episode_log import is_log
from tamp.runs.labels import in_words
from tamp.runs.text_table import Form, TextTable

COMPARED = ("first", "second", "episodes", "both", "first only", "second only", "neither", "p")
"""Columns of a comparison: of the episodes that two runs have, how many succeeded in which; McNemar's p, two-sided."""

DIFFERENT = "the runs are of different git trees"

Runs = dict[str, list[Record]]
"""Runs by the name that they were given with."""


def report(paths: list[Path], form: Form, tree: str | None, json_output: bool) -> int:
    """Print one table of the folders or results files of one run, or of parts of one; runs that have episodes in common
    side by side, and compared over these. Episodes of which there are only logs get a table of their own."""
    if are_logs(paths):
        return report_episodes(paths, form, tree, json_output)
    runs = read_runs(paths, tree)
    if share_episodes(runs):
        return _side_by_side(runs, form, json_output)
    records = [r for of_run in runs.values() for r in of_run]
    ran_on = reports.of_one_tree(records)
    table = reports.rows(records)
    with quiet_stdout() as out:
        if json_output:
            emit_json(_plain(records, table, ran_on), out)
            return 0
        out.write(reports.table(table).written(form))
        if form == "text":
            out.write(f"\n{in_words(records[0]['perception'])}; git tree {ran_on}\n{_reached(records)}")
            _failures("failures", records, out)
    return 0


def _reached(records: list[Record]) -> str:
    """The other verdict, in a line; success is LIBERO's check."""
    known = reports.reached(records)
    return "" if known is None else f"reached, by the oracle of what was asked for: {known[0]} of {known[1]}\n"


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


def _side_by_side(runs: Runs, form: Form, json_output: bool) -> int:
    trees = {name: one_tree(name, records) for name, records in runs.items()}
    rows = {name: reports.rows(records) for name, records in runs.items()}
    pairs = [(a, b) for a, b in combinations(runs, 2) if {*map(key, runs[a])} & {*map(key, runs[b])}]
    found = [(a, b, compare(runs[a], runs[b])) for a, b in pairs]
    with quiet_stdout() as out:
        if json_output:
            told = [{"run": name, **_plain(runs[name], rows[name], trees[name])} for name in runs]
            emit_json({"runs": told, "comparisons": [_compared(*pair) for pair in found]}, out)
            return 0
        out.write(reports.side_by_side(rows).written(form) + "\n")
        if form == "text":
            _runs(runs, trees, out)
        elif len(set(trees.values())) > 1:
            say(f"tamp: {DIFFERENT}")
        out.write(TextTable(COMPARED, tuple(_cells(*pair) for pair in found), "ll" + "r" * 6).written(form))
        if form == "text":
            out.write("p: McNemar's exact test, two-sided\n")
            for name, records in runs.items():
                _failures(f"failures of {name}", records, out)
    return 0


def one_tree(name: str, records: list[Record]) -> str:
    """The git tree of a run. InputError, with its name, when there are several."""
    try:
        return reports.of_one_tree(records)
    except InputError as e:
        raise InputError(f"{name}: {e}") from e


def _runs(runs: Runs, trees: dict[str, str], out: TextIO) -> None:
    for name, records in runs.items():
        out.write(f"{name}: {in_words(records[0]['perception'])}; git tree {trees[name]}\n{_reached(records)}")
    if len(set(trees.values())) > 1:
        out.write(f"{DIFFERENT}\n")
    out.write("\nepisodes that both runs have, and how many of them succeeded\n")


def _cells(first: str, second: str, c: Comparison) -> tuple[str, ...]:
    counts = (c.pairs, c.solved, len(c.lost), len(c.gained), c.neither)
    return (first, second, *map(str, counts), f"{c.two_sided:.3g}")


def _compared(first: str, second: str, c: Comparison) -> dict[str, Any]:
    told = {"first": first, "second": second, "episodes": c.pairs, "both": c.solved, "neither": c.neither}
    told |= {"first_only": [*map(_plain_key, c.lost)], "second_only": [*map(_plain_key, c.gained)]}
    return told | {"p_value": c.two_sided}


def _plain_key(k: Key) -> dict[str, Any]:
    return dict(k._asdict())


def _plain(records: list[Record], table: list[reports.Row], tree: str) -> dict[str, Any]:
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
        for row in table
    ]
    failed = [
        {"stage": stage, "reason": reason, "tasks": tasks.split(), "episodes": n}
        for stage, reason, tasks, n in reports.failures(records)
    ]
    known = reports.reached(records)
    told = {"reached": known and known[0], "reached_of": known and known[1]}
    return {"tree": tree, "perception": records[0]["perception"], "suites": suites, "failures": failed} | told


def _failures(title: str, records: list[Record], out: TextIO) -> None:
    failed = reports.failures(records)
    if failed:
        out.write(f"\n{title}\n")
    for stage, reason, tasks, n in failed:
        out.write(f"  {n:4} {stage}: {reason}\n       {tasks}\n")
