"""Explain why a problem has no plan: what can never hold, which goals exclude each other, and what would make a plan.

Relaxed reachability proves what can never hold. All else is asked of an engine: for some of the goals alone, and with
facts that may be supposed in the beginning. Every change is planned for before it is reported.
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
from tamp.pddl.conditions import Literal, given_to, is_atom, literal_of, parts, written
from tamp.pddl.engines import installed, lacking
from tamp.pddl.planner import NO_PLAN, prepared, results
from tamp.pddl.reach import Reached, reach
from tamp.pddl.subprocess_worker import Emit, messages

SECONDS = 5.0
"""For an explanation on the way to something else: of an episode, of a plan in a scene."""
MOST_ADDITIONS = 5
"""Facts that are reported of those of which each makes a plan."""
_SHARE = 0.25
"""Of the seconds left, what one question to the engine may take."""
_FAST = "fast-downward"


@dataclass(frozen=True)
class Why:
    """Why a problem has no plan; literals in PDDL.

    `never` cannot hold even if nothing that holds were ever lost: goals first, then what they need. `drop` is the
    smallest set of goals found without which there is a plan, `add` what makes one when it is added to `:init`,
    `(not …)` when it is taken out; both were planned for. `complete` when all sets of goals that are smaller were tried
    too. `exclusive` are pairs of goals that never hold together: a proof. `additions` are `add`, and others that are as
    small: facts that no operator changes.
    """

    never: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    complete: bool = False
    exclusive: tuple[tuple[str, ...], ...] = ()
    additions: tuple[tuple[str, ...], ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same in words: what is proven first, then what would help."""
        lines = [f"never: {literal}" for literal in self.never]
        lines += [f"{' and '.join(pair)} never hold together" for pair in self.exclusive]
        lines += [f"there is a plan with {' '.join(added)} in :init" for added in self.additions]
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
                report(never=tuple(map(written, never)))
            exclusive = _report_drops(solver, never, report)
            if never or exclusive:
                _report_additions(solver, never, reached, report)

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
        ready, compilations = prepared(problem, self.engine)
        (result,) = results(ready, compilations, self.engine, seconds=max(0.5, left * _SHARE))
        if result.plan is not None:
            valid = not isinstance(judged_plan(problem, result.plan), str)
            return [*result.plan.actions, None] if valid else None
        return () if result.status.name.startswith("UNSOLVABLE") else None


def _report_drops(solver: Solver, never: Sequence[Any], report: Reporter) -> bool:
    """The goals to drop: first any set that cannot be smaller by one goal, then smaller ones, the smallest first. On
    the way the pairs of goals that exclude each other; whether there are any."""
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
        return False  # no goal alone was reached: that says nothing of the others
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
                return bool(exclusive)
    report(complete=not unknown)
    return bool(exclusive)


def _report_additions(solver: Solver, never: Sequence[Any], reached: Reached, report: Reporter) -> None:
    """What makes a plan when it holds in the beginning: facts that no operator changes of which each does alone, else
    another fact, else the goals that can never hold. With a plan that begins so, what can never hold on the way to the
    goals is known too."""
    problem = solver.problem
    changed = {e.fluent.fluent() for a in problem.actions for e in a.effects}
    atoms = [f for f in problem.fluents if f.type.is_bool_type()]
    static = [f for f in atoms if f not in changed]
    found: list[Literal] = []
    while len(found) < MOST_ADDITIONS:
        facts, plan = _supposed(solver, problem, static, found)
        if not facts:
            break
        if not found and never:
            _report_chain(never, plan, reached, report)
        found += facts
        additions = tuple((_in_pddl(x),) for x in found)
        report(add=additions[0], additions=additions)
    if found or not never:
        return
    alone = problem.clone()
    alone.clear_goals()
    for goal in never:
        alone.add_goal(goal)
    _report_chain(never, _supposed(solver, alone, static, [])[1], reached, report)
    facts, _ = _supposed(solver, problem, atoms, [x for g in parts(problem.goals) if (x := literal_of(g))])
    facts = facts or _all_supposed(solver, never)
    if facts:
        together = tuple(sorted(map(_in_pddl, facts)))
        report(add=together, additions=(together,))


def _all_supposed(solver: Solver, goals: Sequence[Any]) -> list[Literal]:
    """The goals, where there is a plan when all of them hold in the beginning; else nothing."""
    literals = [x for goal in goals if (x := literal_of(goal))]
    changed = solver.problem.clone()
    for atom, value in literals:
        changed.set_initial_value(atom, value)
    return literals if solver.plan(changed) else []


def _supposed(
    solver: Solver, problem: Any, fluents: Sequence[Any], refused: Sequence[Literal]
) -> tuple[list[Literal], list[Any]]:
    """A plan that may begin with supposing a fact, none that is `refused`: the fact, and the rest of the plan. Nothing
    where there is none, or none in time."""
    plan = [a for a in solver.plan(_with_suppositions(problem, fluents, refused)) or () if a is not None]
    facts = [a for a in plan if a.action.name.startswith(_SUPPOSE)]
    effects = [(a, a.action.effects[0]) for a in facts]
    literals = [(e.fluent.substitute(given_to(a)), e.value.is_true()) for a, e in effects]
    return literals, [a for a in plan if a not in facts]


_SUPPOSE = "suppose--"


def _with_suppositions(problem: Any, fluents: Sequence[Any], refused: Sequence[Literal]) -> Any:
    """The problem with actions of which one may suppose a fact of a predicate before anything else is done."""
    from unified_planning.shortcuts import Fluent, InstantaneousAction, Not

    copy = problem.clone()
    env, manager = copy.environment, copy.environment.expression_manager

    def fact(name: str, value: bool, **signature: Any) -> Any:
        fluent = Fluent(name, env.type_manager.BoolType(), environment=env, **signature)
        return copy.add_fluent(fluent, default_initial_value=value)

    begun = fact("begun--", False)()
    for action in copy.actions:
        action.add_effect(begun, True)
    held = {atom.fluent() for atom, value in problem.explicit_initial_values.items() if value.is_true()}
    for n, fluent in enumerate(fluents):
        signature = {p.name: p.type for p in fluent.signature}
        for value in (True, False) if fluent in held else (True,):
            no = fact(f"refused--{n}-{value}".lower(), False, **signature)
            action = InstantaneousAction(f"{_SUPPOSE}{n}-{value}".lower(), _env=env, **signature)
            arguments = [manager.ParameterExp(p) for p in action.parameters]
            action.add_precondition(Not(begun))
            action.add_precondition(Not(no(*arguments)))
            action.add_effect(fluent(*arguments), value)
            action.add_effect(begun, True)
            copy.add_action(action)
            for atom, wanted in refused:
                if atom.fluent() == fluent and wanted == value:
                    copy.set_initial_value(no(*atom.args), True)
    return copy


def _report_chain(never: Sequence[Any], plan: Sequence[Any], reached: Reached, report: Reporter) -> None:
    """What can never hold: the goals, then what is needed for them by a plan in which facts were supposed."""
    found = dict.fromkeys(x for g in never for x in _impossible(g, reached))
    for action in reversed(plan):
        given = given_to(action)
        for effect in action.action.effects:
            made = (effect.fluent.substitute(given), effect.value.is_true())
            if made in found:
                needs = parts(c.substitute(given) for c in (*action.action.preconditions, effect.condition))
                found |= dict.fromkeys(x for c in needs for x in _impossible(c, reached))
    report(never=tuple(dict.fromkeys([*map(written, never), *map(_in_pddl, found)])))


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


def _in_pddl(literal: Literal) -> str:
    atom, value = literal
    return written(atom) if value else f"(not {written(atom)})"
