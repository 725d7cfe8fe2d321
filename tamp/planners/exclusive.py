"""Goals that never hold together, proven before any search and without grounding.

Two literals never hold together when they do not at first, and whatever makes the one true makes the other false, or
needs two that never hold together itself: h² (Haslum and Geffner, 2000), asked backwards from the goals. What is not
looked at counts as possible, so that yes is a proof and no is none.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tamp.planners.operators import Binding, Literal, Operator, Operators, literals, negated
from tamp.planners.relaxed import parts

ROUNDS, MORE_ROUNDS = 2, 4
"""Times that it is asked what the pairs found so far need: before a search, and where there is known to be no plan. Two
take some 10 ms, four a second."""
MOST_PAIRS = 4000
"""Pairs of literals that are looked at for one pair of goals."""
MOST_GOALS = 12
"""Goals of which each pair is looked at."""

Pair = frozenset[Literal]
"""Two literals, or one alone."""
Need = frozenset[Literal]


def exclusive(problem: Any, rounds: int = ROUNDS) -> list[tuple[Any, Any]]:
    """The pairs of goals that never hold together, though each alone may, as far as is seen; none for a problem that
    `Operators` does not cover."""
    operators = Operators.of(problem)
    if operators is None:
        return []
    goals = [(g, some[0]) for g in parts(problem.goals) if len(some := list(literals(g))) == 1][:MOST_GOALS]
    asked = _Asked(operators, rounds)
    alone = [(g, literal) for g, literal in goals if not asked.never(frozenset((literal,)))]
    return [(a, b) for (a, p), (b, q) in itertools.combinations(alone, 2) if asked.never(frozenset((p, q)))]


@dataclass(eq=False)
class _Asked:
    operators: Operators
    rounds: int
    needs: dict[Pair, list[Need]] = field(default_factory=dict)

    def never(self, pair: Pair) -> bool:
        """Whether two literals never hold together, or one never holds."""
        known: set[Pair] = set()
        edge = set() if self._at_first(pair) else {pair}
        for _ in range(self.rounds):
            known |= edge
            if not edge or len(known) > MOST_PAIRS:
                return False
            for one in edge - self.needs.keys():
                self.needs[one] = list(dict.fromkeys(self._needs(one)))
            if pair not in self._possible(known):
                return True
            needed = {two for one in edge for need in self.needs[one] for two in _pairs(need)}
            edge = {two for two in needed - known if not self._at_first(two)}
        return False

    def _at_first(self, pair: Pair) -> bool:
        return all(map(self.operators.at_first, pair))

    def _possible(self, known: set[Pair]) -> set[Pair]:
        """Those of the known pairs that may come to hold when all others may."""
        possible: set[Pair] = set()
        growing = True
        while growing:
            closed = known - possible
            new = {one for one in closed if any(closed.isdisjoint(_pairs(need)) for need in self.needs[one])}
            possible |= new
            growing = bool(new)
        return possible

    def _needs(self, pair: Pair) -> Iterator[Need]:
        """What has to hold before an action that makes one of the literals true and leaves or makes the other so."""
        if any(negated(literal) in pair for literal in pair):
            return
        for made in pair:
            other = next(iter(pair - {made}), None)
            for operator, effect, binding in self.operators.ways(made):
                for before in [()] if other is None else _before(operator, binding, other):
                    conditions = (*operator.conditions, *effect.conditions, *before)
                    if (need := self.operators.needed(conditions, binding)) is not None:
                        yield need


def _before(operator: Operator, binding: Binding, literal: Literal) -> Iterator[tuple[Literal, ...]]:
    """What has to hold before an action so that a literal holds after it: it makes it true, or leaves it so."""
    lost = [e.makes_when(negated(literal), binding) for e in operator.effects]
    if () not in lost:
        yield (literal, *(negated(when[0]) for when in lost if when is not None and len(when) == 1))
    for effect in operator.effects:
        if effect.may_make(literal, binding) is not None:
            yield effect.conditions


def _pairs(need: Need) -> Iterator[Pair]:
    return map(frozenset, itertools.combinations(need, min(2, len(need))))
