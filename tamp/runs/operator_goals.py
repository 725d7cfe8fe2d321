"""Goals for an operator: what it makes true, said of things that are there, until one can be planned."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.domain import Domain, Signature
from tamp.model.goal import Goal
from tamp.model.scene import Scene
from tamp.model.state import WorldState, problem_of
from tamp.pddl.planner import Engine
from tamp.perception.observers import Observer, Things
from tamp.perception.predicates import SEEN
from tamp.runs.episode_log import EpisodeLog
from tamp.skills.declared import facts, table_specs

PLANNED = 30
"""Goals that a planner is asked about in one scene."""


def own_operators(domain: Domain) -> list[str]:
    """The operators that are a folder's own: bound to a skill of its own, or with an effect that is."""
    known = SEEN | facts()
    own = {o: domain.changes.get(o, frozenset()) - known for o in domain.operators}
    return [o for o in domain.operators if domain.skills.get(o) not in table_specs() or _own(domain, o) or own[o]]


def _own(domain: Domain, operator: str) -> list[Signature]:
    known = SEEN | facts()
    return [p for p in domain.adds.get(operator, ()) if p.name not in known]


@dataclass(eq=False)
class OperatorGoals:
    """A source of goals: each time it is asked, another ground effect of an operator that does not hold yet, and that a
    plan with the operator reaches. Refusal when there is none left. `observers` are the domain's, `given` the goals so
    far."""

    operator: str
    rng: np.random.Generator
    observers: Mapping[str, Observer] = field(default_factory=dict)
    given: list[Goal] = field(default_factory=list)
    _left: list[Atom] | None = None

    def __call__(
        self, scene: Scene, state: WorldState, domain: Domain, log: EpisodeLog, image: bytes | None
    ) -> tuple[Goal, ...]:
        """The next one; the scene must be the same each time."""
        if self._left is None:
            self._left = self._shuffled(domain, state, Things(scene))
            if not self._left:
                raise Refusal(self._nothing(domain, state))
            self._left = self._left[:PLANNED]
        while self._left:
            goal = Goal(self._left.pop(0))
            if self._is_a_way(goal, domain, state):
                self.given.append(goal)
                return (goal,)
        more = "other " if self.given else ""
        told = f"no {more}plan with {self.operator} reaches an effect of it that does not hold already"
        raise Refusal(f"{told}; where it has one: a case in tests/, or --scene")

    def _shuffled(self, domain: Domain, state: WorldState, things: Things) -> list[Atom]:
        found = sorted(a for a in set(self._effects(domain, state)) - state.atoms if self._is_seen(a, things))
        return [found[n] for n in self.rng.permutation(len(found))]

    def _effects(self, domain: Domain, state: WorldState) -> Iterator[Atom]:
        """Every way to say an effect with symbols of the parameters' types, no symbol twice."""
        symbols = state.known_to(domain).symbols
        types = dict(domain.operators[self.operator].parameters)
        for effect in _own(domain, self.operator) or domain.adds.get(self.operator, ()):
            names = [n for n, _ in effect.parameters]
            choices = [
                [s for s, kind in symbols.items() if domain.is_a(kind, types[n])] if n in types else [n] for n in names
            ]
            for args in itertools.product(*choices):
                said = dict(zip(names, args, strict=True))
                if len(set(said.values())) == len(said):
                    yield Atom(effect.name, tuple(said[n] for n in names))

    def _is_seen(self, atom: Atom, things: Things) -> bool:
        """Whether an observer, where the predicate has one, is asked about such things at all."""
        observer = self.observers.get(atom.predicate)
        return observer is None or all(observer.asks_of(things, s) for s in atom.args)

    def _is_a_way(self, goal: Goal, domain: Domain, state: WorldState) -> bool:
        answer = Engine().solve(problem_of(domain, state, goal.parts))
        return answer.plan is not None and any(a.name == self.operator for a in answer.plan.actions)

    def _nothing(self, domain: Domain, state: WorldState) -> str:
        """Why no effect can be said of what is there."""
        if not domain.adds.get(self.operator):
            return f"{self.operator} makes nothing true whatever the state, so that no goal is known; valid: a case"
        symbols = state.known_to(domain).symbols.values()
        lacking = [
            kind
            for _, kind in domain.operators[self.operator].parameters
            if not any(domain.is_a(k, kind) for k in symbols)
        ]
        if lacking:
            return f"nothing of type {lacking[0]} is there"
        return f"what {self.operator} makes true holds already, or its observer does not look at what is there"
