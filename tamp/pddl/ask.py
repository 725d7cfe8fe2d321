"""Ask an engine for plans in a process of its own, within a time limit that holds; every plan is judged."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tamp.errors import InputError
from tamp.model.atoms import GroundAction
from tamp.pddl.compiling import with_action_costs
from tamp.pddl.engines import Aim, able, help_for, lacking
from tamp.pddl.judges import judge_of, verdict_on
from tamp.pddl.plan_file import PlanFile, Step
from tamp.pddl.planner import Planner, PlanStatus, last_words, prepared, results, status_of, words_of
from tamp.pddl.subprocess_worker import Emit, Message, Work, messages

if TYPE_CHECKING:
    from tamp.pddl.unsolvable import Why

_GRACE = 0.2
"""Seconds that an engine which keeps its own time limit has to hand in what it has; less of a short limit."""


@dataclass(frozen=True)
class FoundPlan:
    """Ground actions in order, what they cost and when, in seconds from the start, they were found.

    `cost` is the value of the problem's metric, the number of steps where there is none, and None where it cannot be
    evaluated. `times` has start and duration of each step, in the problem's unit, empty for a plan without times.
    """

    actions: tuple[GroundAction, ...]
    cost: float | None
    seconds: float = 0.0
    times: tuple[tuple[str, str | None], ...] = ()

    @property
    def steps(self) -> list[str]:
        """A step a line."""
        if not self.times:
            return [str(a) for a in self.actions]
        timed = zip(self.actions, self.times, strict=True)
        return [f"{start}: {a}{'' if lasts is None else f' [{lasts}]'}" for a, (start, lasts) in timed]

    def __str__(self) -> str:
        return "".join(f"{step}\n" for step in self.steps)


@dataclass(frozen=True)
class Answer:
    """`plans` are the best first; `message` says what became of it, also of a search that was ended with plans in
    hand. `features` are those of the problem that the engine cannot handle, `able` the installed engines that can.
    """

    status: PlanStatus
    engine: str
    seconds: float
    plans: tuple[FoundPlan, ...] = ()
    message: str = ""
    optimal: bool = False
    features: tuple[str, ...] = ()
    able: tuple[str, ...] = ()
    why: Why | None = None


Told = Callable[[FoundPlan], None]


@dataclass(frozen=True)
class Question:
    """What is asked of an engine, `count` plans where the aim is the k best.

    `seconds` is the time limit that is spoken of; `left`, by default all of it, is left for the search. `invariants`
    is for Fast Downward, see `tamp.pddl.planner.results`.
    """

    engine: str
    aim: Aim = "first"
    seconds: float = 60.0
    count: int = 1
    left: float | None = None
    invariants: bool = True

    @property
    def limit(self) -> float:
        """Seconds for the search."""
        return self.seconds if self.left is None else self.left


def ask(problem: Any, question: Question, told: Told = lambda plan: None) -> Answer:
    """Search in a process of its own. Each plan goes to `told` when it comes; the answer has the best of them first.

    Does not raise for what an engine does: it fails, it is late, or it does not support the problem.
    """

    def work(emit: Emit) -> None:
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for message in _search(problem, question, start):
                emit(message)

    return _asked(work, question, told)


def ask_planner(problem: Any, planner: Planner, question: Question) -> Answer:
    """The same of a planner that is no engine. InputError when it cannot be asked."""

    def work(emit: Emit) -> None:
        result = planner.solve(problem)
        if result.plan is not None:
            actions = result.plan.actions
            emit({"kind": "plan", "plan": FoundPlan(actions, len(actions), result.seconds)})
        emit({"kind": "end", "status": result.status, "message": result.message})

    return _asked(work, question, lambda plan: None)


def _search(problem: Any, question: Question, start: float) -> Iterator[Message]:
    """A message of kind `plan` for each plan, or of kind `wrong plan`, and one of kind `end` or `unsupported`. Raises
    whatever the engine raises."""
    name, aim = question.engine, question.aim
    ready, compilations = prepared(problem, name, aim)
    if features := lacking(name, ready):
        asked = with_action_costs(problem)
        can = able(asked)
        yield {"kind": "unsupported", "features": features, "able": can, "help": "" if can else help_for(asked.kind)}
        return
    result, told = None, set[Any]()
    own = max(question.limit - _GRACE, question.limit / 2)
    for result in results(ready, compilations, name, aim, own, question.count, question.invariants):
        if result.plan is not None:
            found = judged_plan(problem, result.plan)
            if isinstance(found, str):
                yield {"kind": "wrong plan", "message": found}
            elif found not in told or aim == "top-k":
                yield {"kind": "plan", "plan": replace(found, seconds=round(time.perf_counter() - start, 3))}
            told.add(found)
    status, words = ("INTERNAL_ERROR", "") if result is None else (result.status.name, last_words(result))
    became, message_of_it = status_of(name, status, words, question.seconds)
    yield {"kind": "end", "status": became, "message": message_of_it, "optimal": status == "SOLVED_OPTIMALLY"}


def judged_plan(problem: Any, plan: Any) -> FoundPlan | str:
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
    return FoundPlan(tuple(GroundAction(*words_of(action)) for action in actions), cost, times=times)


def _number(value: Any) -> str:
    """With three digits after the point, and more where these are not all."""
    three = f"{float(value):.3f}"
    return three if Fraction(three) == value else f"{float(value):.9f}"


def _asked(work: Work, question: Question, told: Told) -> Answer:
    start = time.perf_counter()
    plans: list[FoundPlan] = []
    last: Message = {"kind": "late"}
    with closing(messages(work, question.limit)) as said:
        for message in said:
            if message["kind"] == "plan":
                plans.append(message["plan"])
                told(plans[-1])
                continue
            last = message
            if last["kind"] in ("end", "unsupported", "wrong plan"):
                break
    answer = _answer(question, last)
    if plans:
        answer = _with_plans(question, answer, plans, bool(last.get("optimal")))
    elif answer.status is PlanStatus.FOUND:
        answer = replace(answer, status=PlanStatus.FAILED, message=f"{question.engine} failed: it says nothing")
    return replace(answer, seconds=time.perf_counter() - start)


def _answer(question: Question, last: Message) -> Answer:
    """What the last message means, whether or not there are plans."""
    name = question.engine
    if last["kind"] == "late":
        return Answer(PlanStatus.TIMEOUT, name, 0.0, message=f"no plan within {question.seconds:g} s")
    if last["kind"] == "unsupported":
        others = f"; {', '.join(last['able'])} can" if last["able"] else f"; no installed engine can{last['help']}"
        message = f"{name} does not support {', '.join(last['features'])}{others}"
        features, can = tuple(last["features"]), tuple(last["able"])
        return Answer(PlanStatus.UNSUPPORTED, name, 0.0, message=message, features=features, able=can)
    if last["kind"] == "wrong plan":
        message = f"{name} answered with a plan that is not valid: {last['message']}"
        return Answer(PlanStatus.FAILED, name, 0.0, message=message)
    if last["kind"] == "end":
        return Answer(last["status"], name, 0.0, message=last["message"])
    if last.get("type") == "InputError":
        raise InputError(last["message"])
    message = f"{name} failed: {last.get('message', 'it says nothing')}"
    return Answer(PlanStatus.FAILED, name, 0.0, message=message)


def _with_plans(question: Question, end: Answer, plans: list[FoundPlan], proven: bool) -> Answer:
    """The best plans; `end` is what became of the search after the last of them."""
    best = _best_first(plans, question)
    few = question.aim == "top-k" and len(best) < question.count
    if end.status is PlanStatus.TIMEOUT:
        message = f"ended after {question.seconds:g} s: there may be {'more' if few else 'better ones'}"
    elif end.status in (PlanStatus.FOUND, PlanStatus.UNSOLVABLE):
        message = "there are no more" if few else ""
    else:
        message = f"the search ended early: {end.message}"
    # The engine for the k best comes upon them in order, so that the first is the best whenever it is ended.
    optimal = proven or (question.aim == "top-k" and best[0] == plans[0])
    return replace(end, status=PlanStatus.FOUND, plans=best, message=message, optimal=optimal)


def _best_first(plans: list[FoundPlan], question: Question) -> tuple[FoundPlan, ...]:
    """One plan, or as many as were asked for. Among those as cheap the shortest, then the first that came."""
    ordered = sorted(plans, key=lambda p: (float("inf") if p.cost is None else p.cost, len(p.actions)))
    return tuple(ordered[: question.count] if question.aim == "top-k" else ordered[:1])
