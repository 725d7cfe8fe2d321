"""Goals: type-checked conjunctions over the domain's predicates and the scene's symbols."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from tamp.atoms import Atom
from tamp.domain import Domain, Signature
from tamp.errors import InputError
from tamp.state import WorldState

_TOKEN = re.compile(r"[()]|[^\s()]+")


@dataclass(frozen=True)
class Goal:
    """A conjunction of positive atoms."""

    atoms: tuple[Atom, ...]

    def __str__(self) -> str:
        return str(self.atoms[0]) if len(self.atoms) == 1 else f"(and {' '.join(map(str, self.atoms))})"

    def missing(self, state: WorldState) -> tuple[Atom, ...]:
        """The atoms that do not hold in `state`."""
        return tuple(a for a in self.atoms if not state.holds(a))


def parse_goal(text: str, domain: Domain, symbols: dict[str, str]) -> Goal:
    """A goal from PDDL: one atom, or `(and …)` of atoms.

    `symbols` maps the scene's names to types. Raises InputError with the column (from 1) of what is wrong
    and what would be valid there.
    """
    atoms = [_atom(group, domain, symbols) for group in _groups(text)]
    return Goal(tuple(dict.fromkeys(atoms)))


def check_form(text: str, domain: Domain) -> None:
    """What `parse_goal` finds wrong without a scene: parentheses, predicates, how many arguments."""
    for group in _groups(text):
        _signature(group, domain)


def _fail(column: int, message: str) -> InputError:
    return InputError(f"goal, column {column}: {message}")


def _groups(text: str) -> list[list[tuple[str, int]]]:
    """Atoms as token lists with columns; the outer `(and …)` is taken off."""
    tokens = [(m.group().lower(), m.start() + 1) for m in _TOKEN.finditer(text)]
    if not tokens:
        raise _fail(1, "empty; valid: (predicate object …) or (and (…) (…))")
    nested = len(tokens) > 1 and tokens[0][0] == "(" and tokens[1][0] == "and"
    groups: list[list[tuple[str, int]]] = []
    depth, opened = 0, 0
    base = 1 if nested else 0
    for i, (token, column) in enumerate(tokens):
        if token == "(":
            depth += 1
            if depth == base + 1:
                groups.append([])
                opened = column
            elif depth > base + 1:
                raise _fail(column, "a goal is a conjunction of atoms: no nesting here")
        elif token == ")":
            depth -= 1
            if depth < 0:
                raise _fail(column, "')' closes nothing")
            if depth == 0 and i + 1 < len(tokens):
                raise _fail(tokens[i + 1][1], "text after the goal; join atoms with (and …)")
        elif depth == base + 1:
            groups[-1].append((token, column))
        elif not (nested and i == 1):
            raise _fail(column, f"expected '(' before {token!r}")
    if depth > 0:
        raise _fail(opened or 1, "'(' is never closed")
    if not groups or not all(groups):
        raise _fail(opened or 1, "empty atom; valid: (predicate object …)")
    return groups


def _signature(tokens: list[tuple[str, int]], domain: Domain) -> Signature:
    (predicate, column), args = tokens[0], tokens[1:]
    signature = domain.predicates.get(predicate)
    if signature is None:
        valid = _valid(predicate, domain.predicates)
        raise _fail(column, f"no predicate {predicate!r} in {domain.name}; {valid}")
    n = len(signature.parameters)
    if len(args) != n:
        wanted = " ".join(f"?{name} - {kind}" for name, kind in signature.parameters)
        raise _fail(column, f"{predicate} takes {n} arguments ({wanted}), got {len(args)}")
    return signature


def _atom(tokens: list[tuple[str, int]], domain: Domain, symbols: dict[str, str]) -> Atom:
    (predicate, _), args = tokens[0], tokens[1:]
    signature = _signature(tokens, domain)
    for (name, at), (_, kind) in zip(args, signature.parameters, strict=True):
        fitting = [s for s, t in symbols.items() if domain.is_a(t, kind)]
        if name not in symbols:
            raise _fail(at, f"no {name!r} in the scene; {_valid(name, fitting)}")
        if name not in fitting:
            wrong = f"{name} is a {symbols[name]}, {predicate} wants a {kind}"
            raise _fail(at, f"{wrong}; {_valid(name, fitting)}")
    return Atom(predicate, tuple(name for name, _ in args))


def _valid(name: str, options: object) -> str:
    names = sorted(options)  # type: ignore[call-overload]
    near = difflib.get_close_matches(name, names, 3, 0.5)
    return f"valid: {', '.join(near or names[:8]) or 'nothing in this scene'}"
