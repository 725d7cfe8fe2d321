"""`tamp report`: what benchmark runs and episodes came to, as tables or as a page, and why what failed did."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import tamp
from cli.output import emit_json, say
from tamp import InputError
from tamp.api import benchmarks
from tamp.api.results import table
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


def report_episodes(paths: list[Path], form: Form, tree: str | None, json_output: bool) -> int:
    """Print a table of the episodes whose logs are in the folders or are the files."""
    if tree is not None:
        raise InputError("--tree is for the results of tamp bench, not for episodes; valid: --format, --json")
    found = tamp.results(*paths)
    counts = Counter(e.verdict for e in found)
    with quiet_stdout() as out:
        if json_output:
            emit_json({"counts": counts, "episodes": [asdict(e) for e in found]}, out)
            return 0
        out.write(table(found, form))
        if form == "text":
            verdicts = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
            out.write(f"\n{len(found)} episode{'' if len(found) == 1 else 's'}: {verdicts}\n")
    return 0


def report_html(paths: list[Path], file: Path, tree: str | None, prompts: bool, json_output: bool) -> int:
    """Write the page of an episode, of several, or of runs of `tamp bench`, and say where it is and those of single
    episodes."""
    from tamp.api.pages import write_report

    if prompts:
        raise InputError("--prompts: there is no page of it; valid: --html alone, --tree, --json")
    with quiet_stdout() as out:
        pages = write_report(paths, file, tree, lambda line: say(f"tamp: {line}"))
        if json_output:
            emit_json({"html": file, "episodes": [*map(str, pages)]}, out)
        else:
            beside = f"; episodes: {len(pages)} in {pages[0].parent}" if pages else ""
            out.write(f"page {file}{beside}\n")
    return 0
