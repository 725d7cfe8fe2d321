"""What the worker does: one engine, one problem, every plan judged before it is told."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from tamp.errors import InputError
from tamp.planners.compiling import compiled, original, with_action_costs, with_metric, without_metric
from tamp.planners.engines import Aim, able, engine, help_for, lacking
from tamp.planners.exclusive import exclusive
from tamp.planners.subprocess_worker import Emit, Message
from tamp.plans.judges import judge_of, verdict_on
from tamp.plans.steps import PlanFile, Step
from tamp.plans.verdict import Verdict


def search(problem: Any, name: str, aim: Aim, seconds: float, count: int, emit: Emit) -> None:
    """Run an engine and emit a message of kind `plan` for each plan, and one of kind `end` or `unsupported`.

    An engine that can be told a time limit is told `seconds`. Raises whatever the engine raises.
    """
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for message in _messages(problem, name, aim, seconds, count):
            emit(message | {"seconds": round(time.perf_counter() - start, 3)})


def _messages(problem: Any, name: str, aim: Aim, seconds: float, count: int) -> Iterator[Message]:
    asked = with_action_costs(problem)
    ready, results = compiled(_measured(asked, name, aim), name)
    if features := lacking(name, ready):
        can = able(asked)
        yield {"kind": "unsupported", "features": features, "able": can, "help": "" if can else help_for(asked.kind)}
        return
    if exclusive(problem):
        yield {"kind": "end", "status": "UNSOLVABLE_PROVEN", "message": ""}
        return
    found, told = None, set()
    for found in _results(ready, name, aim, seconds, count):
        if found.plan is not None:
            message = plan_message(problem, original(found.plan, results))
            if str(message) not in told or aim == "top-k":
                yield message
            told.add(str(message))
    yield {"kind": "end", "status": found.status.name if found else "INTERNAL_ERROR", "message": _last_words(found)}


def _measured(problem: Any, name: str, aim: Aim) -> Any:
    """With a metric when better plans are asked for; else an engine that knows none need not hear of it."""
    if aim != "first":
        return with_metric(problem)
    metrics = [f for f in lacking(name, problem) if "ACTIONS_COST" in f or f == "PLAN_LENGTH"]
    return without_metric(problem) if metrics else problem


def _results(problem: Any, name: str, aim: Aim, seconds: float, count: int) -> Iterator[Any]:
    """unified-planning's results, the last of them final."""
    from unified_planning.shortcuts import AnytimePlanner, OneshotPlanner

    limit = {} if name.startswith("pyperplan") else {"timeout": seconds}  # which would only warn that it has none
    if aim in ("first", "optimal"):
        with OneshotPlanner(name=name) as planner:
            planner.skip_checks = True  # `lacking` knows better
            yield planner.solve(problem, **limit)
        return
    params = {"number_of_plans": count} if aim == "top-k" else {}
    with AnytimePlanner(name=name, params=params) as planner:
        planner.skip_checks = True
        for result in planner.get_solutions(problem, **limit):
            final = result.status.name != "INTERMEDIATE"
            if final and aim == "top-k":
                result.plan = None  # the last one again
            yield result


def plan_message(problem: Any, plan: Any) -> Message:
    """A message of kind `plan`, or `wrong plan` when it does not reach the goal."""
    from unified_planning.plans import PlanKind, TimeTriggeredPlan

    if isinstance(plan, TimeTriggeredPlan):
        timed = [(instance, start, lasts) for start, instance, lasts in plan.timed_actions]
        message = {"times": [(_number(start), None if lasts is None else _number(lasts)) for _, start, lasts in timed]}
    else:
        instances = plan.convert_to(PlanKind.SEQUENTIAL_PLAN, problem).actions
        timed, message = [(instance, None, None) for instance in instances], {}
    verdict = _verdict(problem, timed)
    if verdict and not verdict.valid:
        at = f"step {verdict.failed_at}" if verdict.failed_at else "the goal"
        return {"kind": "wrong plan", "message": f"{at} {verdict.message}"}
    cost = verdict and (verdict.cost if problem.quality_metrics or message else len(timed))
    return {"kind": "plan", "actions": [_words(a) for a, _, _ in timed], "cost": cost, **message}


def _verdict(problem: Any, timed: list[tuple[Any, Any, Any]]) -> Verdict | None:
    """What `tamp validate` says of actions with start and duration; None for what it cannot follow."""
    words = [(_words(action), start, lasts) for action, start, lasts in timed]
    steps = tuple(Step(name, tuple(args), None, None, start, lasts) for (name, *args), start, lasts in words)
    try:
        return verdict_on(PlanFile("plan", "timed", steps), judge_of(problem))
    except InputError:
        return None


def _words(action: Any) -> list[str]:
    return [action.action.name, *map(str, action.actual_parameters)]


def _number(value: Any) -> str:
    """With three digits after the point, and more where these are not all."""
    three = f"{float(value):.3f}"
    return three if Fraction(three) == value else f"{float(value):.9f}"


def _last_words(result: Any) -> str:
    """The last line that an engine wrote as an error, else the last one that it wrote."""
    logs = [log for log in (result and result.log_messages) or [] if log.message.strip()]
    logs.sort(key=lambda log: log.level.name == "ERROR")
    return logs[-1].message.strip().splitlines()[-1][:200] if logs else ""


def complete(name: str) -> bool:
    """Whether an engine has looked at all there is when it ends without a plan, though it does not say so."""
    return engine(name).__module__.partition(".")[0] in ("up_fast_downward", "up_symk", "up_pyperplan")
