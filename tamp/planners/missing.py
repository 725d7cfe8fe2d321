"""Which few literals would have to hold in the beginning so that the goals could be reached.

Goes back from the goals that can never hold, through the actions that would bring them about, to what these lack.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tamp.planners.relaxed import Literal, Relaxed, in_pddl, is_atom, parts
from tamp.plans.repair import unified

MOST_ACTIONS = 20_000
"""Ground actions that are looked at altogether."""
MOST_OF_ONE = 2_000
"""Ground actions that are looked at for one literal."""

_MADE, _GOAL, _ODD = 0.01, 0.02, 0.005
"""Of as many literals those explain more that no operator brings about, that are no goals, and that do not say
something of a thing and itself."""


@dataclass(frozen=True)
class Reason:
    """What has to be assumed for a literal: itself, or what the action needs that would bring it about."""

    assumed: frozenset[Literal]
    conditions: tuple[Any, ...] = ()


@dataclass(frozen=True, eq=False)
class Missing:
    """The reasons of all literals that the goals lack, the literals for `never` and for `add`."""

    relaxed: Relaxed
    goals: tuple[Literal, ...]
    reasons: dict[Literal, Reason] = field(default_factory=dict)
    ways: dict[Literal, list[tuple[Any, ...]]] = field(default_factory=dict)

    @classmethod
    def of(cls, relaxed: Relaxed, goals: Iterable[Literal] | None = None) -> Missing:
        """For the goals of the relaxed problem, or for others, which no action makes true."""
        if goals is None:
            goals = dict.fromkeys(x for g in parts(relaxed.problem.goals) for x in relaxed.impossible(g))
        missing = cls(relaxed, tuple(goals))
        missing._explore()
        missing._settle()
        return missing

    def needed(self, condition: Any, wanted: bool = True) -> frozenset[Literal] | None:
        """What has to be assumed for a condition; None when nothing helps, as for one that contradicts itself."""
        if self.relaxed.possible(condition, wanted):
            return frozenset()
        if condition.is_not():
            return self.needed(condition.arg(0), not wanted)
        if is_atom(condition):
            reason = self.reasons.get((condition, wanted))
            return reason.assumed if reason else None
        if not (condition.is_and() or condition.is_or()):
            return None
        if condition.is_and() == wanted:
            return self.needed_together(condition.args, wanted)
        each = [self.needed(part, wanted) for part in condition.args]
        return min((e for e in each if e is not None), key=self.weight, default=None)

    def needed_together(self, conditions: Iterable[Any], wanted: bool = True) -> frozenset[Literal] | None:
        """What has to be assumed for all of the conditions."""
        together = frozenset[Literal]()
        for condition in conditions:
            needed = self.needed(condition, wanted)
            if needed is None:
                return None
            together |= needed
        return together

    def alone(self) -> list[Literal]:
        """The literals of which one alone is enough for all goals, as far as nothing is lost, and that are no goals
        themselves: first those that no operator changes, of these the ones that hold the other way round."""
        enough: dict[Literal, frozenset[Literal]] = {x: frozenset({x}) for x in self.ways}
        growing = True
        while growing:
            growing = False
            for literal, ways in self.ways.items():
                some = enough[literal].union(*(self._enough(way, enough) or frozenset() for way in ways))
                growing |= some != enough[literal]
                enough[literal] = some
        shared = frozenset.intersection(*(enough[g] for g in self.goals)) if self.goals else frozenset()
        chain = self.chain()
        return sorted(shared.difference(self.goals), key=lambda x: (self._rank(x), x not in chain, in_pddl(x)))

    def _enough(
        self, conditions: Iterable[Any], enough: dict[Literal, frozenset[Literal]], wanted: bool = True
    ) -> frozenset[Literal] | None:
        """The literals of which one alone is enough for all of the conditions; None when nothing is needed."""
        each = [self._enough_for(c, enough, wanted) for c in conditions]
        needed = [some for some in each if some is not None]
        return frozenset.intersection(*needed) if needed else None

    def _enough_for(
        self, condition: Any, enough: dict[Literal, frozenset[Literal]], wanted: bool
    ) -> frozenset[Literal] | None:
        if self.relaxed.possible(condition, wanted):
            return None
        if condition.is_not():
            return self._enough_for(condition.arg(0), enough, not wanted)
        if is_atom(condition):
            return enough.get((condition, wanted), frozenset())
        if not (condition.is_and() or condition.is_or()):
            return frozenset()
        if condition.is_and() == wanted:
            return self._enough(condition.args, enough, wanted)
        each = (self._enough_for(part, enough, wanted) for part in condition.args)
        return frozenset[Literal]().union(*(some for some in each if some is not None))

    def _rank(self, literal: Literal) -> tuple[bool, bool, float]:
        atom, wanted = literal
        mirrored = atom.fluent()(*reversed(atom.args)) if _turns(atom) else None
        return (
            not is_static(self.relaxed.problem, literal),
            mirrored is None or self.relaxed.initial(mirrored) is not wanted,
            self._odds(literal),
        )

    def chain(self) -> list[Literal]:
        """The literals that can never hold on the way to the goals: each before what it needs."""
        left, found = list(self.goals), dict[Literal, None]()
        for literal in left:
            if literal not in found and literal in self.reasons:
                found[literal] = None
                left += [x for c in self.reasons[literal].conditions for x in self.relaxed.impossible(c)]
        return list(found)

    def weight(self, assumed: frozenset[Literal]) -> float:
        """The fewer literals the less, and the more they explain."""
        return sum(1.0 + self._odds(literal) for literal in assumed)

    def _odds(self, literal: Literal) -> float:
        odd = _ODD if len(set(literal[0].args)) < len(literal[0].args) else 0.0
        return odd + (_GOAL if literal in self.goals else _MADE if self.ways.get(literal) else 0.0)

    def _explore(self) -> None:
        """Collect the literals to explain, and the conditions of each action that would bring one about."""
        left, seen = list(self.goals), 0
        for literal in left:
            if literal in self.ways:
                continue
            ways = self.ways[literal] = list(itertools.islice(self._ways(literal), MOST_OF_ONE))
            self.reasons[literal] = Reason(frozenset({literal}))
            seen += len(ways)
            if seen < MOST_ACTIONS:
                left += [x for way in ways for c in way for x in self.relaxed.impossible(c)]

    def _ways(self, literal: Literal) -> Iterator[tuple[Any, ...]]:
        """The conditions under which a ground action brings a literal about."""
        problem, (atom, _) = self.relaxed.problem, literal
        for action, effect in _producers(problem, literal):
            given = unified(effect.fluent.args, atom.args)
            for values in _arguments(problem, action, given or {}):
                conditions = [c.substitute(values).simplify() for c in (*action.preconditions, effect.condition)]
                if not any(c.is_false() for c in conditions):
                    yield tuple(parts(conditions))

    def _settle(self) -> None:
        """Take the lightest reason for each literal, until none gets lighter."""
        changing = True
        while changing:
            changing = False
            for literal, ways in self.ways.items():
                for way in ways:
                    assumed = self.needed_together(way)
                    if assumed is None or literal in assumed:
                        continue
                    if self.weight(assumed) < self.weight(self.reasons[literal].assumed) - 1e-6:
                        self.reasons[literal] = Reason(assumed, way)
                        changing = True


def is_static(problem: Any, literal: Literal) -> bool:
    """Whether it is about a predicate that no operator changes."""
    return all(e.fluent.fluent() != literal[0].fluent() for a in problem.actions for e in a.effects)


def _turns(atom: Any) -> bool:
    """Whether its arguments are of the predicate's types the other way round too."""
    kinds = [p.type for p in atom.fluent().signature]
    return len(kinds) > 1 and all(k.is_compatible(a.type) for k, a in zip(kinds, reversed(atom.args), strict=True))


def _producers(problem: Any, literal: Literal) -> Iterator[tuple[Any, Any]]:
    """Operators and their effects that give an atom a value."""
    atom, wanted = literal
    for action in problem.actions:
        for effect in action.effects:
            same = effect.fluent.fluent() == atom.fluent() and effect.is_assignment()
            constant = effect.value.is_bool_constant()
            fits = same and (not constant or effect.value.bool_constant_value() == wanted)
            if fits and unified(effect.fluent.args, atom.args) is not None:
                yield action, effect


def _arguments(problem: Any, action: Any, given: dict[Any, Any]) -> Iterator[dict[Any, Any]]:
    """Objects for all parameters of an action, those that are given and others of the right types."""
    manager = problem.environment.expression_manager
    choices: list[Sequence[Any]] = [
        [o for o in map(manager.ObjectExp, problem.objects(p.type)) if given.get(p, o) == o] for p in action.parameters
    ]
    for some in itertools.product(*choices):
        yield dict(zip(action.parameters, some, strict=True))
