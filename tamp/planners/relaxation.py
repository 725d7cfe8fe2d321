"""Why a problem has no plan: what can never hold, and the smallest change found with which it has one.

Every change is planned for before it is told.
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tamp.pddl.conditions import written
from tamp.planners.answer import Lost, Why
from tamp.planners.compiling import compiled, original, without_metric
from tamp.planners.engines import installed, lacking
from tamp.planners.exclusive import MORE_ROUNDS, ROUNDS, exclusive
from tamp.planners.lost import lost_for_good
from tamp.planners.missing import Missing, is_static
from tamp.planners.relaxed import Literal, Relaxed, grounded, in_pddl, parts, relax
from tamp.planners.subprocess_worker import Emit, Work, messages
from tamp.planners.work import plan_message
from tamp.planning.engine import NO_PLAN
from tamp.plans.repair import literal_of

SECONDS = 5.0
"""For an explanation beside something else that is done: of an episode, of a plan in a scene."""
MOST_ADDITIONS, MOST_TRIED = 5, 10
"""Facts that are told of those that make a plan, and that are planned with."""
_SHARE = 0.25
"""Of the seconds left, what one question to the engine may take."""
_FAST = "fast-downward"


def explain(problem: Any, engine: str, seconds: float) -> Why:
    """As much as is found in the seconds, in a process of its own. `engine` is asked for what is left when
    Fast Downward cannot be.
    """
    return _why(lambda emit: _work(problem, engine, seconds, emit), seconds)


def without_some(problem: Any, engine: str, seconds: float) -> Why:
    """The goals without which there is a plan, of a problem for which none was found in time: whether there is one for
    all of them is not known. As `explain` otherwise; empty where a plan is found for no goal alone.
    """
    return _why(lambda emit: _work_without(problem, engine, seconds, emit), seconds)


def _why(work: Work, seconds: float) -> Why:
    why = Why()
    with closing(messages(work, seconds)) as said:
        for message in said:
            if message["kind"] == "why":
                why = replace(why, **{k: _read(k, v) for k, v in message.items() if k != "kind"})
    return why


def in_words(problem: Any, engine: str, seconds: float = SECONDS) -> str:
    """That a problem has no plan and, as far as is found in the seconds, why, in one line."""
    return ": ".join(filter(None, (NO_PLAN, "; ".join(explain(problem, engine, seconds).sentences))))


def _read(key: str, value: Any) -> Any:
    """A field of `Why` as it was before it was JSON."""
    if key == "lost":
        return tuple(Lost(one["goal"], tuple(one["by"]), tuple(one["without"])) for one in value)
    if key in ("exclusive", "additions"):
        return tuple(map(tuple, value))
    return tuple(value) if isinstance(value, list) else value


def _work(problem: Any, name: str, seconds: float, emit: Emit) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solver = Solver.of(problem, name, seconds)
        never = _tell_relaxed(solver.problem, solver, emit)
        _tell_exclusive(problem, ROUNDS, never, solver, emit)
        _tell_drops(solver, never, emit)
        if not never and not solver.apart:
            _tell_exclusive(problem, MORE_ROUNDS, never, solver, emit)


def _work_without(problem: Any, name: str, seconds: float, emit: Emit) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solver = Solver.of(problem, name, seconds)
        solver.apart.add(frozenset(map(written, parts(solver.problem.goals))))  # all of them have had their time
        _tell_drops(solver, [], emit)


def _tell_exclusive(problem: Any, rounds: int, never: list[Any], solver: Solver, emit: Emit) -> None:
    """The pairs of goals that never hold together, without those of which it is known why."""
    hopeless = set(map(written, never))
    found = ((written(a), written(b)) for a, b in exclusive(problem, rounds))
    pairs = [pair for pair in found if hopeless.isdisjoint(pair) and frozenset(pair) not in solver.apart]
    emit({"kind": "why", "exclusive": pairs})
    solver.apart.update(map(frozenset, pairs))


def _tell_relaxed(plain: Any, solver: Solver, emit: Emit) -> list[Any]:
    """The goals that can never hold, which are returned, or those that are lost for good."""
    never: list[Any] = []
    with suppress(Exception):  # grounders raise many unrelated classes
        ground = grounded(plain)
        relaxed = relax(plain, ground.problem.actions)
        never = [g for g in parts(plain.goals) if not relaxed.possible(g)]
        if never:
            _tell_missing(never, relaxed, solver, emit)
        elif lost := lost_for_good(relaxed, ground):
            emit({"kind": "why", "lost": [asdict(one) for one in lost]})
            kept = [x for g in parts(plain.goals) if (x := literal_of(g)) and in_pddl(x) in {one.goal for one in lost}]
            _tell_static(Missing.of(relaxed, kept), solver, emit)
            solver.apart.update(frozenset((one.goal, other)) for one in lost for other in one.without)
    return never


def _engine(problem: Any, name: str) -> str:
    """Fast Downward where it can: it is asked many times, and need not find the best."""
    return _FAST if installed(_FAST) and not lacking(_FAST, compiled(problem, _FAST)[0]) else name


@dataclass(frozen=True, eq=False)
class Solver:
    """Says whether changes of a problem make it solvable, until the deadline. Sets of goals, in PDDL, that are
    not asked for are `apart`, such as pairs that are proven to exclude each other."""

    problem: Any
    engine: str
    deadline: float
    apart: set[frozenset[str]] = field(default_factory=set)

    @classmethod
    def of(cls, problem: Any, engine: str, seconds: float) -> Solver:
        """Asks Fast Downward where it can be asked, about the problem without quantifiers."""
        from unified_planning.engines import CompilationKind
        from unified_planning.shortcuts import Compiler

        with Compiler(name="up_quantifiers_remover") as compiler:
            plain = compiler.compile(without_metric(problem), CompilationKind.QUANTIFIERS_REMOVING).problem
        return cls(plain, _engine(plain, engine), time.monotonic() + seconds)

    def with_goals(self, goals: Iterable[Any]) -> bool | None:
        """Whether there is a plan for these goals alone; None when that is not known."""
        goals = list(goals)
        together = set(map(written, goals))
        if any(some <= together for some in self.apart):
            return False
        changed = self.problem.clone()
        changed.clear_goals()
        for goal in goals:
            changed.add_goal(goal)
        return self._solvable(changed)

    def with_facts(self, facts: Iterable[Literal]) -> bool | None:
        """Whether there is a plan when these literals hold in the beginning; None when that is not known."""
        changed = self.problem.clone()
        for atom, value in facts:
            changed.set_initial_value(atom, value)
        return self._solvable(changed)

    def _solvable(self, problem: Any) -> bool | None:
        from unified_planning.shortcuts import OneshotPlanner

        left = self.deadline - time.monotonic()
        ready, results = compiled(problem, self.engine)
        limit = {} if self.engine.startswith("pyperplan") else {"timeout": max(0.5, left * _SHARE)}
        with OneshotPlanner(name=self.engine) as planner:
            planner.skip_checks = True
            found = planner.solve(ready, **limit)
        if found.plan is not None:
            return plan_message(problem, original(found.plan, results))["kind"] == "plan" or None
        return False if found.status.name.startswith("UNSOLVABLE") else None


def _tell_missing(never: list[Any], relaxed: Relaxed, solver: Solver, emit: Emit) -> None:
    """What can never hold, and what makes a plan when it holds in the beginning: few literals, or one other."""
    goals = [written(g) for g in never]
    emit({"kind": "why", "never": goals})
    missing = Missing.of(relaxed)
    chain = missing.chain()
    emit({"kind": "why", "never": list(dict.fromkeys([*goals, *map(in_pddl, chain)]))})
    if _tell_static(missing, solver, emit):
        return
    for facts in _candidates(never, missing, chain):
        if solver.with_facts(facts):
            added = sorted(map(in_pddl, facts))
            emit({"kind": "why", "add": added, "additions": [added]})
            return


def _tell_static(missing: Missing, solver: Solver, emit: Emit) -> bool:
    """The facts that no operator changes of which one alone makes a plan; whether there are any."""
    found: list[list[str]] = []
    static = [x for x in missing.alone() if is_static(solver.problem, x)]
    for literal in static[:MOST_TRIED]:
        if len(found) < MOST_ADDITIONS and solver.with_facts([literal]):
            found.append([in_pddl(literal)])
            emit({"kind": "why", "add": found[0], "additions": found})
    return bool(found)


def _candidates(never: list[Any], missing: Missing, chain: list[Literal]) -> Iterator[tuple[Literal, ...]]:
    """Sets of literals to add: the one that explains best, one literal alone, the goals themselves."""
    if needed := missing.needed_together(never):
        yield tuple(needed)
    for literal in reversed(chain):
        yield (literal,)
    yield missing.goals


def _tell_drops(solver: Solver, never: list[Any], emit: Emit) -> None:
    """The goals to drop: first any set that cannot be smaller by one goal, then smaller ones, the smallest first."""
    goals = parts(solver.problem.goals)
    hopeful = [g for g in goals if g not in never]
    kept: list[Any] = []
    for goal in hopeful:
        if solver.with_goals([*kept, goal]):
            kept.append(goal)
    dropped = [g for g in goals if g not in kept]
    if not kept and not never:
        return  # no goal alone was reached: that says nothing of the others
    emit({"kind": "why", "drop": [written(g) for g in dropped]})
    unknown = False
    for size in range(max(1, len(never)), len(dropped)):
        for more in itertools.combinations(hopeful, size - len(never)):
            solvable = solver.with_goals(g for g in hopeful if g not in more)
            unknown |= solvable is None
            if solvable:
                smallest = [written(g) for g in goals if g in never or g in more]
                emit({"kind": "why", "drop": smallest, "complete": not unknown})
                return
    emit({"kind": "why", "complete": not unknown})
