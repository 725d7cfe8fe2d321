"""A plan followed step by step for a page: what each step needs and since when that holds, what it makes true, and the
facts that change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tamp.pddl.conditions import given_to, unheld, written
from tamp.pddl.simulation import Simulator
from tamp.pddl.verdict import changed

MOST_STEPS = 100
"""Steps that are followed: since when a condition holds takes a look at every step before."""


@dataclass(frozen=True)
class Need:
    """A literal that has to hold, in PDDL, whether it does, and the step that made it so: 0 at the start, None where it
    does not hold."""

    literal: str
    holds: bool
    by: int | None


@dataclass(frozen=True)
class StepAccount:
    """What a step needs, and the literals that it makes true. `number` counts from 1."""

    number: int
    action: str
    needs: tuple[Need, ...]
    makes: tuple[str, ...]


@dataclass(frozen=True)
class PlanAccount:
    """A plan as far as it is followed, `MOST_STEPS` at most; `left_out` steps are not. `rows` are the facts that a step
    changes, in the order in which they change, with their values at the start and after each step."""

    steps: tuple[StepAccount, ...] = ()
    goal: tuple[Need, ...] = ()
    rows: tuple[tuple[str, tuple[str, ...]], ...] = ()
    left_out: int = 0


def account(
    problem: Any,
    actions: Sequence[Any],
    taken: Sequence[bool] | None = None,
    seen: Sequence[frozenset[str] | None] = (),
) -> PlanAccount:
    """Follow ActionInstances of unified-planning's own Problem from its initial state, each done whatever it lacks.

    A step for which `taken` is false changes nothing: it was begun, and came to nothing.
    `seen` are the atoms, in PDDL, that were seen after each step, None where nothing was: what the steps change is
    then taken as it was seen.
    """
    followed = actions[:MOST_STEPS]
    fluents = list(dict.fromkeys(fluent for a in followed for fluent in _changed_by(problem, a)))
    states = _states(problem, followed, taken or [True] * len(actions), seen, fluents)

    @cache
    def holds(condition: Any, before: int) -> bool:
        return not unheld(problem, [condition], states[before])

    def need(condition: Any, before: int) -> Need:
        if not holds(condition, before):
            return Need(written(condition), False, None)
        made = (n for n in range(before, 0, -1) if states[n - 1] is not states[n] and not holds(condition, n - 1))
        return Need(written(condition), True, next(made, 0))

    steps = tuple(
        StepAccount(
            n + 1,
            f"({' '.join((a.action.name, *map(str, a.actual_parameters)))})",
            tuple(need(c, n) for c in _conditions(problem, a)),
            () if states[n] is states[n + 1] else changed(problem, a, *states[n : n + 2]),
        )
        for n, a in enumerate(followed)
    )
    left_out = len(actions) - len(followed)
    goal = () if left_out else tuple(need(c, len(followed)) for c in _parts(problem.goals))
    rows = [(written(f), tuple(_value(f, state) for state in states)) for f in fluents]
    rows = sorted((row for row in rows if len({*row[1]}) > 1), key=lambda row: (_first_change(row[1]), row[0]))
    return PlanAccount(steps, goal, tuple(rows), left_out)


def _states(
    problem: Any,
    actions: Sequence[Any],
    taken: Sequence[bool],
    seen: Sequence[frozenset[str] | None],
    fluents: Sequence[Any],
) -> list[Any]:
    """The states that a plan leads through: the one before step n, counted from 0, is number n."""
    manager = problem.environment.expression_manager
    words = {atom.strip("()").split()[0] for of in seen for atom in of or () if atom.strip("() ")}
    simulator, looked = Simulator.of(problem), [f for f in fluents if f.fluent().name in words]
    states = [simulator.initial()]
    for n, (action, done) in enumerate(zip(actions, taken, strict=False)):
        state = simulator.force(states[-1], action) if done else states[-1]
        if n < len(seen) and (atoms := seen[n]) is not None:
            held = {f: written(f) in atoms for f in looked}
            other = {f: manager.Bool(now) for f, now in held.items() if now != state.get_value(f).is_true()}
            state = state.make_child(other) if other else state
        states.append(state)
    return states


def _parts(conditions: Sequence[Any]) -> Iterator[Any]:
    """Conditions with conjunctions taken apart."""
    for c in conditions:
        if c.is_and():
            yield from _parts(c.args)
        else:
            yield c


def _conditions(problem: Any, action: Any) -> list[Any]:
    """An action's precondition in parts; those that no state changes, as that two things differ, are left out."""
    given, variables = given_to(action), problem.environment.free_vars_extractor
    parts = _parts([c.substitute(given) for c in action.action.preconditions])
    return [c for c in dict.fromkeys(parts) if c.is_forall() or variables.get(c)]


def _changed_by(problem: Any, action: Any) -> Iterator[Any]:
    """The facts and numbers that an action may change."""
    for effect in action.action.effects:
        for one in effect.expand_effect(problem):
            yield one.fluent.substitute(given_to(action))


def _value(fluent: Any, state: Any) -> str:
    from unified_planning.exceptions import UPUsageError

    try:
        value = state.get_value(fluent)
    except UPUsageError:
        return "no value"
    return ("true" if value.bool_constant_value() else "false") if value.is_bool_constant() else str(value)


def _first_change(values: Sequence[str]) -> int:
    return next(n for n, value in enumerate(values) if value != values[0])
