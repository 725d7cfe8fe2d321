"""Random domains and problems in PDDL, as strategies for property tests.

They have subtypes, constants, negation, disjunction, implication, quantifiers, equality, numbers, conditional and
universal effects: what `tamp validate` follows. Names are declared and typed, so that each of them parses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

TYPES = {"box": ("box", "crate"), "crate": ("crate",), "spot": ("spot",)}
"""Each type with those of its kind."""
CONSTANTS = {"b1": "box", "c1": "crate", "s1": "spot"}
OBJECTS = {**CONSTANTS, "b2": "box", "s2": "spot"}
PREDICATES = {"at": ("box", "spot"), "full": ("spot",), "sealed": ("crate",), "done": ()}
NUMBERS = {"load": ("spot",), "spent": ()}

Scope = dict[str, str]
"""Variables and objects that a condition may speak of, and their types."""


@dataclass(frozen=True)
class Operator:
    """A name, typed parameters, a precondition and effects, in PDDL."""

    name: str
    parameters: Scope
    precondition: str
    effects: tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """A planning problem. Its texts are made from the parts, so that a test can put others in their place."""

    operators: tuple[Operator, ...]
    init: tuple[str, ...]
    goal: str

    @property
    def domain(self) -> str:
        actions = "".join(
            f" (:action {o.name} :parameters ({_typed(o.parameters)})\n"
            f"  :precondition {o.precondition}\n  :effect (and {' '.join(o.effects)}))\n"
            for o in self.operators
        )
        functions = f" (:functions {_declared(NUMBERS)})\n" if any("=" in fact for fact in self.init) else ""
        return (
            "(define (domain boxes)\n (:requirements :adl :fluents)\n"
            f" (:types box spot - object crate - box)\n (:constants {_typed(CONSTANTS, '')})\n"
            f" (:predicates {_declared(PREDICATES)})\n{functions}{actions})\n"
        )

    @property
    def problem(self) -> str:
        objects = _typed({o: t for o, t in OBJECTS.items() if o not in CONSTANTS}, "")
        init = " ".join(self.init)
        return f"(define (problem p) (:domain boxes)\n (:objects {objects})\n (:init {init})\n (:goal {self.goal}))\n"


def _typed(names: Scope, mark: str = "?") -> str:
    return " ".join(f"{mark}{name} - {kind}" for name, kind in names.items())


def _declared(symbols: dict[str, tuple[str, ...]]) -> str:
    return " ".join(
        f"({' '.join((name, *(f'?x{i} - {kind}' for i, kind in enumerate(kinds))))})" for name, kinds in symbols.items()
    )


def terms(scope: Scope, kind: str) -> list[str]:
    """What of a scope may stand where a type is asked for. A name in a scope is as it is written there."""
    return [name for name, its in scope.items() if kind in ("object", its) or its in TYPES.get(kind, ())]


def _applied(symbols: dict[str, tuple[str, ...]], scope: Scope) -> st.SearchStrategy[str]:
    """A symbol with arguments of the scope, of those for which it has any."""
    able = [name for name, kinds in symbols.items() if all(terms(scope, k) for k in kinds)]

    def with_arguments(name: str) -> st.SearchStrategy[str]:
        chosen = [st.sampled_from(terms(scope, kind)) for kind in symbols[name]]
        return st.tuples(*chosen).map(lambda arguments: f"({' '.join((name, *arguments))})")

    return st.sampled_from(able).flatmap(with_arguments)


def atoms(scope: Scope) -> st.SearchStrategy[str]:
    return _applied(PREDICATES, scope)


def numbers(scope: Scope) -> st.SearchStrategy[str]:
    """An expression that has a number for a value."""
    leaf = st.integers(0, 4).map(str) | _applied(NUMBERS, scope)
    return leaf | st.tuples(st.sampled_from("+-*"), leaf, leaf).map(lambda p: f"({' '.join(p)})")


def conditions(scope: Scope, numeric: bool = True, depth: int = 3) -> st.SearchStrategy[str]:
    """A condition over a scope. Quantifiers add variables, which have names of their own at each depth."""
    leaves = [atoms(scope)]
    if numeric:
        compared = st.tuples(st.sampled_from(["<", "<=", "=", ">=", ">"]), numbers(scope), numbers(scope))
        leaves.append(compared.map(lambda p: f"({' '.join(p)})"))
    if boxes := terms(scope, "box"):
        same = st.tuples(st.sampled_from(boxes), st.sampled_from(boxes))
        leaves.append(same.map(lambda p: f"(= {' '.join(p)})"))
    if not depth:
        return st.one_of(leaves)
    below = conditions(scope, numeric, depth - 1)
    joined = st.tuples(st.sampled_from(["and", "or"]), st.lists(below, min_size=1, max_size=3))
    return st.one_of(
        *leaves,
        joined.map(lambda p: f"({p[0]} {' '.join(p[1])})"),
        below.map(lambda c: f"(not {c})"),
        st.tuples(below, below).map(lambda p: f"(imply {p[0]} {p[1]})"),
        st.sampled_from(list(TYPES)).flatmap(_quantified(scope, numeric, depth)),
    )


def _quantified(scope: Scope, numeric: bool, depth: int) -> Callable[[str], st.SearchStrategy[str]]:
    def over(kind: str) -> st.SearchStrategy[str]:
        name = f"?q{depth}"
        inside = conditions({**scope, name: kind}, numeric, depth - 1)
        return st.tuples(st.sampled_from(["forall", "exists"]), inside).map(
            lambda p: f"({p[0]} ({name} - {kind}) {p[1]})"
        )

    return over


def effects(scope: Scope, numeric: bool = True, deep: bool = True) -> st.SearchStrategy[str]:
    """A fact that comes or goes, a number that changes; also under a condition, and for all of a type."""
    simple = [atoms(scope), atoms(scope).map(lambda a: f"(not {a})")]
    if numeric:
        verbs = st.sampled_from(["increase", "decrease", "assign"])
        changed = st.tuples(verbs, _applied(NUMBERS, scope), st.integers(0, 3).map(str))
        simple.append(changed.map(lambda p: f"({' '.join(p)})"))
    if not deep:
        return st.one_of(simple)
    under = st.tuples(conditions(scope, numeric, 1), effects(scope, numeric, False)).map(
        lambda p: f"(when {p[0]} {p[1]})"
    )
    for_all = effects({**scope, "?e": "spot"}, numeric, False).map(lambda e: f"(forall (?e - spot) {e})")
    return st.one_of(*simple, under, for_all)


def operators(name: str, numeric: bool = True) -> st.SearchStrategy[Operator]:
    def with_parameters(kinds: list[str]) -> st.SearchStrategy[Operator]:
        parameters = {f"p{i}": kind for i, kind in enumerate(kinds)}
        scope = {**{f"?{p}": kind for p, kind in parameters.items()}, **CONSTANTS}
        some = st.lists(effects(scope, numeric), min_size=1, max_size=3, unique=True).map(tuple)
        return st.builds(Operator, st.just(name), st.just(parameters), conditions(scope, numeric, 2), some)

    return st.lists(st.sampled_from(list(TYPES)), max_size=2).flatmap(with_parameters)


def facts() -> list[str]:
    """All that can be true of the objects."""
    found = ["(done)", *(f"(full {s})" for s in terms(OBJECTS, "spot"))]
    found += [f"(sealed {c})" for c in terms(OBJECTS, "crate")]
    return found + [f"(at {b} {s})" for b in terms(OBJECTS, "box") for s in terms(OBJECTS, "spot")]


def _valued(number: str, value: int) -> str:
    return f"(= ({number}) {value})"


def tasks(numeric: bool = True) -> st.SearchStrategy[Task]:
    """Problems of one to three operators."""
    values = st.tuples(*[st.integers(0, 3)] * 3).map(lambda v: tuple(map(_valued, ("load s1", "load s2", "spent"), v)))
    true = st.lists(st.sampled_from(facts()), unique=True).map(tuple)
    init = st.tuples(true, values).map(lambda p: p[0] + p[1]) if numeric else true
    some = st.integers(1, 3).flatmap(lambda n: st.tuples(*(operators(f"act{i}", numeric) for i in range(n))))
    return st.builds(Task, some, init, conditions(dict(OBJECTS), numeric))
