"""`tamp report`: what benchmark runs and episodes came to, as tables or as a page, and why what failed did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import tamp
from cli.output import Output, counted, note
from tamp.api.results import table
from tamp.api.tool_configs import ReportConfig
from tamp.errors import InputError
from tamp.runs.bench import bench_report
from tamp.runs.bench.bench_report import BenchRun
from tamp.runs.labels import in_words

DIFFERENT = "the runs are of different git trees"


def report(config: ReportConfig, out: Output) -> int:
    """Print one table of one run, of whatever parts; runs that have episodes in common side by side, and compared over
    these. Episodes of which there are only logs get a table of their own; with `html` a page is written."""
    paths = list(config.results)
    if config.html is not None:
        return _page(config.html, paths, config.tree, out)
    if bench_report.are_logs(paths):
        return _episodes(config, paths, out)
    runs = bench_report.read_runs(paths, config.tree)
    if len(runs) == 1:
        out.answer(bench_report.as_dict(runs[0]), _lines(runs[0], config))
        return 0
    comparisons = bench_report.compared(runs)
    if config.form != "text" and not out.json and len({run.tree for run in runs}) > 1:
        note(DIFFERENT)
    about = [{"run": run.name, **bench_report.as_dict(run)} for run in runs]
    compared = [bench_report.compared_as_dict(*each) for each in comparisons]
    out.answer({"runs": about, "comparisons": compared}, _side_by_side(runs, comparisons, config))
    return 0


def _lines(run: BenchRun, config: ReportConfig) -> Iterator[str]:
    yield bench_report.table([run]).written(config.form).rstrip()
    if config.form == "text":
        yield ""
        yield from _about(run)
        yield from _failures("failures", run)


def _about(run: BenchRun, name: str = "") -> Iterator[str]:
    """What saw, on what tree; and the other verdict: success is LIBERO's check."""
    yield f"{name}{in_words(run.records[0].perception)}; git tree {run.tree}"
    if known := bench_report.reached(run.records):
        yield f"reached, by the oracle of what was asked for: {known[0]} of {known[1]}"


def _side_by_side(
    runs: Sequence[BenchRun], found: list[bench_report.ComparedRuns], config: ReportConfig
) -> Iterator[str]:
    yield bench_report.table(runs).written(config.form)
    if config.form == "text":
        for run in runs:
            yield from _about(run, f"{run.name}: ")
        if len({run.tree for run in runs}) > 1:
            yield DIFFERENT
        yield "\nepisodes that both runs have, and how many of them succeeded"
    yield bench_report.comparisons(found).written(config.form).rstrip()
    if config.form == "text":
        yield "p: McNemar's exact test, two-sided"
        for run in runs:
            yield from _failures(f"failures of {run.name}", run)


def _failures(title: str, run: BenchRun) -> Iterator[str]:
    failed = bench_report.failures(run.records)
    if failed:
        yield f"\n{title}"
    for stage, reason, tasks, n in failed:
        yield f"  {n:4} {stage}: {reason}\n       {tasks}"


def _episodes(config: ReportConfig, paths: list[Path], out: Output) -> int:
    """Print a table of the episodes whose logs are in the folders or are the files."""
    if config.tree is not None:
        raise InputError("--tree is for the results of tamp bench, not for episodes; valid: --format, --json")
    found = tamp.results(*paths)
    counts = Counter(e.verdict for e in found)
    lines = [table(found, config.form).rstrip()]
    if config.form == "text":
        verdicts = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
        lines.append(f"\n{counted(len(found), 'episode')}: {verdicts}")
    out.answer({"counts": counts, "episodes": [asdict(e) for e in found]}, lines)
    return 0


def _page(file: Path, paths: list[Path], tree: str | None, out: Output) -> int:
    """Write the page of an episode, of several, or of runs of `tamp bench`, and say where it is and those of single
    episodes."""
    from tamp.api.pages import write_report

    pages = write_report(paths, file, tree, note)
    others = f"; episodes: {len(pages)} in {pages[0].parent}" if pages else ""
    out.answer({"html": file, "episodes": [*map(str, pages)]}, [f"page {file}{others}"])
    return 0
