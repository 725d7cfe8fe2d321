"""`tamp solve`: an instruction or a goal to motion, and LIBERO's verdict."""

from __future__ import annotations

from cli.asking import settled
from cli.output import INTERRUPTED, Output, note, say
from cli.solve_report import report
from cli.stopping import stoppable
from cli.view import viewed
from tamp.api.configs import SolveConfig
from tamp.api.solving import Person, prepare
from tamp.errors import is_interrupt
from tamp.quiet import debugging


def solve(config: SolveConfig, out: Output) -> int:
    """Run one episode and print what it came to. 0 when what was asked for holds, by LIBERO's check where that is the
    scene's own task, else by an oracle of the goal. With neither words nor goals the scene's own are taken."""
    if config.simulator == "xarm" and config.body is None:
        from cli.arm_solve import solve_arm

        return solve_arm(config, out)
    episode = prepare(config, Person(note, settled, stoppable))
    note(str(episode))
    folder = episode.folder()
    try:
        with viewed(folder, config.view):
            result = episode(folder)
    except (KeyboardInterrupt, Exception) as error:
        if debugging() or not is_interrupt(error):
            raise
        note(f"interrupted; what was done is in {folder}")
        return INTERRUPTED
    if not out.json:
        report(result, out, episode.task.is_checked)
    else:
        if result.reason is not None:
            say(f"tamp: no: {result.reason}")
        out.emit(result.as_dict())
    if result.stage == "stopped":
        return INTERRUPTED
    return 0 if result.good else 1
