"""`tamp solve --backend xarm`: an instruction to an action plan, and the plan carried out on an arm."""

from __future__ import annotations

import time
from pathlib import Path

from cli.output import INTERRUPTED, Output, note, say
from cli.stopping import stoppable
from cli.view import viewed
from tamp import InputError
from tamp.api.configs import SolveConfig


def solve_arm(config: SolveConfig, out: Output) -> int:
    """The language model writes the plan, under the contract narrowed to the world; then it runs.

    What was asked and answered, and what was objected to it, is in the run's folder, for a refusal too.
    """
    from tamp.api import arm_plans, language
    from tamp.api.solving import Person

    if config.goals or config.instruction is None:
        raise InputError("--goal is for simulated scenes: an arm is told in words, or by tamp xarm run PLAN.json")
    text, begun = language.instruction(config.instruction), time.perf_counter()
    arm = arm_plans.loaded_arm(config.world, config.host, config.port, config.speed_scale)
    begin, model = arm_plans.begin_of(arm, config.dry_run), language.model(config.llm)
    folder = arm_plans.folder_for("solve") if config.out is None else Path(config.out)
    with viewed(folder, config.view):
        person = Person(note, stops=stoppable)
        plan, result = arm_plans.solved(text, arm, model, folder, person, dry_run=config.dry_run, begin=begin)
    say(f"tamp: no: {result.reason}" if plan is None else arm_plans.summary(result, len(plan["steps"]), config.dry_run))
    answer = {"success": result.success, "goal": text, "plan": plan, "steps": len(result.done)}
    answer |= {"stage": result.kind or None, "out": folder, "reason": result.reason or None}
    out.answer(answer | {"seconds": round(time.perf_counter() - begun, 3)})
    return INTERRUPTED if result.kind == "stopped" else 0 if result.success else 1
