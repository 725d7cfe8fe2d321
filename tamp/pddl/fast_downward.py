"""Ask Fast Downward by the process that is kept ready for it, of what is asked again only what has changed.

The next problem of a search differs from the one before in some facts. What unified-planning compiles, and writes as
PDDL, is then kept but for what holds at first; Fast Downward gets the same files as if they were made anew.
"""

from __future__ import annotations

import tempfile
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from tamp.pddl.conditions import is_atom, within
from tamp.pddl.downward_process import DOMAIN, PLAN, PROBLEM, Downward

INVARIANTS = ("--invariant-generation-max-candidates", "500")
"""Of a domain with many conditional effects the translator would look for invariants for seconds, and find no more: 100
are enough for the tabletop domain."""

WORKED = "processor_seconds"
"""Name of the metric of a result that says how long another process worked."""


@dataclass(frozen=True)
class Structure:
    """All of a problem that its compilation depends on: not which atoms hold, but of which predicates some do."""

    parts: tuple[Hashable, ...]
    problem: Any = field(compare=False, repr=False)

    @classmethod
    def of(cls, problem: Any) -> Structure | None:
        """None for a problem whose compilation may depend on more: with numbers, times, a metric or disjunctions."""
        more = (problem.quality_metrics, problem.timed_effects, problem.timed_goals, problem.trajectory_constraints)
        plain = all(f.type.is_bool_type() for f in problem.fluents) and not any(more)
        if not plain or not all(hasattr(a, "preconditions") for a in problem.actions):
            return None
        if not all(_conjunctive(c) for a in problem.actions for c in a.preconditions):
            return None
        some = frozenset(atom.fluent() for atom, value in problem.explicit_initial_values.items() if value.is_true())
        return cls((*map(tuple, (problem.all_objects, problem.goals, problem.actions, problem.fluents)), some), problem)


def _conjunctive(condition: Any) -> bool:
    """Whether it is made of literals, conjunctions and universal quantifiers."""
    return not any(
        c.is_or() or c.is_implies() or c.is_iff() or c.is_exists()
        or (c.is_not() and not is_atom(c.arg(0)) and not c.arg(0).is_equals())
        for c in within(condition)
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class ProblemFiles:
    """A compiled problem in PDDL."""

    problem: Any

    @cached_property
    def _writer(self) -> Any:
        from unified_planning.io import PDDLWriter

        return PDDLWriter(self.problem)

    @cached_property
    def _domain(self) -> str:
        return str(self._writer.get_domain())

    @cached_property
    def _problem(self) -> tuple[str, str, str]:
        """The problem file up to what holds at first, that, and the rest."""
        before, init, rest = self._writer.get_problem().partition("\n (:init")
        facts, goal, after = rest.partition("\n )\n (:goal")
        return before + init, facts, goal + after

    def _listed(self, facts: list[Any]) -> str:
        named = self._writer._get_mangled_name
        lines = (" ".join([named(a.fluent()), *(named(x.object()) for x in a.args)]) for a in facts)
        return "".join(f"\n              ({line})" for line in lines)

    def _into(self, folder: str, facts: list[Any] | None) -> None:
        domain, (before, own, after) = self._domain, self._problem  # in this order: the domain's names come first
        Path(folder, DOMAIN).write_text(domain)
        Path(folder, PROBLEM).write_text(before + (own if facts is None else self._listed(facts)) + after)

    def solve(self, facts: list[Any] | None, seconds: float) -> Any:
        """unified-planning's result; `facts`, atoms, hold at first in place of its own, if there are any."""
        from unified_planning.engines.results import LogLevel, LogMessage, PlanGenerationResult
        from unified_planning.engines.results import PlanGenerationResultStatus as Status
        from up_fast_downward.fast_downward import FastDownwardPDDLPlanner

        engine, plan = FastDownwardPDDLPlanner(), None
        with tempfile.TemporaryDirectory(prefix="tamp-plan-", ignore_cleanup_errors=True) as folder:
            self._into(folder, facts)
            ended = _process().solve(folder, INVARIANTS, seconds)
            if (found := Path(folder, PLAN)).is_file():
                plan = engine._plan_from_file(self.problem, str(found), self._writer.get_item_named)
        logs = [LogMessage(LogLevel.INFO, ended.output), LogMessage(LogLevel.ERROR, ended.errors)]
        status = Status.TIMEOUT if ended.code is None else engine._result_status(self.problem, plan, ended.code, logs)
        worked = {WORKED: str(ended.worked)}
        return PlanGenerationResult(status, plan, engine_name=engine.name, metrics=worked, log_messages=logs)


@cache
def _process() -> Downward:
    import up_fast_downward

    return Downward(Path(up_fast_downward.__file__).parent / "downward")
