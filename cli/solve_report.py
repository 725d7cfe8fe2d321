"""What `tamp solve` prints of an episode: a label and its value a line."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, TextIO

from cli.output import Output

if TYPE_CHECKING:
    from tamp.runs.episode import Result


def report(result: Result, out: Output, has_task: bool) -> None:
    """The result for people: a label and its value a line. `has_task`: the scene has a task that LIBERO can check."""
    unasked = has_task and result.task is None
    lines = [
        ("verdict", f"{_verdict(result)} ({result.seen_by})"),
        *([("task", "LIBERO's check of the scene's own task was not asked for")] if unasked else []),
        *_goal_lines(result),
        *(("plan" if n == 0 else "", action) for n, action in enumerate(result.plan or [_no_plan(result)])),
        *_done_lines(result),
        ("seconds", ", ".join(f"{stage} {taken:.1f}" for stage, taken in result.seconds.items())),
        ("steps", _steps(result)),
        *_reason_lines(result),
        ("episode", result.out),
        *([] if result.good else [("see", f"tamp report {shlex.quote(str(result.out))} --html FILE")]),
    ]
    if out.stream is not None and out.stream.isatty():
        _coloured(lines, result.success, out.stream)
    else:
        out.print(f"{label:9}{value}" for label, value in lines)


def _verdict(result: Result) -> str:
    """In words: what was asked for, by LIBERO's check where it is the scene's own task."""
    if result.task is None:
        return f"{'success' if result.reached else 'no success'} by the oracle of the goal"
    kept = "" if not result.task else ", and it lasts" if result.lasting else ", but it does not last"
    return f"{'success' if result.task else 'no success'} by LIBERO's check{kept}"


def _no_plan(result: Result) -> str:
    """Why there is no plan to tell of, where that is good."""
    return "none: it was so already" if result.reached and not result.executed else "none"


def _done_lines(result: Result) -> list[tuple[str, str]]:
    """What was carried out, where that is not the plan that was made at first, or did not reach the goal."""
    if result.executed:
        planned = result.executed == result.plan[: len(result.executed)]
        shown = [] if result.good and planned else result.executed
    else:
        shown = ["none"] if result.plan and not result.good else []
    return [("done" if n == 0 else "", action) for n, action in enumerate(shown)]


def attempts(reason: str) -> list[str]:
    """A reason in parts: that it gave up, if it did, what followed an action that went wrong, and each plan that was
    tried, which begins with the action that no motion was found for."""
    return re.split(r"(?:; |(?<=tried:) )(?=\([a-z][^()]*\): |then [a-z]+: )", reason)


def _reason_lines(result: Result) -> list[tuple[str, str]]:
    """Why it came to nothing, a line an attempt."""
    if not result.reason:
        return []
    parts = attempts(result.reason)
    first, rest = f"{result.stage}: {parts[0]}", parts[1:]
    if result.stage == "refinement" and parts[0].startswith("("):
        first, rest = "refinement: no motion for", parts
    return [("reason", first), *(("", part) for part in rest)]


def _steps(result: Result) -> str:
    """The control steps that benchmarks count, and all: those of the actions add up to these."""
    if result.steps == result.total_steps:
        return str(result.steps)
    return f"{result.steps} to the last release or push, {result.total_steps} in all"


def _goal_lines(result: Result) -> list[tuple[str, str]]:
    goals = [result.goal or "none"] if not isinstance(result.goal, list) else result.goal
    return [
        *(("then" if n else "goal", goal) for n, goal in enumerate(goals)),
        *(("of these", alternative) for alternative in result.alternatives),
        *([("alone", ", ".join(result.untouched))] if result.untouched else []),
    ]


def _coloured(lines: list[tuple[str, str]], success: bool, stream: TextIO) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, soft_wrap=True)
    colours: dict[str, str] = {"verdict": "bold green" if success else "bold red", "reason": "yellow"}
    for label, value in lines:
        console.print(Text.assemble((f"{label:9}", "dim"), (value, colours.get(label, ""))))
