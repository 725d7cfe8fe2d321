"""Estimate the symbolic state of a session: built-in predicates, the domain's observers, and beliefs.

A belief holds without being seen: an executed operator asserted it, or it was seen once and lasts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from motion.world import World
from tamp.model.atoms import Atom, GroundAction
from tamp.model.domain import Domain
from tamp.model.scene import RobotState, Scene
from tamp.model.skill_table import Belief
from tamp.model.state import WorldState, problem_of
from tamp.perception.observers import Moment, Observer, View, seen_by
from tamp.perception.predicates import SEEN, held_in, observe

LONGEST = 36_000
"""Moments of the trail that are kept: half an hour at 20 Hz."""


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


@dataclass(eq=False)
class StateEstimator:
    """Says scenes in symbols, for one session. `world` is the kinematic copy that is looked into."""

    domain: Domain
    observers: Mapping[str, Observer]
    world: World
    beliefs: Beliefs = field(init=False)
    trail: list[Moment] = field(default_factory=list)
    known: WorldState = field(default_factory=lambda: WorldState({}, frozenset()))
    """What was seen and believed last."""
    _start: Scene | None = None
    _promised: tuple[GroundAction, WorldState, frozenset[Atom]] | None = None

    def __post_init__(self) -> None:
        lasting = frozenset(name for name, o in self.observers.items() if o.keeps)
        self.beliefs = Beliefs(self.domain, self.domain.table.beliefs, lasting)

    def felt(self, time: float, robot: RobotState) -> None:
        """Where the arm is in this control period, for observers that look back."""
        if not self.observers:
            return
        self.trail.append(Moment(time, robot.T_world_tool, robot.opening, held_in(self.known)))
        if len(self.trail) > LONGEST:
            del self.trail[: LONGEST // 10]

    def state(self, scene: Scene, doubted: frozenset[Atom] = frozenset()) -> WorldState:
        """The atoms that hold in a scene, but for what is doubted. InputError where an observer fails."""
        state = observe(scene, self.world, doubted)
        if self.observers:
            self._start = self._start or scene
            view = View(scene, state, held_in(state), self._start, self.trail, self.world)
            seen = seen_by(self.observers, view, self.domain)
            self.beliefs.saw(seen, scene.time)
            state = state.with_facts(seen - doubted)
        if believed := self.beliefs.at(scene.time):
            state = state.with_facts(believed - doubted)
        self.known = state
        return state

    def carried_out(self, action: GroundAction, before: WorldState, time: float) -> bool:
        """Believe what an operator says; whether anything is believed or doubted by it."""
        return self.beliefs.carried_out(action, before, time)

    def missing(self, action: GroundAction, state: WorldState, before: WorldState) -> str | None:
        """An atom that an action adds in the state `before` it and that the domain's observers do not see, in words;
        None without one."""
        for atom in sorted(self._added(action, before)):
            if atom.predicate in self.observers and atom not in state.atoms:
                return f"{atom} is not seen"
        return None

    def _added(self, action: GroundAction, before: WorldState) -> frozenset[Atom]:
        """What an action adds; of conditional effects those that observers look at, whose condition holds before it."""
        added = self.domain.added_by(action)
        always = {a.name for a in self.domain.adds.get(action.name, ())}
        if not self.observers.keys() & (self.domain.changes.get(action.name, frozenset()) - always):
            return added
        if self._promised is None or self._promised[0] != action or self._promised[1] is not before:
            found = frozenset(a for a, true in effects_in(self.domain, before, action).items() if true)
            self._promised = (action, before, added | found)
        return self._promised[2]

    def unseeable(self, atoms: tuple[Atom, ...]) -> Atom | None:
        """The first of some atoms that can never be seen to hold: no observer decides it, and it is not believed."""
        ways = {*SEEN, *self.observers, *self.domain.table.beliefs}
        return next((a for a in atoms if a.predicate not in ways and a not in self.known.atoms), None)
