"""Goals for an operator: what it makes true of things that are there, until one can be planned."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.goal import Goal
from tamp.model.scene import Scene
from tamp.model.state import WorldState, problem_of
from tamp.pddl.planner import Engine
from tamp.perception.observers import Observer, Things
from tamp.perception.predicates import SEEN
from tamp.runs.episode_log import EpisodeLog
from tamp.skills.builtin_specs import facts, table_specs

PLANNED = 30
"""Goals that a planner is asked about in one scene."""


def own_operators(domain: Domain) -> list[str]:
    """The operators that are a folder's own: bound to a skill of its own, or with an effect that is."""
    known = SEEN | facts()
    return [
        o
        for o in domain.operators
        if domain.skills.get(o) not in table_specs() or domain.changes.get(o, frozenset()) - known
    ]


@dataclass(eq=False)
class OperatorGoals:
    """A source of goals: each call gives another ground effect of an operator that does not hold yet, and that a plan
    with the operator reaches. Refusal when there is none left. `observers` are the domain's, `goal` the last one."""

    operator: str
    rng: np.random.Generator
    observers: Mapping[str, Observer] = field(default_factory=dict)
    goal: Goal | None = None
    _left: list[Atom] | None = None

    def __call__(
        self, scene: Scene, state: WorldState, domain: Domain, log: EpisodeLog, image: bytes | None
    ) -> tuple[Goal, ...]:
        """The next one; the scene must be the same each time."""
        if self._left is None:
            things = Things(scene)
            found = sorted(a for a in set(self._effects(domain, state)) - state.atoms if self._is_observed(a, things))
            self._left = [found[n] for n in self.rng.permutation(len(found))[:PLANNED]]
        while self._left:
            goal = Goal(self._left.pop(0))
            plan = Engine().solve(problem_of(domain, state, goal.parts)).plan
            if plan is not None and any(a.name == self.operator for a in plan.actions):
                self.goal = goal
                return (goal,)
        raise Refusal(self._nothing(domain, state))

    def _effects(self, domain: Domain, state: WorldState) -> Iterator[Atom]:
        """Every effect, those of the folder's own where there are some, with symbols of the parameters' types, no
        symbol twice."""
        symbols = state.known_to(domain).symbols
        types = dict(domain.operators[self.operator].parameters)
        adds, known = domain.adds.get(self.operator, ()), SEEN | facts()
        for effect in [p for p in adds if p.name not in known] or adds:
            names = [n for n, _ in effect.parameters]
            choices = [
                [s for s, kind in symbols.items() if domain.is_a(kind, types[n])] if n in types else [n] for n in names
            ]
            for args in itertools.product(*choices):
                by_name = dict(zip(names, args, strict=True))
                if len(set(by_name.values())) == len(by_name):
                    yield Atom(effect.name, tuple(by_name[n] for n in names))

    def _is_observed(self, atom: Atom, things: Things) -> bool:
        """Whether an observer, where the predicate has one, is called for such things at all."""
        observer = self.observers.get(atom.predicate)
        return observer is None or all(observer.asks_of(things, s) for s in atom.args)

    def _nothing(self, domain: Domain, state: WorldState) -> str:
        """Why there is no goal."""
        symbols = state.known_to(domain).symbols.values()
        for _, kind in domain.operators[self.operator].parameters:
            if not any(domain.is_a(k, kind) for k in symbols):
                return f"nothing of type {kind} is there"
        message = f"no plan with {self.operator} reaches an effect of it that does not hold already"
        return f"{message}; where it has one: a case in tests/, or --scene"
