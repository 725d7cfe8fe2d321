"""`tamp solve`: an instruction or a goal to motion, and LIBERO's verdict."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TextIO

from cli.asking import settled
from cli.output import INTERRUPTED, emit_json, say
from cli.stopping import stoppable
from cli.told import report
from cli.view import viewed
from tamp.api import arguments
from tamp.api.solving import Asked, Episode, Person, begun
from tamp.errors import is_interrupt
from tamp.quiet import debugging, quiet_stdout

if TYPE_CHECKING:
    from tamp.runs.episode import Result


def solve(asked: Asked, json_output: bool) -> int:
    """Run one episode and print what it came to. 0 when what was asked for holds, by LIBERO's check where that is the
    scene's own task, else by an oracle of the goal. With neither words nor goals the scene's own are taken."""
    if asked.backend == "xarm" and asked.body is None:
        from cli.arm_solve import solve_arm

        arguments.repaired(asked.repair, asked.backend)
        goal = asked.goals[0] if asked.goals else None
        return solve_arm(asked.text, goal, asked.llm, asked.arm, asked.out, asked.view, json_output)
    with quiet_stdout() as stdout:
        episode = begun(asked, Person(_progress, partial(settled, asks=True), stoppable))
        say(f"tamp: {episode}")
        result = _run(episode)
        return result if isinstance(result, int) else _ended(result, episode.task.is_checked, json_output, stdout)


def _ended(result: Result, has_task: bool, json_output: bool, stdout: TextIO) -> int:
    """The exit code of an episode, which is told."""
    if json_output:
        if result.reason is not None:
            say(f"tamp: no: {result.reason}")
        emit_json(result.as_dict(), stdout)
    else:
        report(result, stdout, has_task)
    if result.stage == "stopped":
        return INTERRUPTED
    return 0 if result.good else 1


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
