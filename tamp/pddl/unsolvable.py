"""Explain why a problem has no plan: what can never hold, which goals exclude each other, and what would make a plan.

Relaxed reachability proves what can never hold. All else is asked of an engine, for some of the goals alone.
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from tamp.pddl.ask import judged_plan
from tamp.pddl.compiling import compiled, without_metric
from tamp.pddl.conditions import Literal, is_atom, parts, within, written
from tamp.pddl.engines import installed, lacking
from tamp.pddl.planner import NO_PLAN, prepared, result_of
from tamp.pddl.reach import Reached, reach
from tamp.pddl.subprocess_worker import Emit, messages
from tamp.pddl.verdict import given_by

SECONDS = 5.0
"""For an explanation on the way to something else: of an episode, of a plan in a scene."""
_SHARE = 0.25
"""Of the seconds left, what one question to the engine may take."""
_FAST = "fast-downward"


@dataclass(frozen=True)
class Why:
    """Why a problem has no plan; literals in PDDL.

    `never` cannot hold even if nothing that holds were ever lost: goals first, then what they need. `drop` is the
    smallest set of goals found without which there is a plan; it was planned for. `complete` when all sets of goals
    that are smaller were tried too. `exclusive` are pairs of goals that never hold together: a proof.
    """

    never: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    complete: bool = False
    exclusive: tuple[tuple[str, ...], ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same in words: what is proven first, then what would help."""
        lines = [f"never: {literal}" for literal in self.never]
        lines += [f"{' and '.join(pair)} never hold together" for pair in self.exclusive]
        goals = f"goal{'s' if len(self.drop) > 1 else ''} {' '.join(self.drop)}"
        return (*lines, *([f"there is a plan without the {goals}"] if self.drop else []))


Reporter = Callable[..., None]
"""Takes what was found out, by the fields of `Why`."""


def explain(problem: Any, engine: str, seconds: float) -> Why:
    """As much as is found in the seconds, in a process of its own. `engine` is asked where Fast Downward cannot be."""

    def work(emit: Emit) -> None:
        def report(**found: Any) -> None:
            emit({"kind": "why", "found": found})

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solver = Solver.of(problem, engine, seconds)
            reached = reach(solver.problem) or Reached({}, ())
            never = [g for g in parts(solver.problem.goals) if written(g) in reached.hopeless]
            if never:
                report(never=_never(solver.problem, never, reached))
            _report_drops(solver, never, report)

    why = Why()
    with closing(messages(work, seconds)) as received:
        for message in received:
            if message["kind"] == "why":
                why = replace(why, **message["found"])
    return why


def in_words(problem: Any, engine: str, seconds: float = SECONDS) -> str:
    """That a problem has no plan and, as far as is found in the seconds, why, in one line."""
    return ": ".join(filter(None, (NO_PLAN, "; ".join(explain(problem, engine, seconds).sentences))))


@dataclass(frozen=True, eq=False)
class Solver:
    """Says whether changes of a problem make it solvable, until the deadline. `known` is that of sets of goals, in
    PDDL."""

    problem: Any
    engine: str
    deadline: float
    known: dict[frozenset[str], bool | None] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Any, engine: str, seconds: float) -> Solver:
        """Asks Fast Downward where it can be asked, about the problem without quantifiers."""
        from unified_planning.engines import CompilationKind
        from unified_planning.shortcuts import Compiler

        with Compiler(name="up_quantifiers_remover") as compiler:
            plain = compiler.compile(without_metric(problem), CompilationKind.QUANTIFIERS_REMOVING).problem
        fast = installed(_FAST) and not lacking(_FAST, compiled(plain, _FAST)[0])
        return cls(plain, _FAST if fast else engine, time.monotonic() + seconds)

    def with_goals(self, goals: Iterable[Any]) -> bool | None:
        """Whether there is a plan for these goals alone; None when that is not known."""
        goals = list(goals)
        key = frozenset(map(written, goals))
        if any(known is False and some <= key for some, known in self.known.items()):
            return False
        if key not in self.known:
            changed = self.problem.clone()
            changed.clear_goals()
            for goal in goals:
                changed.add_goal(goal)
            found = self.plan(changed)
            self.known[key] = found if found is None else bool(found)
        return self.known[key]

    def plan(self, problem: Any) -> Sequence[Any] | None:
        """The actions of a plan, and a last None so that it is never empty; nothing where there is certainly no plan,
        None where that is not known."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            return None
        result = result_of(prepared(problem, self.engine), self.engine, max(0.5, left * _SHARE))
        if result.plan is not None:
            valid = not isinstance(judged_plan(problem, result.plan), str)
            return [*result.plan.actions, None] if valid else None
        return () if result.status.name.startswith("UNSOLVABLE") else None


def _report_drops(solver: Solver, never: Sequence[Any], report: Reporter) -> None:
    """The goals to drop: first any set that cannot be smaller by one goal, then smaller ones, the smallest first. On
    the way the pairs of goals that exclude each other."""
    goals = parts(solver.problem.goals)
    hopeful = [g for g in goals if g not in never]
    kept, exclusive = list[Any](), list[tuple[str, str]]()
    for goal in hopeful:
        if solver.with_goals([*kept, goal]):
            kept.append(goal)
        elif solver.with_goals([goal]):
            others = (other for other in kept if solver.with_goals([other, goal]) is False)
            exclusive += [(written(other), written(goal)) for other in others]
    report(exclusive=tuple(exclusive))
    if not kept and not never:
        return  # no goal alone was reached: that says nothing of the others
    dropped = [g for g in goals if g not in kept]
    report(drop=tuple(map(written, dropped)))
    unknown = False
    for size in range(max(1, len(never)), len(dropped)):
        for more in itertools.combinations(hopeful, size - len(never)):
            solvable = solver.with_goals(g for g in hopeful if g not in more)
            unknown |= solvable is None
            if solvable:
                smallest = tuple(written(g) for g in goals if g in never or g in more)
                report(drop=smallest, complete=not unknown)
                return
    report(complete=not unknown)


def _never(problem: Any, goals: Sequence[Any], reached: Reached) -> tuple[str, ...]:
    """Goals that can never hold, then the literals that can never hold either without which no operator makes them
    true."""
    found = dict.fromkeys(x for goal in goals for x in _impossible(goal, reached))
    left = list(found)
    while left:
        literal = left.pop(0)
        for action in problem.actions:
            for effect in action.effects if hasattr(action, "preconditions") else ():
                if (given := given_by(effect, literal)) is None:
                    continue
                for parameter in action.parameters:  # what there is only one of is known, too
                    if parameter not in given and len(some := list(problem.objects(parameter.type))) == 1:
                        given[parameter] = problem.environment.expression_manager.ObjectExp(some[0])
                needed = parts(c.substitute(given) for c in (*action.preconditions, effect.condition))
                ground = (c for c in needed if not any(x.is_parameter_exp() for x in within(c)))
                new = [x for c in ground for x in _impossible(c, reached) if x not in found]
                found |= dict.fromkeys(new)
                left += new
    literals = (written(atom) if value else f"(not {written(atom)})" for atom, value in found)
    return tuple(dict.fromkeys([*map(written, goals), *literals]))


def _impossible(condition: Any, reached: Reached, wanted: bool = True) -> Iterator[Literal]:
    """The literals of a condition that can never hold."""
    if condition.is_not():
        yield from _impossible(condition.arg(0), reached, not wanted)
    elif is_atom(condition):
        manager = condition.environment.expression_manager
        if not reached.possible(condition if wanted else manager.Not(condition)):
            yield condition, wanted
    elif condition.is_and() or condition.is_or():
        for part in condition.args:
            yield from _impossible(part, reached, wanted)
