"""`tamp solve --backend xarm`: an instruction to an action plan, and the plan carried out on an arm."""

from __future__ import annotations

import time
from pathlib import Path

from cli.arm_run import summary
from cli.output import INTERRUPTED, emit_json, say
from cli.stopping import stoppable
from cli.view import viewed
from tamp import InputError
from tamp.api.arguments import RealArm
from tamp.quiet import quiet_stdout


def solve_arm(
    text: str | None,
    goal: str | None,
    llm: str,
    real: RealArm,
    out: Path | None,
    view: bool,
    json_output: bool,
) -> int:
    """The language model writes the plan, under the contract narrowed to the world; then it runs.

    What was asked and answered, and what was objected to it, is in the run's folder, for a refusal too.
    """
    from tamp.api import arm_plans, language
    from tamp.api.solving import Person

    if goal is not None or text is None:
        raise InputError("--goal is for simulated scenes: an arm is told in words, or by tamp xarm run PLAN.json")
    text, begun = language.instruction(text), time.perf_counter()
    person = Person(lambda line: say(f"tamp: {line}"), stops=stoppable)
    with quiet_stdout() as stdout:
        arm = arm_plans.loaded_arm(real.world, real.host, real.port, real.speed_scale)
        begin, model = arm_plans.begin_of(arm, real.dry_run), language.model(llm)
        folder = out or arm_plans.folder_for("solve")
        with viewed(folder, view):
            plan, result = arm_plans.solved(text, arm, model, folder, person, dry_run=real.dry_run, begin=begin)
        say(f"tamp: no: {result.reason}" if plan is None else summary(result, len(plan["steps"]), real.dry_run))
        if json_output:
            answer = {"success": result.success, "goal": text, "plan": plan, "steps": len(result.done)}
            answer |= {"stage": result.kind or None, "out": folder, "reason": result.reason or None}
            emit_json(answer | {"seconds": round(time.perf_counter() - begun, 3)}, stdout)
    return INTERRUPTED if result.kind == "stopped" else 0 if result.success else 1
