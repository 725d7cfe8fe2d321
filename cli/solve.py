"""`tamp solve`: an instruction or a goal to motion, and what it came to: a label and its value a line.

Its options are the fields of `SolveConfig` in `tamp/api/configs.py`.
"""

from __future__ import annotations

import re
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING

from cli.output import INTERRUPTED, Output, note, say
from cli.terminal import settled, stoppable
from cli.view import viewed
from tamp.api.configs import SolveConfig
from tamp.api.solving import Person, prepare
from tamp.errors import InputError, is_interrupt
from tamp.quiet import debugging

if TYPE_CHECKING:
    from tamp.runs.episode import Result


def solve(config: SolveConfig, out: Output) -> int:
    """Run one episode and print what it came to. 0 when what was asked for holds, by LIBERO's check where that is the
    scene's own task, else by an oracle of the goal. With neither words nor goals the scene's own are taken."""
    if config.simulator == "xarm" and config.body is None:
        return _solve_arm(config, out)
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


def _solve_arm(config: SolveConfig, out: Output) -> int:
    """The language model writes a plan for an arm, under the contract narrowed to the world; then it runs.

    What was asked and answered, and what was objected to it, is in the run's folder, for a refusal too.
    """
    from tamp.api import arm_plans, language

    if config.goals or config.instruction is None:
        raise InputError("--goal is for simulated scenes: an arm takes words, or tamp xarm run PLAN.json")
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


def report(result: Result, out: Output, has_task: bool) -> None:
    """The result for people: a label and its value a line. `has_task`: the scene has a task that LIBERO can check."""
    unasked = has_task and result.task is None
    goals = [result.goal or "none"] if not isinstance(result.goal, list) else result.goal
    no_plan = "none: it was so already" if result.reached and not result.executed else "none"
    steps = str(result.steps)
    if result.steps != result.total_steps:  # benchmarks count the first; those of the actions add up to the second
        steps = f"{result.steps} to the last release or push, {result.total_steps} in all"
    lines = [
        ("verdict", f"{_verdict(result)} ({result.seen_by})"),
        *([("task", "LIBERO's check of the scene's own task was not asked for")] if unasked else []),
        *(("then" if n else "goal", goal) for n, goal in enumerate(goals)),
        *(("of these", alternative) for alternative in result.alternatives),
        *([("alone", ", ".join(result.untouched))] if result.untouched else []),
        *(("plan" if n == 0 else "", action) for n, action in enumerate(result.plan or [no_plan])),
        *(("done" if n == 0 else "", action) for n, action in enumerate(_done(result))),
        ("seconds", ", ".join(f"{stage} {taken:.1f}" for stage, taken in result.seconds.items())),
        ("steps", steps),
        *_reason_lines(result),
        ("episode", result.out),
        *([] if result.good else [("see", f"tamp report {shlex.quote(str(result.out))} --html FILE")]),
    ]
    out.print(f"{label:9}{value}" for label, value in lines)


def _verdict(result: Result) -> str:
    """In words: what was asked for, by LIBERO's check where it is the scene's own task."""
    if result.task is None:
        return f"{'success' if result.reached else 'no success'} by the oracle of the goal"
    kept = "" if not result.task else ", and it lasts" if result.lasting else ", but it does not last"
    return f"{'success' if result.task else 'no success'} by LIBERO's check{kept}"


def _done(result: Result) -> list[str]:
    """What was carried out, where that is not the plan that was made at first, or did not reach the goal."""
    if result.executed:
        planned = result.executed == result.plan[: len(result.executed)]
        return [] if result.good and planned else result.executed
    return ["none"] if result.plan and not result.good else []


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
    basis = [("basis", result.certificate["text"])] if result.certificate else []
    return [("reason", first), *(("", part) for part in rest), *basis]
