"""`tamp solve --backend xarm`: an instruction to an action plan, and the plan carried out on an arm."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

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
    from tamp.api import arms, language
    from tamp.api.solving import Person

    if goal is not None or text is None:
        raise InputError("--goal is for simulated scenes: an arm is told in words, or by tamp xarm run PLAN.json")
    text, begun = language.instruction(text), time.perf_counter()
    person = Person(lambda line: say(f"tamp: {line}"), stops=stoppable)
    with quiet_stdout() as stdout:
        arm = arms.loaded_arm(real.world, real.host, real.port, real.speed_scale)
        begin, model = arms.begin_of(arm, real.dry_run), language.model(llm)
        answer: dict[str, Any] = {"success": False, "goal": text, "plan": None, "steps": 0, "stage": "goal"}
        folder = out or arms.folder_for("solve")
        answer |= {"out": folder}
        with viewed(folder, view):
            plan, verdict = arms.solved(text, arm, model, folder, person, dry_run=real.dry_run, begin=begin)
        if plan is None:
            say(f"tamp: no: {verdict.reason}")
            return _told(answer | {"reason": verdict.reason}, begun, json_output, stdout)
        say(summary(verdict, len(plan["steps"]), real.dry_run))
        answer |= {"success": verdict.success, "plan": plan, "steps": len(verdict.done)}
        answer |= {"stage": None if verdict.success else verdict.kind, "reason": verdict.reason or None}
        code = _told(answer, begun, json_output, stdout)
    return INTERRUPTED if verdict.kind == "stopped" else code


def _told(answer: dict[str, Any], begun: float, json_output: bool, stdout: Any) -> int:
    answer |= {"seconds": round(time.perf_counter() - begun, 3)}
    if json_output:
        emit_json(answer, stdout)
    return 0 if answer["success"] else 1
