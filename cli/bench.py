"""`tamp bench`: episodes of LIBERO's suites, scored; an interrupted run goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

from cli.output import INTERRUPTED, emit_json, progress, say
from tamp.api.bench import Bench, Request, begun
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from tamp.runs.bench.records import Record


def bench(asked: Request, json_output: bool) -> int:
    """Run what is not in the results yet and print the summary.

    1 when a suite stays below `min_success`, or the run is significantly worse than the baseline.
    """
    with quiet_stdout() as stdout:
        run = begun(asked)
        say(f"tamp: results go to {run.folder}")
        interrupted = run.run(progress, lambda line: say(f"tamp: {line}"))
        summary = run.summary()
        if interrupted:
            say("tamp: interrupted; the same command with the same --out goes on")
            return INTERRUPTED
        if json_output:
            emit_json(summary, stdout)
        else:
            _decoded(summary, run.records, stdout) if asked.stage == "goal" else _table(summary, stdout)
    return _verdict(run, summary)


def _verdict(run: Bench, summary: dict[str, Any]) -> int:
    low, comparison = run.too_low(summary), run.comparison()
    if low:
        say(f"tamp: below --min-success {run.asked.min_success:g}: {', '.join(low)}")
    if comparison is None:
        return 1 if low else 0
    say(f"tamp: against {run.asked.baseline}: {comparison}")
    for k in comparison.lost:
        say(f"tamp: lost {k.suite}/{k.task_id} init {k.init_state}")
    return 1 if low or comparison.regressed else 0


def _table(summary: dict[str, Any], out: TextIO) -> None:
    out.write(f"{'suite':28} {'success':>9} {'95 %':>13} {'steps':>6} {'planning s':>10} {'per min':>8}\n")
    for suite, s in summary.items():
        interval = f"{s['wilson_low']:.2f} to {s['wilson_high']:.2f}"
        steps = "-" if s["mean_steps"] is None else f"{s['mean_steps']:.0f}"
        rate = "-" if s["episodes_per_minute"] is None else f"{s['episodes_per_minute']:.1f}"
        score = f"{s['successes']}/{s['episodes']}"
        planning = f"{s['median_planning_seconds']:.1f}"
        out.write(f"{suite:28} {score:>9} {interval:>13} {steps:>6} {planning:>10} {rate:>8}\n")


def _decoded(summary: dict[str, Any], records: list[Record], out: TextIO) -> None:
    """The table of decoded goals, then every miss with what the model said."""
    out.write(f"{'suite':28} {'right':>9} {'95 %':>13} {'reaching':>9} {'refused':>8} {'seconds':>8}\n")
    for suite, s in summary.items():
        interval = f"{s['wilson_low']:.2f} to {s['wilson_high']:.2f}"
        counts = f"{s['reaching']:>9} {s['refused']:>8}"
        right = f"{s['successes']}/{s['episodes']}"
        out.write(f"{suite:28} {right:>9} {interval:>13} {counts} {s['median_language_seconds']:>8.1f}\n")
    missed = [r for r in records if not r["success"]]
    if missed:
        out.write("\nmisses\n")
    for r in missed:
        reaching = " (a plan for it reaches the task's goal)" if r["reaches"] else ""
        out.write(f"  {r['suite']}/{r['task_id']} init {r['init_state']}: {r['language']}\n")
        out.write(f"    reply: {r['reply'] or 'none'}\n    {r['failure_reason']}{reaching}\n")
