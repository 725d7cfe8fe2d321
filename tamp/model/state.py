"""The symbolic state: ground atoms that hold in a scene, and how they are written down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.formula import And, Formula, Not, Or, literals

WANTED = "wanted-"
"""Before a predicate's name: the name of another one, which is true of what the goal asks for."""


@dataclass(frozen=True)
class WorldState:
    """Typed symbols and the atoms that hold. `time` is the scene's, in seconds. Those in `nearly` hold by a tolerance
    of planning alone: a goal that is about them is not reached yet."""

    symbols: dict[str, str]
    atoms: frozenset[Atom]
    time: float = 0.0
    nearly: frozenset[Atom] = frozenset()

    def holds(self, atom: Atom) -> bool:
        """Whether `atom` holds."""
        return atom in self.atoms

    def with_facts(self, facts: frozenset[Atom]) -> WorldState:
        """The same state with more atoms, as refinement finds them out."""
        return replace(self, atoms=self.atoms | facts)

    def without(self, atoms: frozenset[Atom]) -> WorldState:
        """The same state without some atoms."""
        return replace(self, atoms=self.atoms - atoms)

    def known_to(self, domain: Domain) -> WorldState:
        """Only the symbols and atoms that `domain` has types and predicates for."""
        symbols = {s: t for s, t in self.symbols.items() if t in domain.types}
        atoms = frozenset(
            a for a in self.atoms if a.predicate in domain.predicates and all(s in symbols for s in a.args)
        )
        return replace(self, symbols=symbols, atoms=atoms)

    def to_init(self) -> str:
        """The atoms as PDDL, sorted, one a line."""
        return "\n".join(f"    {a}" for a in sorted(self.atoms))


def problem_text(domain: Domain, state: WorldState, goal: str, name: str = "scene") -> str:
    """A PDDL problem: the state's symbols and atoms, and `goal` as a PDDL condition. Sorted, so stable."""
    known = state.known_to(domain)
    objects = "\n".join(f"    {s} - {t}" for s, t in sorted(known.symbols.items()))
    return (
        f"(define (problem {name})\n  (:domain {domain.name})\n  (:objects\n{objects}\n  )\n"
        f"  (:init\n{known.to_init()}\n  )\n  (:goal\n    {goal}\n  )\n)\n"
    )


def state_of(problem: Any) -> WorldState:
    """The objects and the initial facts of unified-planning's Problem: what `problem_of` makes a problem of."""
    symbols = {o.name: o.type.name for o in problem.all_objects}
    true = (f for f, value in problem.explicit_initial_values.items() if value.is_true())
    return WorldState(symbols, frozenset(Atom(f.fluent().name, tuple(str(a) for a in f.args)) for f in true))


def wanted(domain: Domain, goal: Iterable[Formula]) -> frozenset[Atom]:
    """The facts that say to the domain what is wanted, of the predicates that it has such facts for."""
    atoms = (x for part in goal for x in literals(part) if isinstance(x, Atom))
    return frozenset(Atom(WANTED + a.predicate, a.args) for a in atoms if WANTED + a.predicate in domain.predicates)


def problem_of(domain: Domain, state: WorldState, goal: Iterable[Formula], whole: bool = False) -> Any:
    """The same problem as `problem_text` makes, as unified-planning's Problem: building it takes a few
    milliseconds, reading it a quarter of a second. All of `goal` is to hold; unless it is to be `whole`, effects
    that matter neither to the goal nor to a condition are left out."""
    goal = tuple(goal)
    known = state.with_facts(wanted(domain, goal)).known_to(domain)
    problem = domain.parsed.clone()
    problem.name = "scene"
    objects = {s: problem.add_object(s, problem.user_type(kind)) for s, kind in sorted(known.symbols.items())}
    for atom in sorted(known.atoms):
        problem.set_initial_value(_fluent(problem, objects, atom), True)
    for part in goal:
        problem.add_goal(_condition(problem, objects, part))
    if not whole:
        leave_relevant(problem)
    return problem


def leave_relevant(problem: Any) -> None:
    """Leave of a problem's effects those on what a condition or the goal asks about; where only the goal does, and they
    are quantified, those on its atoms, and no predicates that nothing names: grounding is quick however many things
    there are. An action keeps at least one effect."""
    if not all(hasattr(action, "preconditions") for action in problem.actions):
        return
    goals = {f for goal in (*problem.goals, *problem.trajectory_constraints) for f in _fluents(goal)}
    effects = [e for action in problem.actions for e in action.effects]
    needed = {f.fluent() for action in problem.actions for c in action.preconditions for f in _fluents(c)}
    needed |= {f.fluent() for e in effects for f in _fluents(e.value)}
    numbers = {e.fluent.fluent() for e in effects if not e.value.is_bool_constant()}
    asked = needed | numbers | {f.fluent() for f in goals}
    while more := {f.fluent() for e in effects if e.fluent.fluent() in asked for f in _fluents(e.condition)} - needed:
        needed, asked = needed | more, asked | more
    for action in problem.actions:
        kept = [
            new
            for e in action.effects
            if e.fluent.fluent() in asked
            for new in (_on(e, goals) if e.forall and e.fluent.fluent() not in needed else (e,))
        ]
        if kept and kept != action.effects:
            action.clear_effects()
            for effect in kept:
                action._add_effect_instance(effect)
    named = asked | needed | {e.fluent.fluent() for action in problem.actions for e in action.effects}
    named |= {f.fluent() for f, value in problem.explicit_initial_values.items() if not value.is_false()}
    problem._fluents[:] = [f for f in problem.fluents if f in named]


def _on(effect: Any, atoms: Iterable[Any]) -> Iterator[Any]:
    """A quantified effect on each of some ground atoms."""
    made = []
    for atom in (a for a in atoms if a.fluent() == effect.fluent.fluent()):
        pairs = list(zip(effect.fluent.args, atom.args, strict=True))
        given = {term: value for term, value in pairs if term.is_variable_exp()}
        if all(term.type in value.type.ancestors and given.get(term, value) == value for term, value in pairs):
            left = tuple(v for v in effect.forall if all(term.variable() != v for term in given))
            terms = (effect.fluent.substitute(given), effect.value, effect.condition.substitute(given))
            made.append(type(effect)(*terms, effect.kind, left))
    return (e for n, e in enumerate(made) if e not in made[:n])


def _fluents(expression: Any) -> Iterator[Any]:
    """The atoms in an expression."""
    if expression.is_fluent_exp():
        yield expression
    for part in expression.args:
        yield from _fluents(part)


def _condition(problem: Any, objects: dict[str, Any], formula: Formula) -> Any:
    manager = problem.environment.expression_manager
    match formula:
        case Atom():
            return _fluent(problem, objects, formula)
        case Not(atom):
            return manager.Not(_fluent(problem, objects, atom))
        case And(parts):
            return manager.And(*(_condition(problem, objects, p) for p in parts))
        case Or(parts):
            return manager.Or(*(_condition(problem, objects, p) for p in parts))


def _fluent(problem: Any, objects: dict[str, Any], atom: Atom) -> Any:
    return problem.fluent(atom.predicate)(*(objects[a] for a in atom.args))
