"""Observers, functions of a domain folder that decide one of its predicates; and the estimate of a session's state.

The state has what built-in predicates and observers see, and what is believed without being seen: an executed operator
asserted it, or it was seen once and lasts.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from motion.poses import Array
from tamp.errors import InputError
from tamp.model.atoms import Atom, GroundAction
from tamp.model.domain import Belief, Domain
from tamp.model.scene import Joint, Part, Region, RobotState, Scene, SceneObject
from tamp.model.state import WorldState, problem_of
from tamp.perception import relations
from tamp.perception.predicates import SEEN, TOUCHING, held_in, observe
from tamp.user_code import user_code

if TYPE_CHECKING:
    from motion.world import World

LONGEST = 36_000
"""Moments of the trail that are kept: half an hour at 20 Hz."""
Unit = Literal["m", "rad", "s", "1"]
LARGEST: Mapping[str, float] = {"m": 2.0, "rad": math.pi, "s": 3600.0, "1": 1.0}
"""The largest tolerance of each unit that is one: millimetres and degrees are not."""
Need = Literal["object", "region", "joint", "shape"]
NEEDS: tuple[Need, ...] = ("object", "region", "joint", "shape")
SECONDS = 2.0
"""Seconds that an observer may take for one scene."""


@dataclass(eq=False)
class Things:
    """The things of `scene`. A symbol is the name of an object or of one of its regions; one that stands for nothing
    raises KeyError with the names that do."""

    scene: Scene

    def thing(self, symbol: str) -> SceneObject:
        """The object with this name, or the one that has this region."""
        if self.region(symbol) is not None:
            return self.scene.region(symbol)[0]
        names = [o.name for o in self.scene]
        if symbol not in names:
            regions = [r.name for _, r in self.scene.regions()]
            raise KeyError(f"there is no {symbol!r}; valid: {', '.join([*names, *regions])}")
        return self.scene.object(symbol)

    def region(self, symbol: str) -> Region | None:
        """The region with this name; None for an object."""
        return next((r for _, r in self.scene.regions() if r.name == symbol), None)

    def pose(self, symbol: str) -> Array:
        """Pose (4, 4) of an object, or of a region's centre, in the world."""
        region = self.region(symbol)
        return (self.thing(symbol).T_world_object if region is None else region.T_world_region).copy()

    def position(self, symbol: str) -> Array:
        """Origin (3,) of an object, or centre of a region, in the world: metres."""
        return self.pose(symbol)[:3, 3]

    def box(self, symbol: str) -> tuple[Array, Array]:
        """Lower and upper corner (3,), (3,) of the world-aligned box around an object or a region: metres."""
        region = self.region(symbol)
        if region is None:
            return self.thing(symbol).bounds()
        middle, half = region.T_world_region[:3, 3], region.world_half_extent()
        return middle - half, middle + half

    def middle(self, symbol: str) -> Array:
        """Middle (3,) of the box around an object or a region."""
        low, high = self.box(symbol)
        return 0.5 * (low + high)

    def size(self, symbol: str) -> Array:
        """Size (3,) of the box around an object or a region: metres."""
        low, high = self.box(symbol)
        return high - low

    def top(self, symbol: str) -> float:
        """Height of the highest point of an object or a region in the world: metres."""
        return float(self.box(symbol)[1][2])

    def moving_part(self, symbol: str) -> Part | None:
        """The door or drawer behind which a region lies or which it is in; of an object its knob, or the first of its
        parts that moves on a joint; None without one."""
        region, thing = self.region(symbol), self.thing(symbol)
        if region is not None:
            named = region.door or region.part
            return next((p for p in thing.parts if p.name == named and p.joint is not None), None)
        jointed = [p for p in thing.parts if p.joint is not None]
        return next((p for p in jointed if p.kind == "knob"), jointed[0] if jointed else None)

    def joint(self, symbol: str) -> Joint | None:
        """The joint of `moving_part`, with `value`, `limits`, `active` (open or on from there) and `rest` (closed or
        off from there): metres or radians."""
        part = self.moving_part(symbol)
        return None if part is None else part.joint

    def apart(self, a: str, b: str) -> float:
        """Metres between the positions of two symbols, seen from above."""
        return float(np.linalg.norm((self.position(a) - self.position(b))[:2]))


class Moment(NamedTuple):
    """Where the tool was in one control period, how far open the fingers were (m), and what was held."""

    time: float
    T_world_tool: Array
    opening: float
    held: str | None


@dataclass(eq=False)
class View(Things):
    """What an observer may look at: the scene as it is seen now, and what was before.

    `state` has the types of all symbols and the atoms that the toolkit sees itself; `held` is what is in the hand.
    `start` is the scene as the session began; `trail` has one moment for each control period since then.
    """

    state: WorldState
    held: str | None
    start: Scene
    trail: Sequence[Moment]
    world: World = field(repr=False)

    @property
    def T_world_tool(self) -> Array:
        """Pose (4, 4) of the tool: its third axis points where the fingers do, the first is the one they close on."""
        return self.scene.robot.T_world_tool

    @property
    def opening(self) -> float:
        """Metres between the fingers."""
        return self.scene.robot.opening

    def holds(self, predicate: str, *args: str) -> bool:
        """Whether an atom that the toolkit sees itself holds: `view.holds("on", cup, shelf)`."""
        return Atom(predicate, args) in self.state.atoms

    def symbols(self, *kinds: str) -> list[str]:
        """All symbols that are seen, or those of some of the types that the toolkit sees: `view.symbols("drawer")`."""
        return [s for s, kind in self.state.symbols.items() if not kinds or kind in kinds]

    def distance(self, a: str, b: str, limit: float = 0.2) -> float:
        """Metres between the surfaces of two things, `limit` where it is more."""
        first, second = self.thing(a), self.thing(b)
        pairs = [(p, q) for p in first.parts for q in second.parts if p.shapes and q.shapes]
        return min((self.world.distance(p.name, q.name, limit) for p, q in pairs), default=limit)

    def touching(self, a: str, b: str) -> bool:
        """Whether two things touch, within 4 mm."""
        return self.distance(a, b, 2 * TOUCHING) < TOUCHING

    def tilt(self, symbol: str) -> float:
        """Radians between what pointed straight up on an object as the session began and what does now."""
        up = self.start.object(symbol).T_world_object[2, :3]
        return float(np.arccos(np.clip(self.pose(symbol)[2, :3] @ up, -1.0, 1.0)))

    def moved(self, symbol: str) -> float:
        """Metres that a symbol's position is away from where it was as the session began."""
        return float(np.linalg.norm(self.position(symbol) - Things(self.start).position(symbol)))


Decide = Callable[..., bool]
"""`decide(view, *symbols)`, one symbol for each argument of the predicate."""


@dataclass(frozen=True, eq=False)
class Observer:
    """Decides one predicate.

    `tolerance` is the value of the function's argument of this name, in `unit`; None when there is none. An observer is
    only asked of symbols that are what it `needs`: objects, regions, with a joint, with a known shape. With `keeps`
    what was seen once holds until an operator takes it away.
    """

    predicate: str
    decide: Decide
    tolerance: float | None = None
    unit: Unit = "m"
    needs: tuple[Need, ...] = ()
    keeps: bool = False

    @property
    def symbols(self) -> int | None:
        """How many symbols the function takes after the view; None when that can be any number."""
        kinds = inspect.Parameter
        taken = [p for p in inspect.signature(self.decide).parameters.values() if p.name != "tolerance"]
        if any(p.kind is kinds.VAR_POSITIONAL for p in taken):
            return None
        return len([p for p in taken if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]) - 1

    def asks_of(self, view: Things, symbol: str) -> bool:
        """Whether a symbol is what the observer needs."""
        region = view.region(symbol)
        have = {
            "object": region is None,
            "region": region is not None,
            "joint": view.joint(symbol) is not None,
            "shape": any(p.shapes for p in view.thing(symbol).parts),
        }
        return all(have[need] for need in self.needs)

    def __call__(self, view: View, *args: str) -> bool:
        """Whether the predicate holds of some symbols. InputError for what is no answer."""
        answer = self.decide(view, *args)
        if not isinstance(answer, bool | np.bool_):
            raise InputError(
                f"the observer of ({' '.join((self.predicate, *args))}) answered {answer!r}; valid: True, False"
            )
        return bool(answer)


def observes(
    predicate: str, *, unit: Unit = "m", needs: Sequence[Need] = (), keeps: bool = False
) -> Callable[[Decide], Observer]:
    """Makes the observer of a predicate out of a function `f(view, *symbols, tolerance=...)`.

    The default of `tolerance`, if the function has it, is the tolerance, in `unit`: "m", "rad", "s", or "1" for a
    share. Raises InputError for an unknown unit or need, and for a tolerance that cannot be in this unit.
    """

    def made(decide: Decide) -> Observer:
        if unit not in LARGEST:
            raise InputError(f"observer of {predicate}: unit {unit!r}; valid: {', '.join(LARGEST)}")
        if unknown := [n for n in needs if n not in NEEDS]:
            raise InputError(f"observer of {predicate}: needs {unknown[0]!r}; valid: {', '.join(NEEDS)}")
        declared = inspect.signature(decide).parameters.get("tolerance")
        tolerance = None if declared is None else _tolerance(predicate, declared.default, unit)
        return Observer(predicate, decide, tolerance, unit, tuple(needs), keeps)

    return made


def _tolerance(predicate: str, value: Any, unit: Unit) -> float:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if not good or not 0 < value <= LARGEST[unit]:
        stated = "nothing" if value is inspect.Parameter.empty else f"{value!r} {unit}"
        valid = f"above 0, up to {LARGEST[unit]:g} {unit}"
        raise InputError(f"observer of {predicate}: its tolerance is {stated}; valid: {valid}")
    return float(value)


def seen_by(observers: Mapping[str, Observer], view: View, domain: Domain) -> frozenset[Atom]:
    """The atoms of a domain that its own observers see. InputError with file and line where one fails."""
    found: set[Atom] = set()
    known = view.state.known_to(domain).symbols
    seen = {s: kind for s, kind in known.items() if not view.scene.unseen([s])}
    for name, observer in observers.items():
        with user_code(observer.decide, f"the observer of {name}", SECONDS):
            found |= {Atom(name, args) for args in _asked(observer, view, domain, seen) if observer(view, *args)}
    return frozenset(found)


def _asked(observer: Observer, view: View, domain: Domain, symbols: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """Every way to say what a predicate can be about, no symbol twice."""
    kinds = [kind for _, kind in domain.predicates[observer.predicate].parameters]
    eligible = [s for s in symbols if observer.asks_of(view, s)]
    fitting = [[s for s in eligible if domain.is_a(symbols[s], kind)] for kind in kinds]
    return (args for args in itertools.product(*fitting) if len(set(args)) == len(args))


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
        ages = {name: rule.age for name, rule in self.rules.items() if rule.age is not None}
        return frozenset(a for a, begun in self.since.items() if time - begun <= ages.get(a.predicate, math.inf))

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


def effects_in(domain: Domain, state: WorldState, action: GroundAction) -> dict[Atom, bool]:
    """The atoms that an action makes true or false in a state, those of its conditional and quantified effects too."""
    from unified_planning.engines import UPSequentialSimulator

    problem = problem_of(domain, state, (), whole=True)
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
    """Says scenes in symbols, for one session. `world` is the kinematic copy that is looked into; of the relations
    between things those `asked` for are seen, which goals speak of."""

    domain: Domain
    observers: Mapping[str, Observer]
    world: World
    asked: tuple[Atom, ...] = ()
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
        state = state.with_facts(relations.observed(state, scene, self.asked, self.domain) - doubted)
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
        ways = {*SEEN, *relations.seen(self.domain), *self.observers, *self.domain.table.beliefs}
        return next((a for a in atoms if a.predicate not in ways and a not in self.known.atoms), None)
