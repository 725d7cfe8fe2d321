"""A scene in the symbols of one domain: what the toolkit sees, what the domain's observers see, what is believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from motion.world import World
from tamp.model.atoms import Atom, GroundAction
from tamp.model.domain import Domain
from tamp.model.scene import RobotState, Scene
from tamp.model.state import WorldState
from tamp.perception.beliefs import Beliefs, effects_in
from tamp.perception.observers import Moment, Observer, View, seen_by
from tamp.perception.predicates import SEEN, held_in, observe

LONGEST = 36_000
"""Moments of the trail that are kept: half an hour at 20 Hz."""


@dataclass(eq=False)
class Sight:
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
        """The first of some atoms that can never be seen to hold: nobody looks at it, and it is not believed."""
        ways = {*SEEN, *self.observers, *self.domain.table.beliefs}
        return next((a for a in atoms if a.predicate not in ways and a not in self.known.atoms), None)
