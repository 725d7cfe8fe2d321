"""Ask an engine for a plan in a process of its own, within a time limit that holds; every plan is judged."""

from __future__ import annotations

import time
import warnings
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tamp.errors import InputError
from tamp.model.atoms import GroundAction
from tamp.pddl.compiling import with_action_costs
from tamp.pddl.engines import able, help_for
from tamp.pddl.judges import judge_of, verdict_on
from tamp.pddl.plan_file import PlanFile, Step
from tamp.pddl.planner import (
    Plan,
    Planner,
    PlanResult,
    PlanStatus,
    last_words,
    prepared,
    result_of,
    status_of,
    words_of,
)
from tamp.pddl.subprocess_worker import Emit, Work, messages

_GRACE = 0.2
"""Seconds that an engine which keeps its own time limit has to hand in what it has; less of a short limit."""


@dataclass(frozen=True)
class Question:
    """What is asked of an engine.

    `seconds` is the time limit that messages give; `left`, by default all of it, is left for the search.
    """

    engine: str
    seconds: float = 60.0
    left: float | None = None

    @property
    def limit(self) -> float:
        """Seconds for the search."""
        return self.seconds if self.left is None else self.left


def ask(problem: Any, question: Question) -> PlanResult:
    """Search in a process of its own.

    Does not raise for what an engine does: it fails, it is late, or it does not support the problem.
    """

    def work(emit: Emit) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            emit({"kind": "end", "answer": _search(problem, question)})

    return _answered(work, question)


def ask_planner(problem: Any, planner: Planner, question: Question) -> PlanResult:
    """The same of a planner that is no engine. InputError when it cannot be asked."""

    def work(emit: Emit) -> None:
        answer = planner.solve(problem)
        plan = answer.plan and replace(answer.plan, cost=len(answer.plan.actions))
        emit({"kind": "end", "answer": replace(answer, plan=plan, engine=question.engine)})

    return _answered(work, question)


def _search(problem: Any, question: Question) -> PlanResult:
    """What became of a search. Raises whatever the engine raises."""
    start, name = time.perf_counter(), question.engine
    ready = prepared(problem, name)
    if ready.lacking:
        return _unsupported(problem, name, ready.lacking)
    own = max(question.limit - _GRACE, question.limit / 2)
    result = result_of(ready, name, own)
    status, plan = result.status.name, None
    if result.plan is not None:
        judged = judged_plan(problem, result.plan)
        if isinstance(judged, str):
            message = f"{name} answered with a plan that is not valid: {judged}"
            return PlanResult(PlanStatus.FAILED, None, 0.0, message, name)
        plan = replace(judged, seconds=round(time.perf_counter() - start, 3))
    elif status.startswith("SOLVED"):
        status = "INTERNAL_ERROR"
    became, message = status_of(name, status, last_words(result), question.seconds)
    if plan is not None and became is not PlanStatus.FOUND:
        became, message = PlanStatus.FOUND, f"the search ended early: {message}"
    optimal = status == "SOLVED_OPTIMALLY" and bool(ready.problem.quality_metrics)
    return PlanResult(became, plan, 0.0, message, name, optimal)


def _unsupported(problem: Any, name: str, features: tuple[str, ...]) -> PlanResult:
    asked = with_action_costs(problem)
    can = able(asked)
    others = f"{', '.join(can)} can" if can else f"no installed engine can{help_for(asked.kind)}"
    message = f"{name} does not support {', '.join(features)}; {others}"
    return PlanResult(
        PlanStatus.UNSUPPORTED, None, engine=name, seconds=0.0, message=message, features=features, able=can
    )


def judged_plan(problem: Any, plan: Any) -> Plan | str:
    """One of unified-planning's plans with its cost, or why it does not reach the goal."""
    from unified_planning.plans import PlanKind, TimeTriggeredPlan

    times: tuple[tuple[str, str | None], ...] = ()
    timed = isinstance(plan, TimeTriggeredPlan)
    if timed:
        actions = [instance for _, instance, _ in plan.timed_actions]
        times = tuple((_number(start), None if t is None else _number(t)) for start, _, t in plan.timed_actions)
        steps = [Step(*words_of(a), None, None, start, lasts) for start, a, lasts in plan.timed_actions]
    else:
        actions = plan.convert_to(PlanKind.SEQUENTIAL_PLAN, problem).actions
        steps = [Step(*words_of(a), None) for a in actions]
    try:
        verdict = verdict_on(PlanFile("plan", "timed", tuple(steps)), judge_of(problem))
    except InputError:  # what no judge follows
        verdict = None
    if verdict and not verdict.valid:
        at = f"step {verdict.failed_at}" if verdict.failed_at else "the goal"
        return f"{at} {verdict.message}"
    cost = None
    if verdict is not None:
        cost = verdict.cost if problem.quality_metrics or timed else len(steps)
    return Plan(tuple(GroundAction(*words_of(action)) for action in actions), cost, times=times)


def _number(value: Any) -> str:
    """With three digits after the point, and more where these are not all."""
    three = f"{float(value):.3f}"
    return three if Fraction(three) == value else f"{float(value):.9f}"


def _answered(work: Work, question: Question) -> PlanResult:
    start = time.perf_counter()
    with closing(messages(work, question.limit)) as received:
        last = next(received)
    seconds = time.perf_counter() - start
    if last["kind"] == "end":
        answer: PlanResult = last["answer"]
        return replace(answer, seconds=seconds)
    if last["kind"] == "late":
        message = f"no plan within {question.seconds:g} s"
        return PlanResult(PlanStatus.TIMEOUT, None, seconds, message, question.engine)
    if last.get("type") == "InputError":
        raise InputError(last["message"])
    message = f"{question.engine} failed: {last.get('message', 'it says nothing')}"
    return PlanResult(PlanStatus.FAILED, None, seconds, message, question.engine)
