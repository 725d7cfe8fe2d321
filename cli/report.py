"""`tamp report`: what a benchmark run came to, as a table, and why what failed did."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Literal, TextIO

from cli.output import emit_json, quiet_stdout
from tamp.errors import InputError
from tamp.runs.bench import report as reports
from tamp.runs.bench.records import Record, key, read, wilson

Form = Literal["text", "markdown", "latex"]


def report(paths: list[Path], form: Form, tree: str | None, json_output: bool) -> int:
    """Print one table of the folders or results files of one run or several."""
    records = _of_tree([r for path in paths for r in read(path)], tree)
    if twice := [k for k, n in Counter(map(key, records)).items() if n > 1]:
        suite, task, state, _ = twice[0]
        raise InputError(f"{len(twice)} episodes are in the results more than once, {suite}/{task} init {state} first")
    ran_on = reports.of_one_tree(records)
    table = reports.rows(records)
    with quiet_stdout() as out:
        if json_output:
            emit_json(_plain(records, table, ran_on), out)
        elif form == "latex":
            out.write(reports.latex(table))
        elif form == "markdown":
            out.write(reports.markdown(table))
        else:
            _text(records, table, ran_on, out)
    return 0


def _of_tree(records: list[Record], tree: str | None) -> list[Record]:
    if tree is None:
        return records
    chosen = [r for r in records if str(r["tree"]).startswith(tree)]
    if not chosen:
        valid = ", ".join(sorted({str(r["tree"])[:12] for r in records}))
        raise InputError(f"--tree {tree}: no episode ran on it; valid: {valid}")
    return chosen


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
    return {"tree": tree, "perception": records[0]["perception"], "suites": suites, "failures": failed}


def _text(records: list[Record], table: list[reports.Row], tree: str, out: TextIO) -> None:
    lines = [reports.COLUMNS, *(row.cells() for row in table)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(reports.COLUMNS))]
    for line in lines:
        rest = "  ".join(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
        out.write(f"{line[0]:{widths[0]}}  {rest}\n")
    out.write(f"\n{records[0]['perception']} perception; git tree {tree}\n")
    failed = reports.failures(records)
    if failed:
        out.write("\nfailures\n")
    for stage, reason, tasks, n in failed:
        out.write(f"  {n:4} {stage}: {reason}\n       {tasks}\n")
