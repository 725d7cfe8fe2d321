"""`tamp report`: what benchmark runs came to, as tables, and why what failed did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from cli.output import emit_json, say
from cli.report_episodes import report_episodes
from tamp.api import benchmarks
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from tamp.api.benchmarks import Runs
    from tamp.runs.bench.records import Record
    from tamp.runs.text_table import Form

DIFFERENT = "the runs are of different git trees"


def report(paths: list[Path], form: Form, tree: str | None, json_output: bool) -> int:
    """Print one table of the folders or results files of one run, or of parts of one; runs that have episodes in common
    side by side, and compared over these. Episodes of which there are only logs get a table of their own."""
    if benchmarks.are_logs(paths):
        return report_episodes(paths, form, tree, json_output)
    runs = benchmarks.read_runs(paths, tree)
    if benchmarks.share_episodes(runs):
        return _side_by_side(runs, form, json_output)
    records = [r for of_run in runs.values() for r in of_run]
    ran_on = benchmarks.tree_of(records)
    with quiet_stdout() as out:
        if json_output:
            emit_json(benchmarks.as_dict(records, ran_on), out)
            return 0
        out.write(benchmarks.table(records, form))
        if form == "text":
            out.write(f"\n{benchmarks.seen_by(records)}; git tree {ran_on}\n{_reached(records)}")
            _failures("failures", records, out)
    return 0


def _reached(records: list[Record]) -> str:
    """The other verdict, in a line; success is LIBERO's check."""
    known = benchmarks.reached(records)
    return "" if known is None else f"reached, by the oracle of what was asked for: {known[0]} of {known[1]}\n"


def _side_by_side(runs: Runs, form: Form, json_output: bool) -> int:
    trees = {name: benchmarks.one_tree(name, records) for name, records in runs.items()}
    found = benchmarks.compared(runs)
    with quiet_stdout() as out:
        if json_output:
            told = [{"run": name, **benchmarks.as_dict(runs[name], trees[name])} for name in runs]
            emit_json({"runs": told, "comparisons": [benchmarks.compared_as_dict(*pair) for pair in found]}, out)
            return 0
        out.write(benchmarks.side_by_side(runs, form) + "\n")
        if form == "text":
            _runs(runs, trees, out)
        elif len(set(trees.values())) > 1:
            say(f"tamp: {DIFFERENT}")
        out.write(benchmarks.comparisons(found, form))
        if form == "text":
            out.write("p: McNemar's exact test, two-sided\n")
            for name, records in runs.items():
                _failures(f"failures of {name}", records, out)
    return 0


def _runs(runs: Runs, trees: dict[str, str], out: TextIO) -> None:
    for name, records in runs.items():
        out.write(f"{name}: {benchmarks.seen_by(records)}; git tree {trees[name]}\n{_reached(records)}")
    if len(set(trees.values())) > 1:
        out.write(f"{DIFFERENT}\n")
    out.write("\nepisodes that both runs have, and how many of them succeeded\n")


def _failures(title: str, records: list[Record], out: TextIO) -> None:
    failed = benchmarks.failures(records)
    if failed:
        out.write(f"\n{title}\n")
    for stage, reason, tasks, n in failed:
        out.write(f"  {n:4} {stage}: {reason}\n       {tasks}\n")
