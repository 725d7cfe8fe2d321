"""`tamp solve`: an instruction or a goal to motion, and LIBERO's verdict."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TextIO

from cli.asking import settled
from cli.output import INTERRUPTED, emit_json, quiet_stdout, say
from cli.viewed import viewed
from tamp.api import arguments
from tamp.api.solving import Asked, Episode, Person, begun
from tamp.errors import is_interrupt
from tamp.quiet import debugging
from tamp.runs.labels import in_words

if TYPE_CHECKING:
    from tamp.backends.xarm.stopping import Stop
    from tamp.runs.episode import Result


def solve(asked: Asked, json_output: bool) -> int:
    """Run one episode and print what it came to. 0 when what was asked for holds, by LIBERO's check where that is the
    scene's own task, else by an oracle of the goal. With neither words nor goals the scene's own are taken."""
    if asked.backend == "xarm" and asked.body is None and asked.arms is None:
        from cli.arm_solve import solve_arm

        arguments.repaired(asked.repair, asked.backend)
        goal = asked.goals[0] if asked.goals else None
        return solve_arm(asked.text, goal, asked.llm, asked.arm, asked.out, asked.view, json_output)
    with quiet_stdout() as stdout:
        episode = begun(asked, Person(_progress, partial(settled, asks=True), partial(_stoppable, asked.arm.dead_man)))
        wanted = ", then ".join(episode.asked.goals) or repr(episode.asked.text)
        say(f"tamp: {wanted} in {episode.task.name} ({in_words(episode.label)}, seed {episode.settings.seed})")
        result = _run(episode)
        return result if isinstance(result, int) else _ended(result, json_output, stdout)


def _ended(result: Result, json_output: bool, stdout: TextIO) -> int:
    """The exit code of an episode, which is told."""
    if result.reason is not None:
        say(f"tamp: no: {result.reason}")
    if json_output:
        emit_json(result.as_dict(), stdout)
    else:
        report(result, stdout)
    if result.stage == "stopped":
        return INTERRUPTED
    return 0 if result.good else 1


@contextmanager
def _stoppable(dead_man: float | None, stop: Stop) -> Iterator[None]:
    """Ctrl-C, SIGTERM, and a dead man on standard input stop the arm."""
    from cli.arm_run import listen, stopped_by_signals

    with stopped_by_signals(stop):
        if dead_man is not None:
            threading.Thread(target=listen, args=(stop,), daemon=True).start()
        yield


def _run(episode: Episode) -> Result | int:
    """The episode's result, or the exit code of an interrupted one."""
    folder = episode.folder()
    try:
        with viewed(folder, episode.asked.view):
            return episode(folder)
    except (KeyboardInterrupt, Exception) as error:
        if debugging() or not is_interrupt(error):
            raise
        say(f"tamp: interrupted; what was done is in {folder}")
        return INTERRUPTED


def _progress(line: str) -> None:
    say(f"tamp: {line}")


def report(result: Result, out: TextIO) -> None:
    """The result for people: a label and its value a line."""
    lines = [
        ("verdict", f"{_verdict(result)} ({in_words(result.perception)})"),
        *([("task", "LIBERO's check of the scene's own task was not asked for")] if result.task is None else []),
        *_goal_lines(result),
        *(("plan" if n == 0 else "", action) for n, action in enumerate(result.plan or ["none"])),
        *_done_lines(result),
        *result.lines(),
        ("seconds", ", ".join(f"{stage} {taken:.1f}" for stage, taken in result.seconds.items())),
        ("steps", _steps(result)),
        *([("reason", f"{result.stage}: {result.reason}")] if result.reason else []),
        ("episode", result.out),
    ]
    if out.isatty():
        _coloured(lines, result.success, out)
    else:
        out.writelines(f"{label:9}{value}\n" for label, value in lines)


def _verdict(result: Result) -> str:
    """In words: what was asked for, by LIBERO's check where it is the scene's own task."""
    if result.task is None:
        return f"{'success' if result.reached else 'no success'} by the oracle of the goal"
    kept = "" if not result.task else ", and it lasts" if result.lasting else ", but it does not last"
    return f"{'success' if result.task else 'no success'} by LIBERO's check{kept}"


def _done_lines(result: Result) -> list[tuple[str, str]]:
    """What was carried out, where that is not the plan that was made at first."""
    other = result.executed and result.executed != result.plan[: len(result.executed)]
    return [("done" if n == 0 else "", action) for n, action in enumerate(result.executed if other else [])]


def _steps(result: Result) -> str:
    """The control steps that benchmarks count, and all: those told of the actions add up to these."""
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


def _coloured(lines: list[tuple[str, str]], success: bool, out: TextIO) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=out, highlight=False, soft_wrap=True)
    colours: dict[str, str] = {"verdict": "bold green" if success else "bold red", "reason": "yellow"}
    for label, value in lines:
        console.print(Text.assemble((f"{label:9}", "dim"), (value, colours.get(label, ""))))
