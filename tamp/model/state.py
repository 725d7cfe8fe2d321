"""The symbolic state: ground atoms that hold in a scene, and how they are written down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.formula import And, Formula, Not, Or


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


def problem_of(domain: Domain, state: WorldState, goal: Iterable[Formula]) -> Any:
    """The same problem as `problem_text` makes, as unified-planning's Problem: building it takes a few
    milliseconds, reading it a quarter of a second. All of `goal` is to hold."""
    known = state.known_to(domain)
    problem = domain.parsed.clone()
    problem.name = "scene"
    objects = {s: problem.add_object(s, problem.user_type(kind)) for s, kind in sorted(known.symbols.items())}
    for atom in sorted(known.atoms):
        problem.set_initial_value(_fluent(problem, objects, atom), True)
    for part in goal:
        problem.add_goal(_condition(problem, objects, part))
    return problem


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
