"""`tamp bench`: episodes of LIBERO's suites, scored; an interrupted run goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cli.output import INTERRUPTED, Output, note, progress
from tamp.api.bench import Bench, prepare
from tamp.api.configs import BenchConfig

if TYPE_CHECKING:
    from tamp.runs.bench.records import EpisodeRecord


def bench(config: BenchConfig, out: Output) -> int:
    """Run what is not in the results yet and print the summary.

    1 when a suite stays below `min_success`, or the run is significantly worse than the baseline.
    """
    run = prepare(config)
    note(f"results go to {run.folder}")
    interrupted = run.run(progress, note)
    summary = run.summary()
    if interrupted:
        note("interrupted; the same command with the same --out goes on")
        return INTERRUPTED
    out.answer(summary, _decoded(summary, run.records) if config.stage == "goal" else _table(summary))
    return _verdict(run, config, summary)


def _verdict(run: Bench, config: BenchConfig, summary: dict[str, Any]) -> int:
    low, comparison = run.too_low(summary), run.comparison()
    if low:
        note(f"below --min-success {config.min_success:g}: {', '.join(low)}")
    if comparison is None:
        return 1 if low else 0
    note(f"against {config.baseline}: {comparison}")
    for k in comparison.lost:
        note(f"lost {k.suite}/{k.task_id} init {k.init_state}")
    return 1 if low or comparison.regressed else 0


def _table(summary: dict[str, Any]) -> Iterator[str]:
    yield f"{'suite':28} {'success':>9} {'95 %':>13} {'steps':>6} {'planning s':>10} {'per min':>8}"
    for suite, s in summary.items():
        steps = "-" if s["mean_steps"] is None else f"{s['mean_steps']:.0f}"
        rate = "-" if s["episodes_per_minute"] is None else f"{s['episodes_per_minute']:.1f}"
        planning = f"{s['median_planning_seconds']:.1f}"
        yield f"{suite:28} {_score(s)} {steps:>6} {planning:>10} {rate:>8}"
    for suite, s in summary.items():
        yield from (f"{n:>4} of {suite}: {kind}" for kind, n in s.get("failures", {}).items())


def _score(s: dict[str, Any]) -> str:
    score, interval = f"{s['successes']}/{s['episodes']}", f"{s['wilson_low']:.2f} to {s['wilson_high']:.2f}"
    return f"{score:>9} {interval:>13}"


def _decoded(summary: dict[str, Any], records: list[EpisodeRecord]) -> Iterator[str]:
    """The table of decoded goals, then every miss with what the model said."""
    yield f"{'suite':28} {'right':>9} {'95 %':>13} {'reaching':>9} {'refused':>8} {'seconds':>8}"
    for suite, s in summary.items():
        counts = f"{s['reaching']:>9} {s['refused']:>8}"
        yield f"{suite:28} {_score(s)} {counts} {s['median_language_seconds']:>8.1f}"
    missed = [r for r in records if not r.success]
    if missed:
        yield "\nmisses"
    for r in missed:
        reaching = " (a plan for it reaches the task's goal)" if r.reaches else ""
        yield f"  {r.suite}/{r.task_id} init {r.init_state}: {r.language}"
        yield f"    reply: {r.reply or 'none'}\n    {r.failure_reason}{reaching}"
