"""`tamp solve --backend xarm`: an instruction to an action plan, and the plan carried out on an arm."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from cli.arm_run import RUNS, arm_and_begin, carry_out, read_world, slower, summary
from cli.output import INTERRUPTED, emit_json, say
from cli.viewed import viewed
from tamp.api.arguments import RealArm
from tamp.backends.xarm.address import CONTROL_PORT
from tamp.errors import InputError, Refusal
from tamp.quiet import quiet_stdout


def solve_arm(
    text: str | None,
    goal: str | None,
    llm: str,
    arm: RealArm,
    out: Path | None,
    view: bool,
    json_output: bool,
) -> int:
    """The language model writes the plan, under the contract narrowed to the world; then it runs.

    What was asked and answered, and what was objected to it, is in the run's folder, for a refusal too.
    """
    from llm.arm_plan import write_plan
    from llm.logged import Logged
    from tamp.api.language import instruction
    from tamp.api.language import model as load_model
    from tamp.backends.xarm.contract_world import breaches_in
    from tamp.backends.xarm.steps import steps_of
    from tamp.runs.episode_log import EpisodeLog, new_folder

    if goal is not None or text is None:
        raise InputError("--goal is for simulated scenes: an arm is told in words, or by tamp xarm run PLAN.json")
    text, begun = instruction(text), time.perf_counter()
    with quiet_stdout() as stdout:
        cell, port = slower(read_world(arm.world), arm.speed_scale or 1.0), arm.port or CONTROL_PORT
        (address, begin), model = arm_and_begin(cell, arm.host, port, arm.dry_run), load_model(llm)
        answer: dict[str, Any] = {"success": False, "goal": text, "plan": None, "steps": 0, "stage": "goal"}
        with EpisodeLog(out or new_folder(RUNS, "xarm-solve")) as log, viewed(log.folder, view):
            answer |= {"out": log.folder}
            log.event("instruction", text=text)
            try:
                plan = write_plan(text, list(cell.poses), cell.labels, Logged(model, log.event), log.event)
                if wrong := breaches_in(plan, cell):
                    raise Refusal(f"the plan cannot be run in {cell.name}: {wrong[0]}", "infeasible")
            except Refusal as e:
                log.event("refused", error=e.kind, message=str(e))
                say(f"tamp: no: {e}")
                return _told(answer | {"reason": str(e)}, begun, json_output, stdout)
            for step in plan["steps"]:
                say(f"tamp: {json.dumps(step)}")
            steps = steps_of(plan)
            verdict, _ = carry_out(steps, cell, address, "solve", port=port, begin=begin, goal=text, log=log)
        say(summary(verdict, len(steps), arm.dry_run))
        answer |= {"success": verdict.success, "plan": plan, "steps": len(verdict.done)}
        answer |= {"stage": None if verdict.success else verdict.kind, "reason": verdict.reason or None}
        code = _told(answer, begun, json_output, stdout)
    return INTERRUPTED if verdict.kind == "stopped" else code


def _told(answer: dict[str, Any], begun: float, json_output: bool, stdout: Any) -> int:
    answer |= {"seconds": round(time.perf_counter() - begun, 3)}
    if json_output:
        emit_json(answer, stdout)
    return 0 if answer["success"] else 1
