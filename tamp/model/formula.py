"""Ground formulas: atoms under `and`, `or` and `not`, the `not` on atoms only (negation normal form).

`conjunction`, `disjunction` and `negation` make simplified formulas: nested lists are flattened, what is said twice is
said once, and what is true or false whatever the state becomes `TRUE` or `FALSE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass
from math import prod

from tamp.model.atoms import Atom


@dataclass(frozen=True)
class Not:
    """An atom that is not to hold."""

    atom: Atom

    def __str__(self) -> str:
        return f"(not {self.atom})"


@dataclass(frozen=True)
class And:
    """All of the parts."""

    parts: tuple[Formula, ...]

    def __str__(self) -> str:
        return f"({' '.join(('and', *map(str, self.parts)))})"


@dataclass(frozen=True)
class Or:
    """At least one of the parts."""

    parts: tuple[Formula, ...]

    def __str__(self) -> str:
        return f"({' '.join(('or', *map(str, self.parts)))})"


Literal = Atom | Not
Formula = Atom | Not | And | Or

TRUE, FALSE = And(()), Or(())


def conjunction(parts: Iterable[Formula]) -> Formula:
    """All of the parts, simplified."""
    return _joined(And, parts, FALSE)


def disjunction(parts: Iterable[Formula]) -> Formula:
    """At least one of the parts, simplified."""
    return _joined(Or, parts, TRUE)


def negation(formula: Formula) -> Formula:
    """The opposite, with the `not` pushed down to the atoms."""
    match formula:
        case Atom():
            return Not(formula)
        case Not(atom):
            return atom
        case And(parts):
            return disjunction(map(negation, parts))
        case Or(parts):
            return conjunction(map(negation, parts))


def holds(formula: Formula, atoms: Set[Atom]) -> bool:
    """Whether a formula is true where exactly these atoms hold."""
    match formula:
        case Atom():
            return formula in atoms
        case Not(atom):
            return atom not in atoms
        case And(parts):
            return all(holds(p, atoms) for p in parts)
        case Or(parts):
            return any(holds(p, atoms) for p in parts)


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The parts that all have to hold: those of an `and`, else the formula itself."""
    return formula.parts if isinstance(formula, And) else (formula,)


def missing(formula: Formula, atoms: Set[Atom]) -> tuple[Formula, ...]:
    """The conjuncts that are false where exactly these atoms hold."""
    return tuple(p for p in conjuncts(formula) if not holds(p, atoms))


def literals(formula: Formula) -> tuple[Literal, ...]:
    """The atoms of a formula and the negated ones, in the order of the text, each once."""
    if isinstance(formula, Atom | Not):
        return (formula,)
    return tuple(dict.fromkeys(x for part in formula.parts for x in literals(part)))


def mapped(formula: Formula, change: Callable[[Literal], Formula]) -> Formula:
    """The formula with each literal replaced, simplified."""
    match formula:
        case Atom() | Not():
            return change(formula)
        case And(parts):
            return conjunction(mapped(p, change) for p in parts)
        case Or(parts):
            return disjunction(mapped(p, change) for p in parts)


def renamed(formula: Formula, names: dict[str, str]) -> Formula:
    """The formula with other names for symbols; those without one keep theirs."""

    def change(literal: Literal) -> Formula:
        if isinstance(literal, Not):
            return negation(change(literal.atom))
        return Atom(literal.predicate, tuple(names.get(s, s) for s in literal.args))

    return mapped(formula, change)


def ways(formula: Formula) -> int:
    """How many conjunctions of literals the disjunctive normal form has at most."""
    match formula:
        case And(parts):
            return prod(map(ways, parts))
        case Or(parts):
            return sum(map(ways, parts))
    return 1


def alternatives(formula: Formula) -> tuple[tuple[Literal, ...], ...]:
    """The disjunctive normal form: literals of which all together make a formula true, in the order of the text.

    Without those that contradict themselves, and those that ask for all of another one and for more. There are up to
    `ways(formula)`.
    """
    found = list(dict.fromkeys(map(frozenset, _expanded(formula))))
    least = [some for some in found if not any(other < some for other in found)]
    order = {x: n for n, x in enumerate(literals(formula))}
    return tuple(tuple(sorted(some, key=order.__getitem__)) for some in least)


def _expanded(formula: Formula) -> list[tuple[Literal, ...]]:
    match formula:
        case Or(parts):
            return [some for part in parts for some in _expanded(part)]
        case And(parts):
            found: list[tuple[Literal, ...]] = [()]
            for part in parts:
                found = [(*some, *more) for some in found for more in _expanded(part)]
            return [some for some in found if not any(negation(x) in some for x in some)]
        case Atom() | Not():
            return [(formula,)]


def _joined(kind: type[And] | type[Or], parts: Iterable[Formula], decisive: Formula) -> Formula:
    """Parts under `and` or `or`; one that is `decisive`, or two that exclude each other, decide for all."""
    flat: dict[Formula, None] = {}
    for part in parts:
        flat |= dict.fromkeys(part.parts if isinstance(part, And | Or) and type(part) is kind else (part,))
    if decisive in flat or any(Not(x) in flat for x in flat if isinstance(x, Atom)):
        return decisive
    return next(iter(flat)) if len(flat) == 1 else kind(tuple(flat))
