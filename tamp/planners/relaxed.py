"""What could hold if nothing that holds were ever lost: what cannot even then, can never hold.

unified-planning's grounders, Fast Downward's where it supports the problem, give the actions; here is the fixpoint
over them, in which an atom that may change may have either value, and numbers any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tamp.pddl.conditions import written

Literal = tuple[Any, bool]
"""unified-planning's expression of a ground atom, and the value that it is to have."""


@dataclass(frozen=True, eq=False)
class Relaxed:
    """`changed` are the atoms that may have another value than in the initial state of the problem."""

    problem: Any
    changed: set[Any] = field(default_factory=set)

    def initial(self, atom: Any) -> bool:
        """Its value in the initial state."""
        return bool(self.problem.initial_value(atom).bool_constant_value())

    def possible(self, condition: Any, wanted: bool = True) -> bool:
        """Whether a ground condition without quantifiers could be true, or false. No is a proof, yes is not."""
        if condition.is_not():
            return self.possible(condition.arg(0), not wanted)
        if condition.is_and() or condition.is_or():
            test = all if condition.is_and() == wanted else any
            return test(self.possible(part, wanted) for part in condition.args)
        if condition.is_implies():
            each = self.possible(condition.arg(0), not wanted), self.possible(condition.arg(1), wanted)
            return any(each) if wanted else all(each)
        if is_atom(condition):
            return condition in self.changed or self.initial(condition) == wanted
        if condition.is_equals() and all(part.is_object_exp() for part in condition.args):
            return bool((condition.arg(0) == condition.arg(1)) == wanted)
        return not condition.is_bool_constant() or bool(condition.bool_constant_value() == wanted)

    def impossible(self, condition: Any, wanted: bool = True) -> Iterator[Literal]:
        """The literals for which a condition is not possible."""
        if condition.is_not():
            yield from self.impossible(condition.arg(0), not wanted)
        elif is_atom(condition):
            if not self.possible(condition, wanted):
                yield condition, wanted
        elif condition.is_implies():
            yield from self.impossible(condition.arg(0), not wanted)
            yield from self.impossible(condition.arg(1), wanted)
        elif condition.is_and() or condition.is_or():
            for part in condition.args:
                yield from self.impossible(part, wanted)


def is_atom(condition: Any) -> bool:
    """Whether it is a fluent that is true or false."""
    return bool(condition.is_fluent_exp() and condition.type.is_bool_type())


def in_pddl(literal: Literal) -> str:
    """A literal as it is written in PDDL."""
    atom, value = literal
    return written(atom) if value else f"(not {written(atom)})"


def parts(conditions: Iterable[Any]) -> list[Any]:
    """Conditions with their conjunctions taken apart, each once."""
    left, found = list(conditions)[::-1], []
    while left:
        condition = left.pop()
        if condition.is_and():
            left.extend(reversed(condition.args))
        else:
            found.append(condition)
    return list(dict.fromkeys(found))


def relax(problem: Any, actions: Iterable[Any]) -> Relaxed:
    """The fixpoint over ground actions of a problem without quantifiers: what these alone could change."""
    relaxed = Relaxed(problem)
    left = [(a, list(a.effects)) for a in actions]
    changing = True
    while changing:
        changing = False
        for action, effects in left:
            if not effects or not all(map(relaxed.possible, action.preconditions)):
                continue
            done = [e for e in effects if relaxed.possible(e.condition)]
            effects[:] = [e for e in effects if e not in done]
            before = len(relaxed.changed)
            relaxed.changed.update(e.fluent for e in done if is_atom(e.fluent) and _changes(e, relaxed))
            changing |= len(relaxed.changed) > before
    return relaxed


def _changes(effect: Any, relaxed: Relaxed) -> bool:
    value = effect.value
    return not value.is_bool_constant() or relaxed.initial(effect.fluent) != value.bool_constant_value()


def grounded(problem: Any) -> Any:
    """unified-planning's result of grounding a problem without quantifiers: `problem` has the ground actions that are
    not known to be impossible. UPException when it cannot be grounded."""
    from unified_planning.engines import CompilationKind
    from unified_planning.shortcuts import Compiler

    from tamp.planners.engines import engine, installed

    first = "fast-downward-reachability-grounder"
    name = first if installed(first) and engine(first).supports(problem.kind) else "up_grounder"
    with Compiler(name=name) as compiler:
        return compiler.compile(problem, CompilationKind.GROUNDING)
