"""Symbolic planning through unified-planning, with four different answers."""

from __future__ import annotations

import importlib.util
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

from tamp.errors import InputError
from tamp.model.atoms import GroundAction
from tamp.pddl.complements import complemented
from tamp.pddl.decided import undecided, without_idle_effects
from tamp.pddl.reading import reason

PLANNERS = ("fast-downward", "pyperplan")
"""The engine that is taken where none is named, and the one that stands in for it; each comes with the extra of its
name. Any other of unified-planning is taken by its name."""

NO_PLAN = "no sequence of the domain's operators reaches the goal"
"""What is said of a problem that is proven to have no plan."""

_STRIPS_ONLY = ("pyperplan",)


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
    """Ground actions in order."""

    actions: tuple[GroundAction, ...]

    def __str__(self) -> str:
        return "".join(f"{a}\n" for a in self.actions)


@dataclass(frozen=True)
class PlanResult:
    """Status, the plan when found, seconds taken, and a message otherwise."""

    status: PlanStatus
    plan: Plan | None
    seconds: float
    message: str = ""


Tell = Callable[..., None]
"""Takes an event as `EpisodeLog.event` does: its kind, and what it holds by keyword."""


def untold(kind: str, **data: Any) -> None:
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

    def solve(self, problem: Any, tell: Tell = untold) -> PlanResult:
        """Plan for unified-planning's own Problem. What is worth keeping goes to `tell` on the way.

        InputError when it cannot be asked at all.
        """
        ...


def usual() -> str:
    """The engine to take where none is named: pyperplan where that is installed and Fast Downward is not."""
    there = (name for name in PLANNERS if importlib.util.find_spec(f"up_{name.replace('-', '_')}"))
    return next(there, PLANNERS[0])


@dataclass(frozen=True)
class Engine:
    """An engine of unified-planning, by its name; `timeout` in seconds."""

    name: str = field(default_factory=usual)
    timeout: float = 60.0
    ties_by_name: bool = True

    def solve(self, problem: Any, tell: Tell = untold) -> PlanResult:
        """Plan; raises InputError for an engine that is not there."""
        return solve_problem(problem, self.name, timeout=self.timeout)


def solve_problem(problem: Any, planner: str = "fast-downward", *, timeout: float = 60.0) -> PlanResult:
    """Plan for unified-planning's own Problem; raises InputError for an engine that is not there."""
    start = time.perf_counter()
    status, plan, message = _solve(problem, planner, timeout)
    return PlanResult(status, plan, time.perf_counter() - start, message)


def _solve(problem: Any, planner: str, timeout: float) -> tuple[PlanStatus, Plan | None, str]:
    from unified_planning.engines.results import PlanGenerationResultStatus as Status
    from unified_planning.exceptions import UPException

    from tamp.planners.exclusive import exclusive

    if exclusive(problem):
        return PlanStatus.UNSOLVABLE, None, NO_PLAN
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compiled, back = _compile(problem, planner in _STRIPS_ONLY)
            with _engine(planner) as engine:
                options = {} if planner in _STRIPS_ONLY else {"timeout": timeout}
                result = engine.solve(compiled, **options)
        except UPException as e:
            raise InputError(f"planner {planner!r}: {reason(e)}; valid: {', '.join(PLANNERS)}") from e
    if result.plan is not None:
        found = result.plan
        for step in reversed(back):
            found = found.replace_action_instances(step.map_back_action_instance)
        return PlanStatus.FOUND, _plan(found), ""
    if result.status in (Status.UNSOLVABLE_PROVEN, Status.UNSOLVABLE_INCOMPLETELY):
        return PlanStatus.UNSOLVABLE, None, NO_PLAN
    if result.status == Status.TIMEOUT:
        return PlanStatus.TIMEOUT, None, f"no plan within {timeout:g} s"
    return PlanStatus.INVALID, None, f"{planner} ended with {result.status.name}"


def _engine(planner: str) -> Any:
    """An engine by name. Fast Downward gets a file of its own for what it translates: by default it is
    `output.sas` in the working directory, which two processes would share."""
    from unified_planning.shortcuts import OneshotPlanner

    if planner != "fast-downward":
        return OneshotPlanner(name=planner)
    from up_fast_downward.fast_downward import FastDownwardPDDLPlanner

    class FastDownward(FastDownwardPDDLPlanner):  # type: ignore[misc]
        def _base_cmd(self, plan_filename: str) -> list[str]:
            return [*super()._base_cmd(plan_filename), "--sas-file", f"{plan_filename}.sas"]

    return FastDownward()


def _compile(problem: Any, strips: bool) -> tuple[Any, list[Any]]:
    """Take out quantifiers, which Fast Downward would turn into slow axioms; for STRIPS planners all the rest.

    Grounding comes before negative conditions: it decides equalities.
    """
    from unified_planning.engines import CompilationKind as Kind
    from unified_planning.shortcuts import Compiler

    wanted = {"up_quantifiers_remover": Kind.QUANTIFIERS_REMOVING}
    if strips:
        problem = without_idle_effects(problem)
        wanted |= {
            "up_disjunctive_conditions_remover": Kind.DISJUNCTIVE_CONDITIONS_REMOVING,
            "up_grounder": Kind.GROUNDING,
            "up_conditional_effects_remover": Kind.CONDITIONAL_EFFECTS_REMOVING,
            "up_negative_conditions_remover": Kind.NEGATIVE_CONDITIONS_REMOVING,
        }
    else:
        problem = complemented(problem)
    steps = []
    for name, kind in wanted.items():
        with Compiler(name=name) as compiler:  # by name: choosing one by the problem's kind takes longer than its work
            steps.append(compiler.compile(problem, kind))
            problem = steps[-1].problem
    return undecided(problem), steps


def _plan(found: Any) -> Plan:
    return Plan(tuple(GroundAction(a.action.name, tuple(map(str, a.actual_parameters))) for a in found.actions))
