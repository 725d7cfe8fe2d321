"""One question to an engine, answered within the time limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from tamp.errors import InputError
from tamp.model.atoms import GroundAction
from tamp.planners.answer import Answer, FoundPlan
from tamp.planners.engines import Aim
from tamp.planners.subprocess_worker import Emit, Message, Work, messages
from tamp.planners.work import complete, search
from tamp.planning.engine import NO_PLAN, Planner, PlanStatus

_GRACE = 0.2
"""Seconds that an engine which keeps its own time limit has to hand in what it has; less of a short limit."""

Told = Callable[[FoundPlan], None]


@dataclass(frozen=True)
class Question:
    """What is asked of an engine, `count` plans where the aim is the k best.

    `seconds` is the time limit that is spoken of; `left`, by default all of it, is left for the search.
    """

    engine: str
    aim: Aim = "first"
    seconds: float = 60.0
    count: int = 1
    left: float | None = None

    @property
    def limit(self) -> float:
        """Seconds for the search."""
        return self.seconds if self.left is None else self.left


def ask(problem: Any, question: Question, told: Told = lambda plan: None) -> Answer:
    """Search in a process of its own. Each plan goes to `told` when it comes; the answer has the best of them first.

    Does not raise for what an engine does: it fails, it is late, or it does not support the problem.
    """

    def work(emit: Emit) -> None:
        own = max(question.limit - _GRACE, question.limit / 2)
        search(problem, question.engine, question.aim, own, question.count, emit)

    return _asked(work, question, told)


def ask_planner(problem: Any, planner: Planner, question: Question) -> Answer:
    """The same of a planner that is no engine. InputError when it cannot be asked."""

    def work(emit: Emit) -> None:
        result = planner.solve(problem)
        if result.plan is None:
            emit({"kind": "end", "status": result.status.name, "message": result.message})
        else:
            actions = [[a.name, *a.args] for a in result.plan.actions]
            emit({"kind": "plan", "actions": actions, "cost": len(actions), "seconds": result.seconds})
            emit({"kind": "end", "status": "SOLVED_SATISFICING", "message": ""})

    return _asked(work, question, lambda plan: None)


def _asked(work: Work, question: Question, told: Told) -> Answer:
    start = time.perf_counter()
    plans: list[FoundPlan] = []
    last: Message = {"kind": "late"}
    with closing(messages(work, question.limit)) as said:
        for message in said:
            if message["kind"] == "plan":
                plans.append(_plan(message))
                told(plans[-1])
                continue
            last = message
            if last["kind"] in ("end", "unsupported", "wrong plan"):
                break
    answer = _with_plans(question, last, plans) if plans else _answer(question, last)
    return replace(answer, seconds=time.perf_counter() - start)


def _with_plans(question: Question, last: Message, plans: list[FoundPlan]) -> Answer:
    best, status = _best_first(plans, question), last.get("status", "")
    late = last["kind"] == "late" or status == "TIMEOUT"
    few = question.aim == "top-k" and len(best) < question.count
    if late:
        message = f"ended after {question.seconds:g} s: there may be {'more' if few else 'better ones'}"
    elif last["kind"] != "end":
        message = f"the search ended early: {_answer(question, last).message}"
    else:
        message = "there are no more" if few else ""
    # The engine for the k best comes upon them in order, so that the first is the best whenever it is ended.
    proven = status == "SOLVED_OPTIMALLY" or (question.aim == "top-k" and best[0] == plans[0])
    return Answer(PlanStatus.FOUND, question.engine, 0.0, best, message, proven)


def _plan(message: Message) -> FoundPlan:
    actions = tuple(GroundAction(name, tuple(args)) for name, *args in message["actions"])
    times = tuple((start, lasts) for start, lasts in message.get("times", ()))
    return FoundPlan(actions, message["cost"], message["seconds"], times)


def _best_first(plans: list[FoundPlan], question: Question) -> tuple[FoundPlan, ...]:
    """One plan, or as many as were asked for. Among those as cheap the shortest, then the first that came."""
    ordered = sorted(plans, key=lambda p: (float("inf") if p.cost is None else p.cost, len(p.actions)))
    return tuple(ordered[: question.count] if question.aim == "top-k" else ordered[:1])


def _answer(question: Question, last: Message) -> Answer:
    """What the last message means, without plans."""
    name = question.engine
    if last["kind"] == "late":
        return _no(name, PlanStatus.TIMEOUT, f"no plan within {question.seconds:g} s")
    if last["kind"] == "unsupported":
        others = f"; {', '.join(last['able'])} can" if last["able"] else f"; no installed engine can{last['help']}"
        message = f"{name} does not support {', '.join(last['features'])}{others}"
        no = _no(name, PlanStatus.UNSUPPORTED, message)
        return replace(no, features=tuple(last["features"]), able=tuple(last["able"]))
    if last["kind"] == "wrong plan":
        return _no(name, PlanStatus.FAILED, f"{name} answered with a plan that is not valid: {last['message']}")
    if last["kind"] == "end":
        return _ended(question, last["status"], last["message"])
    if last.get("type") == "InputError":
        raise InputError(last["message"])
    return _no(name, PlanStatus.FAILED, f"{name} failed: {last.get('message', 'it says nothing')}")


def _ended(question: Question, status: str, words: str) -> Answer:
    name = question.engine
    if status == "UNSOLVABLE_INCOMPLETELY":
        status = "UNSOLVABLE" if complete(name) else "GAVE_UP"
        words = words if complete(name) else f"{name} found no plan, which proves nothing"
    if status in ("UNSOLVABLE", "UNSOLVABLE_PROVEN"):
        return _no(name, PlanStatus.UNSOLVABLE, NO_PLAN)
    if status == "TIMEOUT":
        return _no(name, PlanStatus.TIMEOUT, f"no plan within {question.seconds:g} s")
    if status == "MEMOUT":
        return _no(name, PlanStatus.GAVE_UP, f"{name} ran out of memory")
    if status == "GAVE_UP":
        return _no(name, PlanStatus.GAVE_UP, words)
    if status == "UNSUPPORTED_PROBLEM":
        return _no(name, PlanStatus.UNSUPPORTED, f"{name} does not support the problem{': ' if words else ''}{words}")
    return _no(name, PlanStatus.FAILED, f"{name} failed: {words or 'it says nothing'}")


def _no(name: str, status: PlanStatus, message: str) -> Answer:
    return Answer(status, name, 0.0, message=message)
