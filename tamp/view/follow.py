"""A plan followed step by step for a page: what each step needs and who made it true, what it makes true and for whom,
and a table of the facts that change."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tamp.pddl.conditions import given_to, unheld, written
from tamp.plans.causes import changed
from tamp.plans.further import Anyway

MOST_STEPS = 100
"""Steps that are followed: who made each condition true takes a look at every step before."""

GOAL = None
"""Stands for the goal where a step's number is expected."""


@dataclass(frozen=True)
class Need:
    """A literal that has to hold, in PDDL, whether it does, and the step that made it so: 0 at the start, None where it
    does not hold."""

    literal: str
    holds: bool
    by: int | None


@dataclass(frozen=True)
class Made:
    """A literal that a step makes true, and the later steps that need it; GOAL among them for the goal."""

    literal: str
    needed_by: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class StepAccount:
    """What a step needs and makes true. `number` counts from 1."""

    number: int
    action: str
    needs: tuple[Need, ...]
    makes: tuple[Made, ...]


@dataclass(frozen=True)
class PlanAccount:
    """A plan as far as it is followed, `MOST_STEPS` at most; `left_out` steps are not. `rows` are facts with their
    values at the start and after each step."""

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
    `seen` are the atoms, in PDDL, that were seen after each step, None where nobody looked: what the steps change is
    then taken as it was seen.
    """
    followed = actions[:MOST_STEPS]
    left_out = len(actions) - len(followed)
    trail = _Trail.of(problem, followed, taken or [True] * len(actions), seen)
    needs = [trail.needs(trail.conditions(a), n) for n, a in enumerate(followed)]
    goal = () if left_out else trail.needs(list(_parts(problem.goals)), len(followed))
    wanted: list[tuple[int | None, Need]] = [(n + 1, need) for n, of in enumerate(needs) for need in of]
    wanted += [(GOAL, need) for need in goal]
    steps = tuple(
        StepAccount(
            n + 1,
            f"({' '.join((a.action.name, *map(str, a.actual_parameters)))})",
            needs[n],
            tuple(Made(m, _needed(m, n + 1, wanted)) for m in trail.made(n)),
        )
        for n, a in enumerate(followed)
    )
    lacking = [(c, n) for n, a in enumerate(followed) for c in trail.conditions(a)]
    lacking += [] if left_out else [(c, len(followed)) for c in _parts(problem.goals)]
    return PlanAccount(steps, goal, trail.rows(lacking), left_out)


def _needed(literal: str, by: int, wanted: Sequence[tuple[int | None, Need]]) -> tuple[int | None, ...]:
    return tuple(dict.fromkeys(step for step, need in wanted if need.by == by and need.literal == literal))


def _parts(conditions: Sequence[Any]) -> Iterator[Any]:
    """Conditions with conjunctions taken apart."""
    for c in conditions:
        if c.is_and():
            yield from _parts(c.args)
        else:
            yield c


@dataclass(eq=False)
class _Trail:
    """The states that a plan leads through: `states[n]` is the one before step n, counted from 0."""

    problem: Any
    actions: Sequence[Any]
    states: list[Any]
    _known: dict[tuple[Any, int], bool] = field(default_factory=dict)

    @classmethod
    def of(
        cls, problem: Any, actions: Sequence[Any], taken: Sequence[bool], seen: Sequence[frozenset[str] | None]
    ) -> _Trail:
        from unified_planning.engines import UPSequentialSimulator

        words = {atom.strip("()").split()[0] for of in seen for atom in of or () if atom.strip("() ")}
        fluents = [f for f in _changeable(problem, actions) if f.fluent().name in words]
        anyway = Anyway.of(problem)
        states = [UPSequentialSimulator(problem, error_on_failed_checks=False).get_initial_state()]
        for n, (action, done) in enumerate(zip(actions, taken, strict=False)):
            after = anyway.done(action, states[-1]) if done else states[-1]
            atoms = seen[n] if n < len(seen) else None
            states.append(after if atoms is None else _as_seen(problem, after, fluents, atoms))
        return cls(problem, actions, states)

    def conditions(self, action: Any) -> list[Any]:
        """An action's precondition in parts; those that no state changes, as that two things differ, are left out."""
        given, variables = given_to(action), self.problem.environment.free_vars_extractor
        parts = _parts([c.substitute(given) for c in action.action.preconditions])
        return [c for c in dict.fromkeys(parts) if c.is_forall() or variables.get(c)]

    def needs(self, conditions: Sequence[Any], before: int) -> tuple[Need, ...]:
        """Conditions before a step, and who made them true."""
        return tuple(
            Need(written(c), holds := self._holds(c, before), self._by(c, before) if holds else None)
            for c in conditions
        )

    def made(self, step: int) -> tuple[str, ...]:
        """What a step makes true."""
        if self.states[step] is self.states[step + 1]:
            return ()
        return changed(self.problem, self.actions[step], *self.states[step : step + 2])

    def rows(self, wanted: Sequence[tuple[Any, int]]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The facts that conditions before a step lack and no step changes; then those that any step changes, in the
        order in which they change."""
        changeable = (self._row(f) for f in _changeable(self.problem, self.actions))
        rows = sorted((r for r in changeable if len({*r[1]}) > 1), key=lambda r: (_first_change(r[1]), r[0]))
        there, facts_in = {fact for fact, _ in rows}, self.problem.environment.free_vars_extractor.get
        lacking = (
            fact
            for condition, before in wanted
            if not self._holds(condition, before)
            for part in unheld(self.problem, [condition], self.states[before])
            for fact in sorted(facts_in(part), key=str)
            if written(fact) not in there and all(a.is_object_exp() for a in fact.args)
        )
        return (*map(self._row, dict.fromkeys(lacking)), *rows)

    def _row(self, fluent: Any) -> tuple[str, tuple[str, ...]]:
        return written(fluent), tuple(_value(fluent, state) for state in self.states)

    def _holds(self, condition: Any, before: int) -> bool:
        key = (condition, before)
        if key not in self._known:
            self._known[key] = not unheld(self.problem, [condition], self.states[before])
        return self._known[key]

    def _by(self, condition: Any, before: int) -> int:
        """The number, from 1, of the step since which a condition holds; 0 where it has since the start."""
        for earlier in range(before - 1, -1, -1):
            if self.states[earlier] is not self.states[earlier + 1] and not self._holds(condition, earlier):
                return earlier + 1
        return 0


def _first_change(values: Sequence[str]) -> int:
    return next(n for n, (a, b) in enumerate(itertools.pairwise(values)) if a != b)


def _value(fluent: Any, state: Any) -> str:
    from unified_planning.exceptions import UPUsageError

    try:
        value = state.get_value(fluent)
    except UPUsageError:
        return "no value"
    return ("true" if value.bool_constant_value() else "false") if value.is_bool_constant() else str(value)


def _changeable(problem: Any, actions: Sequence[Any]) -> list[Any]:
    """The facts and numbers that actions may change."""
    effects = ((a, one) for a in actions for e in a.action.effects for one in e.expand_effect(problem))
    return list(dict.fromkeys(one.fluent.substitute(given_to(a)) for a, one in effects))


def _as_seen(problem: Any, state: Any, fluents: Sequence[Any], atoms: frozenset[str]) -> Any:
    """A state with facts as they were seen; the same where they are so."""
    manager = problem.environment.expression_manager
    held = {f: written(f) in atoms for f in fluents}
    other = {f: manager.Bool(now) for f, now in held.items() if now != state.get_value(f).is_true()}
    return state.make_child(other) if other else state
