"""What is held to be so without being seen now: what was carried out, and what was seen once and lasts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from tamp.model.atoms import Atom, GroundAction
from tamp.model.domain import Domain
from tamp.model.skill_table import Belief
from tamp.model.state import WorldState, problem_of


@dataclass(eq=False)
class Beliefs:
    """Atoms with the time (s) since when they are believed. `rules` are the predicates that are believed when an
    operator was carried out, `lasting` those that last once they were seen."""

    domain: Domain
    rules: Mapping[str, Belief]
    lasting: frozenset[str] = frozenset()
    since: dict[Atom, float] = field(default_factory=dict)

    def at(self, time: float) -> frozenset[Atom]:
        """What is believed at a time: nothing that is older than its predicate may be."""
        return frozenset(a for a, begun in self.since.items() if time - begun <= self._age(a))

    def saw(self, atoms: frozenset[Atom], time: float) -> None:
        """What was seen: some of it lasts."""
        self.since.update(dict.fromkeys((a for a in atoms if a.predicate in self.lasting), time))

    def carried_out(self, action: GroundAction, before: WorldState, time: float) -> bool:
        """Take over what an operator does to what is believed, from the state before it; whether it does anything."""
        mine = self.rules.keys() | self.lasting
        if not mine & self.domain.changes.get(action.name, frozenset()):
            return False
        after = effects_in(self.domain, before, action)
        added = {a for a, true in after.items() if true and a.predicate in self.rules}
        for atom in {a for a, true in after.items() if not true and a.predicate in mine}:
            self.since.pop(atom, None)
        self.since.update(dict.fromkeys(added, time))
        return True

    def _age(self, atom: Atom) -> float:
        rule = self.rules.get(atom.predicate, Belief())
        return math.inf if rule.age is None else rule.age


def effects_in(domain: Domain, state: WorldState, action: GroundAction) -> dict[Atom, bool]:
    """The atoms that an action makes true or false in a state, those of its conditional and quantified effects too."""
    from unified_planning.engines import UPSequentialSimulator

    problem = problem_of(domain, state, ())
    simulator = UPSequentialSimulator(problem, error_on_failed_checks=False)
    start, operator = simulator.get_initial_state(), problem.action(action.name)
    manager = problem.environment.expression_manager
    given = dict(zip(operator.parameters, (manager.ObjectExp(problem.object(a)) for a in action.args), strict=True))
    found: dict[Atom, bool] = {}
    for effect in (e for whole in operator.effects for e in whole.expand_effect(problem)):
        if simulator._se.evaluate(effect.condition.substitute(given), start).is_true():
            fluent = effect.fluent.substitute(given)
            atom, true = Atom(fluent.fluent().name, tuple(map(str, fluent.args))), effect.value.is_true()
            found[atom] = found.get(atom, False) or true  # PDDL adds after it deletes
    return found
