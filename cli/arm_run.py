"""`tamp xarm run`: an action plan carried out on an arm, or only gone through."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cli.output import INTERRUPTED, emit_json, say
from cli.stopping import stoppable
from cli.view import viewed
from tamp.api import arm_plans
from tamp.backends.xarm.arm_result import STANDS, ArmResult
from tamp.backends.xarm.arm_steps import steps_of
from tamp.files.source import read
from tamp.quiet import quiet_stdout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from motion.poses import Array
    from tamp.backends.xarm.arm_steps import Step
    from tamp.backends.xarm.hand import HandEvent


def run_plan(
    plan: Path,
    world: Path | None,
    host: str | None,
    port: int,
    dry_run: bool,
    speed_scale: float,
    second_check: bool,
    dead_man: float | None,
    out: Path | None,
    json_output: bool,
    domain: str | None = None,
    problem: Path | None = None,
    view: bool = False,
) -> int:
    """0 when every step was done (or, with `dry_run`, could be), 1 when not, 2 for a plan or world that is wrong."""
    from tamp.api.solving import Person

    person = Person(_progress, stops=stoppable)
    with quiet_stdout() as stdout:
        arm = arm_plans.loaded_arm(world, host, port, speed_scale)
        plan = arm_plans.plan_file(plan)
        steps: Sequence[Step | HandEvent]
        action_plan = None
        if domain is None and problem is None:
            action_plan = arm_plans.plan_in(read(plan), arm, _progress)
            steps = steps_of(action_plan)
        else:
            judged = arm_plans.plan_of_domain(plan, domain, problem, arm)
            for note in judged.plan.notes:
                _progress(f"note: {judged.plan.name}: {note}")
            if not judged.verdict.valid:
                from cli.validate import lines_of

                why = "\n".join(lines_of(judged.plan, judged.verdict))
                refused = ArmResult(False, failed=judged.verdict.failed_at, kind="invalid", reason=why)
                _progress(f"no: {why}")
                if json_output:
                    emit_json({**asdict(refused), "dry_run": dry_run}, stdout)
                return 1
            steps = judged.steps
        begin = arm_plans.begin_of(arm, dry_run)
        out = out or arm_plans.folder_for(plan.stem)
        how = arm_plans.ArmRun(dry_run, action_plan, begin=begin, second_check=second_check, dead_man=dead_man)
        with viewed(out, view):
            result = arm_plans.run(arm, steps, out, person, how)
        say(summary(result, len(steps), dry_run))
        if json_output:
            degrees = _in_degrees(arm, begin) if dry_run else None
            emit_json({**asdict(result), "dry_run": dry_run, "begin": degrees}, stdout)
    if result.kind == "stopped":
        return INTERRUPTED
    return 0 if result.success else 1


def clear_error(world: Path | None, host: str | None, port: int) -> int:
    """Clear the error and the warning of an arm's controller. Nothing moves; the next run enables the arm.

    With a `host` no world is needed.
    """
    with quiet_stdout() as stdout:
        was = arm_plans.cleared(world, host, port)
        stdout.write(f"cleared: {was}\n" if was else "there was no error and no warning\n")
    return 0


def _in_degrees(arm: arm_plans.LoadedArm, begin: Array | None) -> list[float]:
    """The joints at which a dry run begins."""
    q = np.zeros(arm.world.arm.joints) if begin is None else begin
    return [round(float(v), 2) for v in np.rad2deg(q)]


def _progress(line: str) -> None:
    say(f"tamp: {line}")


def summary(result: ArmResult, steps: int, dry_run: bool) -> str:
    """A line for a person."""
    if result.success:
        rest = f"; {result.reason}" if result.reason else ""
        return f"tamp: {steps} step{'s' if steps != 1 else ''} {'can be done' if dry_run else 'done'}{rest}"
    state = "" if dry_run else f"; {STANDS[result.halted]}"
    return f"tamp: no ({result.kind}): {result.reason}{state}"
