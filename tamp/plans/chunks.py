"""A plan in chunks: what one hand does from empty to empty again. Which chunks may change places is found by following
the plan with them changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tamp.model.atoms import Atom, GroundAction
from tamp.model.domain import Domain
from tamp.model.formula import Formula, Not
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


@dataclass(eq=False)
class ChunkedPlan:
    """The chunks of a plan that reaches a goal, in its order, and which of them may be done when."""

    problem: Any
    chunks: tuple[Chunk, ...]
    _valid: dict[tuple[int, ...], bool] = field(default_factory=dict, repr=False)

    def may_begin(self, chunk: Chunk, done: Sequence[Chunk], going: Sequence[Chunk]) -> bool:
        """Whether a chunk may be done after some and beside others: the plan reaches the goal whichever of these ends
        first, the rest following in its own order."""
        taken = {c.number for c in (*done, *going, chunk)}
        rest = [c for c in self.chunks if c.number not in taken]
        return self._reaches([*done, chunk, *going, *rest]) and self._reaches([*done, *going, chunk, *rest])

    def _reaches(self, order: Sequence[Chunk]) -> bool:
        key = tuple(c.number for c in order)
        if key not in self._valid:
            self._valid[key] = self._followed(order)
        return self._valid[key]

    def _followed(self, order: Sequence[Chunk]) -> bool:
        course: Course | Fault = Course.of(self.problem)
        for action in (a for chunk in order for a in chunk.actions):
            if isinstance(course, Fault):
                return False
            course = course.follow(action)
        return isinstance(course, Course) and not course.missing()


def chunked(actions: Sequence[GroundAction], goal: Goal, state: WorldState, domain: Domain) -> ChunkedPlan:
    """A plan in chunks. ValueError for actions that cannot follow each other."""
    problem = problem_of(domain, state.with_facts(goal.rules(domain, state)), goal.parts)
    atoms = _atoms_on_the_way(actions, problem)
    cuts = [0]
    for n in range(1, len(atoms)):
        if held_in(WorldState(state.symbols, atoms[n])) is None or n == len(atoms) - 1:
            cuts.append(n)
    chunks = tuple(
        Chunk(number, tuple(actions[a:b]), _its_goal(actions, (a, b), atoms, goal, problem, domain))
        for number, (a, b) in enumerate(zip(cuts, cuts[1:], strict=False), 1)
    )
    return ChunkedPlan(problem, chunks)


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
    actions: Sequence[GroundAction],
    span: tuple[int, int],
    atoms: Sequence[frozenset[Atom]],
    goal: Goal,
    problem: Any,
    domain: Domain,
) -> Goal:
    """What the actions from one number up to another are for: of what they change, what is asked for or needed later;
    of those that are for nothing that could be said, what the last one brings."""
    begin, end = span
    needed = set(goal.mentioned) | {a for action in actions[end:] for a in _needs(action, problem)}
    made, undone = atoms[end] - atoms[begin], atoms[begin] - atoms[end]
    parts: list[Formula] = [*sorted(made & needed), *map(Not, sorted(undone & set(goal.mentioned)))]
    return Goal.of(parts or sorted(domain.added_by(actions[end - 1]) & atoms[end]), goal.untouched)


def _needs(action: GroundAction, problem: Any) -> set[Atom]:
    """The ground atoms that an action's precondition speaks of."""
    operator, manager = problem.action(action.name), problem.environment.expression_manager
    objects = [manager.ObjectExp(problem.object(name)) for name in action.args]
    given = dict(zip(operator.parameters, objects, strict=True))
    needed = happening(problem, (Fraction(0), None), operator.preconditions, (), given).needed
    return {
        Atom(f.fluent().name, tuple(map(str, f.args))) for f in needed if all(a.is_object_exp() for a in f.args)
    }
