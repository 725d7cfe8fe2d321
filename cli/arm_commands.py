"""`tamp xarm`: an action plan carried out on an arm, or only gone through; its error cleared; an arm emulated."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import tamp
from cli.output import INTERRUPTED, Output, note, say
from cli.terminal import stoppable
from cli.validate import lines_of
from cli.view import viewed
from tamp.api import arm_plans, emulating
from tamp.api.arm_configs import ClearConfig, EmulateConfig, RunPlanConfig
from tamp.api.solving import Person

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tamp.backends.xarm.arm_steps import Step
    from tamp.backends.xarm.hand import HandEvent


def run_plan(config: RunPlanConfig, out: Output) -> int:
    """0 when every step was done (or, with `dry_run`, could be), 1 when not, 2 for a plan or world that is wrong."""
    arm = arm_plans.loaded_arm(config.world, config.host, config.port, config.speed_scale)
    plan = arm_plans.plan_file(config.plan)
    steps: Sequence[Step | HandEvent]
    action_plan = None
    if config.domain is None and config.problem is None:
        action_plan = arm_plans.plan_in_file(plan, arm, note)
        steps = arm_plans.steps_of(action_plan)
    else:
        judged = arm_plans.plan_of_domain(plan, config.domain, config.problem, arm)
        for remark in judged.plan.notes:
            note(f"{judged.plan.name}: {remark}")
        if not judged.verdict.valid:
            why = "\n".join(lines_of(judged.plan, judged.verdict))
            refused = tamp.ArmResult(False, failed=judged.verdict.failed_at, kind="invalid", reason=why)
            note(f"no: {why}")
            out.answer({**asdict(refused), "dry_run": config.dry_run})
            return 1
        steps = judged.steps
    begin = arm_plans.begin_of(arm, config.dry_run)
    folder = arm_plans.folder_for(plan.stem) if config.out is None else Path(config.out)
    how = arm_plans.ArmRun(
        config.dry_run, action_plan, begin=begin, second_check=config.second_check, dead_man=config.dead_man
    )
    with viewed(folder, config.view):
        result = arm_plans.run(arm, steps, folder, Person(note, stops=stoppable), how)
    say(arm_plans.summary(result, len(steps), config.dry_run))
    degrees = None
    if config.dry_run:
        q = np.zeros(arm.world.arm.joints) if begin is None else begin
        degrees = [round(float(v), 2) for v in np.rad2deg(q)]
    out.answer({**asdict(result), "dry_run": config.dry_run, "begin": degrees})
    if result.kind == "stopped":
        return INTERRUPTED
    return 0 if result.success else 1


def clear_error(config: ClearConfig, out: Output) -> int:
    """Clear the error and the warning of an arm's controller. Nothing moves; the next run enables the arm.

    With a `host` no world is needed.
    """
    was = arm_plans.cleared(config.world, config.host, config.port)
    out.answer({"cleared": was or None}, [f"cleared: {was}" if was else "there was no error and no warning"])
    return 0


def emulate(config: EmulateConfig, out: Output) -> int:
    """Run the emulator; one line on standard output once it listens. Raises InputError."""

    def ready(at: emulating.Listens) -> None:
        where = f"control {at.port}, reports {', '.join(map(str, at.reports))}, faults {at.fault_port}"
        detector = f", detections at {at.detections}" if at.detections else ""
        about = {"model": config.model, "host": at.host, "port": at.port, "reports": list(at.reports)}
        about |= {"detections": at.detections, "fault_port": at.fault_port}
        out.answer(about, [f"{config.model} at {at.host}: {where}{detector}"])

    return emulating.emulate(config, ready)
