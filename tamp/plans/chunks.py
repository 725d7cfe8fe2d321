"""A plan in chunks: what one hand does from empty to empty again, and which of them have to keep their order.

unified-planning's own partial order (`SequentialPlan.convert_to`) orders all that one hand does, since each action
needs or changes the hand, and all that sets one atom to the same value; chunks leave the hand as they found it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tamp.model.atoms import Atom, GroundAction
from tamp.model.domain import Domain
from tamp.model.formula import Formula, Not, literals
from tamp.model.goal import Goal
from tamp.model.state import WorldState, problem_of
from tamp.perception.predicates import held_in
from tamp.plans.concurrency import happening
from tamp.plans.validation import Course, Fault


@dataclass(frozen=True)
class Chunk:
    """Actions that belong together, and what of their effects the goal or a later chunk needs. `number` from 1."""

    number: int
    actions: tuple[GroundAction, ...]
    goal: Goal

    @property
    def things(self) -> frozenset[str]:
        """Every symbol that its actions are about."""
        return frozenset(arg for a in self.actions for arg in a.args)

    def __str__(self) -> str:
        return " ".join(map(str, self.actions))


@dataclass(frozen=True, eq=False)
class ChunkedPlan:
    """The chunks of a plan that reaches a goal, in its order. `related`: pairs of numbers whose order matters."""

    chunks: tuple[Chunk, ...]
    related: frozenset[tuple[int, int]]

    def may_begin(self, chunk: Chunk, done: Sequence[Chunk], going: Sequence[Chunk]) -> bool:
        """Whether a chunk may be done after some and beside others."""
        over = {c.number for c in done}
        before = {a for a, b in self.related if b == chunk.number}
        after = {b for a, b in self.related if a == chunk.number}
        return before <= over and not any(c.number in before | after for c in going)


def chunked(actions: Sequence[GroundAction], goal: Goal, state: WorldState, domain: Domain) -> ChunkedPlan:
    """A plan in chunks. ValueError for actions that cannot follow each other."""
    problem = problem_of(domain, state.with_facts(goal.rules(domain, state)), goal.parts)
    atoms = _atoms_on_the_way(actions, problem)
    cuts = [0]
    for n in range(1, len(atoms)):
        if held_in(WorldState(state.symbols, atoms[n])) is None or n == len(atoms) - 1:
            cuts.append(n)
    spans = list(itertools.pairwise(cuts))
    needs = [_needs(action, problem) for action in actions]
    chunks = tuple(
        Chunk(n, tuple(actions[a:b]), _its_goal((a, b), atoms, needs, goal, domain.added_by(actions[b - 1])))
        for n, (a, b) in enumerate(spans, 1)
    )
    return ChunkedPlan(chunks, _related(spans, atoms, needs))


def _related(
    spans: Sequence[tuple[int, int]], atoms: Sequence[frozenset[Atom]], needs: Sequence[set[Needed]]
) -> frozenset[tuple[int, int]]:
    """Pairs of numbers of chunks of which one needs what the other changes, from its beginning to its end, or which
    change the same: what one hand does in between is its own."""
    needed = [set().union(*needs[a:b]) for a, b in spans]
    changed = [{(x.predicate, x.args) for x in atoms[a] ^ atoms[b]} for a, b in spans]

    def one_way(i: int, j: int) -> bool:
        return any(_same(c, n) for c in changed[i] for n in needed[j])

    pairs = ((i, j) for j in range(len(spans)) for i in range(j))
    opposite = [{(x.predicate, x.args, x in atoms[b]) for x in atoms[a] ^ atoms[b]} for a, b in spans]
    return frozenset(
        (i + 1, j + 1)
        for i, j in pairs
        if one_way(i, j) or one_way(j, i) or any((p, args, not to) in opposite[j] for p, args, to in opposite[i])
    )


Needed = tuple[str, tuple[str | None, ...]]
"""A ground atom, or with None in it any that has something in that place."""


def _same(changed: Needed, needed: Needed) -> bool:
    return changed[0] == needed[0] and all(n is None or c == n for c, n in zip(changed[1], needed[1], strict=True))


def _atoms_on_the_way(actions: Sequence[GroundAction], problem: Any) -> list[frozenset[Atom]]:
    """The atoms that hold before each action and after the last."""
    course = Course.of(problem)
    for action in actions:
        followed = course.follow(action)
        if isinstance(followed, Fault):
            raise ValueError(followed.message)
        course = followed
    fluents = [f for f in problem.initial_values if f.type.is_bool_type()]
    named = {f: Atom(f.fluent().name, tuple(map(str, f.args))) for f in fluents}
    return [frozenset(named[f] for f in fluents if s.get_value(f).is_true()) for s in course.states]


def _its_goal(
    span: tuple[int, int],
    atoms: Sequence[frozenset[Atom]],
    needs: Sequence[set[Needed]],
    goal: Goal,
    brought: frozenset[Atom],
) -> Goal:
    """What the actions from one number up to another are for: of what they change, what is asked for or needed later;
    of those that are for nothing that could be said, what the last one brings."""
    begin, end = span
    later = set().union(*needs[end:])
    made, undone = atoms[end] - atoms[begin], atoms[begin] - atoms[end]
    unwanted = {x.atom for x in literals(goal.formula) if isinstance(x, Not)}
    needed = {a for a in made if a in goal.atoms or (a.predicate, a.args) in later}
    parts: list[Formula] = [*sorted(needed), *map(Not, sorted(undone & unwanted))]
    return Goal.of(parts or sorted(brought & made), goal.untouched)


def _needs(action: GroundAction, problem: Any) -> set[Needed]:
    """The atoms that an action's precondition, and those of its effects, speak of."""
    operator, manager = problem.action(action.name), problem.environment.expression_manager
    objects = [manager.ObjectExp(problem.object(name)) for name in action.args]
    given = dict(zip(operator.parameters, objects, strict=True))
    needed = happening(problem, (Fraction(0), None), operator.preconditions, operator.effects, given).needed
    return {(f.fluent().name, tuple(None if a.is_variable_exp() else str(a) for a in f.args)) for f in needed}
