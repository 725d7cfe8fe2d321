"""Ask an engine of unified-planning, by default Fast Downward, for plans of its own Problem, in this process."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from tamp.errors import InputError
from tamp.model.atoms import GroundAction
from tamp.pddl.compiling import compiled, original, settled, with_action_costs, without_metric
from tamp.pddl.engines import check, engine, installed, lacking, proves_best, usual
from tamp.pddl.fast_downward import WORKED, ProblemFiles, Structure
from tamp.pddl.reading import reason
from tamp.pddl.simulation import Simulator

if TYPE_CHECKING:
    from tamp.pddl.unsolvable import Why

_FAST = "fast-downward"
KEPT = 8
"""Problems that are kept as compiled, for others that differ from them in facts."""
NO_PLAN = "no sequence of the domain's operators reaches the goal"
"""The message for a problem that is proven to have no plan."""


class PlanStatus(Enum):
    """What became of a planning problem. A planner that gave up proved nothing: there may be a plan.

    Nor did one that does not support the problem's features, or that failed: crashed, or answered with rubbish.
    """

    FOUND = "found"
    UNSOLVABLE = "unsolvable"
    TIMEOUT = "timeout"
    INVALID = "invalid"
    GAVE_UP = "gave up"
    UNSUPPORTED = "unsupported"
    FAILED = "failed"


@dataclass(frozen=True)
class Plan:
    """Ground actions in order; as far as that is known what they cost, and in how many seconds they were found.

    `cost` is the value of the problem's metric, the number of steps where there is none. `times` has start and duration
    of each step, in the problem's unit, empty for a plan without times.
    """

    actions: tuple[GroundAction, ...]
    cost: float | None = None
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
class PlanResult:
    """Status, the plan when found, seconds taken, and what became of the search, also of one that was ended with a plan
    in hand. `features` are those of the problem that the engine cannot handle, `able` the installed engines that can;
    `why` explains that there is no plan; `worked` are the seconds that another process had of the processor."""

    status: PlanStatus
    plan: Plan | None
    seconds: float
    message: str = ""
    engine: str = ""
    optimal: bool = False
    features: tuple[str, ...] = ()
    able: tuple[str, ...] = ()
    why: Why | None = None
    worked: float = 0.0


Tell = Callable[..., None]
"""Takes an event as `EpisodeLog.event` does: its kind, and what it holds by keyword."""


def unlogged(kind: str, **data: Any) -> None:
    """For those who keep no log."""


class Planner(Protocol):
    """Finds plans. Read-only, so that one serves any number of episodes."""

    @property
    def name(self) -> str:
        """What it is called in the log."""
        ...

    @property
    def ties_by_name(self) -> bool:
        """Whether the objects' names decide which of several plans it finds, see `tamp.planning.tie_breaking`."""
        ...

    @property
    def timed(self) -> bool:
        """Whether it keeps to a time limit; the time that it takes is then a part of the decision's."""
        ...

    def solve(self, problem: Any, tell: Tell = unlogged, seconds: float = math.inf) -> PlanResult:
        """Plan for unified-planning's own Problem, in so many seconds if it is timed. What is worth keeping goes to
        `tell` on the way.

        InputError when it cannot be asked at all.
        """
        ...


@dataclass(frozen=True)
class Engine:
    """An engine of unified-planning, by its name; `timeout` in seconds."""

    name: str = field(default_factory=usual)
    timeout: float = 60.0
    ties_by_name: bool = True
    timed: bool = True

    def solve(self, problem: Any, tell: Tell = unlogged, seconds: float = math.inf) -> PlanResult:
        """Plan; raises InputError for an engine that is not there."""
        return solve_problem(problem, self.name, timeout=min(self.timeout, seconds))


def solve_problem(problem: Any, planner: str = "fast-downward", *, timeout: float = 60.0) -> PlanResult:
    """Plan for unified-planning's own Problem; raises InputError for an engine that is not there."""
    from unified_planning.exceptions import UPException

    if not installed(planner):
        check(planner)
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ready = prepared(problem, planner)
            if ready.lacking:
                raise InputError(f"planner {planner!r} does not support {', '.join(ready.lacking)}")
            result = result_of(ready, planner, timeout)
    except UPException as e:
        raise InputError(f"planner {planner!r}: {reason(e)}") from e
    plan = None
    if result.plan is not None:
        actions = result.plan.actions
        if len({str(a) for a in actions}) < len(actions):  # a quick search may do things twice
            actions = Simulator.of(problem).without_superfluous(actions)
        plan = Plan(tuple(GroundAction(*words_of(action)) for action in actions))
    ended = result.status.name if plan is not None or not result.status.name.startswith("SOLVED") else "INTERNAL_ERROR"
    status, message = status_of(planner, ended, last_words(result), timeout)
    worked = float((result.metrics or {}).get(WORKED, 0.0))
    return PlanResult(status, plan, time.perf_counter() - start, message, worked=worked)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A problem as an engine takes it, with what maps its plans back, and the features of it that the engine cannot
    handle; `facts` hold at first in place of its own, if there are any."""

    problem: Any
    compilations: list[Any]
    lacking: tuple[str, ...]
    written: ProblemFiles
    facts: list[Any] | None = None


def prepared(problem: Any, name: str) -> Prepared:
    """A problem as an engine takes it: without a metric that the engine does not support; where it has none, an engine
    that proves its plans to be the best minimizes their length. For Fast Downward once for all that differ in facts."""
    structure = Structure.of(problem) if name == _FAST else None
    if structure is None:
        return _prepared(problem, name)
    ready = _prepared_once(structure)
    if ready.problem.fluents != problem.fluents:  # what is true where a fact is not
        return _prepared(problem, name)
    return replace(ready, facts=[atom for atom, value in problem.explicit_initial_values.items() if value.is_true()])


@lru_cache(maxsize=KEPT)
def _prepared_once(structure: Structure) -> Prepared:
    return _prepared(structure.problem, _FAST)


def _prepared(problem: Any, name: str) -> Prepared:
    problem = with_action_costs(problem)
    if problem.quality_metrics and any("ACTIONS_COST" in f or f == "PLAN_LENGTH" for f in lacking(name, problem)):
        problem = without_metric(problem)
    elif not problem.quality_metrics and proves_best(name):
        from unified_planning.shortcuts import MinimizeSequentialPlanLength

        problem = problem.clone()
        problem.add_quality_metric(MinimizeSequentialPlanLength())
    ready, compilations = compiled(problem, name)
    ready = settled(ready)
    return Prepared(ready, compilations, lacking(name, ready), ProblemFiles(ready))


def result_of(ready: Prepared, name: str, seconds: float = 60.0) -> Any:
    """unified-planning's result for a problem that is `prepared`, with a plan for the one it was made from. An engine
    that takes a time limit gets `seconds`."""
    if name == _FAST:
        result = ready.written.solve(ready.facts, seconds)
    else:
        from unified_planning.shortcuts import OneshotPlanner

        limit = {} if name.startswith("pyperplan") else {"timeout": seconds}  # which would only warn that it has none
        with OneshotPlanner(name=name) as planner:
            planner.skip_checks = True  # `lacking` knows better
            result = planner.solve(ready.problem, **limit)
    if result.plan is not None:
        result.plan = original(result.plan, ready.compilations)
    return result


def words_of(action: Any) -> tuple[str, tuple[str, ...]]:
    """The name and the arguments of an ActionInstance."""
    return action.action.name, tuple(map(str, action.actual_parameters))


def last_words(result: Any) -> str:
    """The last line that an engine wrote as an error, else the last one that it wrote."""
    logs = [log for log in result.log_messages or [] if log.message.strip()]
    logs.sort(key=lambda log: log.level.name == "ERROR")
    return logs[-1].message.strip().splitlines()[-1][:200] if logs else ""


def status_of(name: str, status: str, words: str, seconds: float) -> tuple[PlanStatus, str]:
    """What unified-planning's status of an engine means, and the message for people; `words` are the engine's last."""
    failed = PlanStatus.FAILED, f"{name} failed: {words or 'it says nothing'}"
    proven = status == "UNSOLVABLE_PROVEN" or _is_complete(name)
    gave_up = PlanStatus.GAVE_UP, f"{name} found no plan, which proves nothing"
    return {
        "SOLVED_SATISFICING": (PlanStatus.FOUND, ""),
        "SOLVED_OPTIMALLY": (PlanStatus.FOUND, ""),
        "UNSOLVABLE_PROVEN": (PlanStatus.UNSOLVABLE, NO_PLAN),
        "UNSOLVABLE_INCOMPLETELY": (PlanStatus.UNSOLVABLE, NO_PLAN) if proven else gave_up,
        "TIMEOUT": (PlanStatus.TIMEOUT, f"no plan within {seconds:g} s"),
        "MEMOUT": (PlanStatus.GAVE_UP, f"{name} ran out of memory"),
        "UNSUPPORTED_PROBLEM": (
            PlanStatus.UNSUPPORTED,
            f"{name} does not support the problem{': ' if words else ''}{words}",
        ),
    }.get(status, failed)


def _is_complete(name: str) -> bool:
    """Whether an engine has looked at all there is when it ends without a plan, though it does not say so."""
    return engine(name).__module__.partition(".")[0] in ("up_fast_downward", "up_symk", "up_pyperplan")
