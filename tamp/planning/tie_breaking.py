"""Which of several plans of one length: planners break ties by name, so names are given in an order that is meant.

Fast Downward, for one, takes the ground actions in the order of their names. What the scene's makers called
things would decide where something that is in the way is put. Places come before items, so that it is put on
a table rather than on another item; what the goal speaks of comes later, so that it is kept free; and what has
few things on it or in it comes before what has many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tamp.model.atoms import Atom, GroundAction
from tamp.model.domain import Domain
from tamp.model.formula import Formula, renamed
from tamp.model.state import WorldState
from tamp.pddl.planner import Plan
from tamp.perception.relations import RESTS_ON


@dataclass(frozen=True)
class Names:
    """Names for planning, by the scene's names; what has none keeps its own."""

    given: dict[str, str]

    def state(self, state: WorldState) -> WorldState:
        """The same state with the given names."""
        symbols = {self.given.get(s, s): kind for s, kind in state.symbols.items()}
        return replace(state, symbols=symbols, atoms=frozenset(self.atoms(state.atoms)))

    def atoms(self, atoms: Iterable[Atom]) -> list[Atom]:
        """The same atoms with the given names, in the same order."""
        return [Atom(a.predicate, tuple(self.given.get(s, s) for s in a.args)) for a in atoms]

    def formulas(self, parts: Iterable[Formula]) -> list[Formula]:
        """The same of a goal's formulas."""
        return [renamed(p, self.given) for p in parts]

    def plan(self, plan: Plan) -> Plan:
        """The same plan with the scene's names."""
        back = {name: s for s, name in self.given.items()}
        return Plan(tuple(GroundAction(a.name, tuple(back.get(s, s) for s in a.args)) for a in plan.actions))


def names(state: WorldState, goal: Iterable[Atom], domain: Domain, carried: frozenset[str]) -> Names:
    """A name for every symbol of `state`: places before items, which are of a type that is `carried`, what the goal
    does not speak of first, and of these what holds the least."""
    spoken_of = {s for atom in goal for s in atom.args}
    carries = Counter(a.args[1] for a in state.atoms if len(a.args) == 2 and a.predicate != RESTS_ON)

    def rank(s: str) -> tuple[bool, bool, int, str]:
        return any(domain.is_a(state.symbols[s], kind) for kind in carried), s in spoken_of, carries[s], s

    ranked = sorted(state.symbols, key=rank)
    return Names({s: f"n{rank:03d}-{s}" for rank, s in enumerate(ranked)})
