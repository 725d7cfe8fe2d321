"""The literals of operators, quick to instantiate: what each ground action needs, makes true and makes false.

Of conditions only the literals are kept, so that an action may seem possible that is not, never the other way round.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tamp.planners.relaxed import is_atom, parts

MOST_WAYS = 300
"""Ground actions that are told apart for one literal; where there are more, their free parameters are left open."""

Literal = tuple[str, tuple[str, ...], bool]
"""A predicate, its arguments, and whether it is to hold. Arguments are objects; in an operator also parameters, `?x`,
variables of a forall, `*x`, and `?` for what is neither."""
Binding = dict[str, str]
"""Parameters and variables, and the objects that they are."""


def literals(condition: Any) -> Iterator[Literal]:
    """The literals among the parts of a condition."""
    for part in parts([condition]):
        wanted = not part.is_not()
        atom = part if wanted else part.arg(0)
        if is_atom(atom):
            yield atom.fluent().name, tuple(map(_term, atom.args)), wanted


def _term(argument: Any) -> str:
    if argument.is_object_exp():
        return str(argument.object().name)
    if argument.is_variable_exp():
        return f"*{argument.variable().name}"
    return f"?{argument.parameter().name if argument.is_parameter_exp() else ''}"


def negated(literal: Literal) -> Literal:
    """The opposite."""
    name, args, wanted = literal
    return name, args, not wanted


@dataclass(frozen=True, eq=False)
class Effect:
    """`literal` is what it makes true, or either that or the opposite when not `known`. `whole` when it has no other
    conditions than these; `among` are the objects of each variable."""

    literal: Literal
    known: bool
    conditions: tuple[Literal, ...]
    whole: bool
    among: dict[str, frozenset[str]]

    def may_make(self, literal: Literal, binding: Binding) -> Binding | None:
        """With which bindings it could make a ground literal true; None when with none. What is not bound may be
        anything."""
        if literal[0] != self.literal[0] or (self.known and literal[2] is not self.literal[2]):
            return None
        bound = dict(binding)
        for term, named in zip(self.literal[1], literal[1], strict=True):
            if term != "?" and bound.setdefault(term, named if term[0] in "?*" else term) != named:
                return None
        return bound if all(bound[v] in some for v, some in self.among.items() if v in bound) else None

    def makes_when(self, literal: Literal, binding: Binding) -> tuple[Literal, ...] | None:
        """The conditions under which it certainly makes a ground literal true; None where none are known."""
        bound = self.may_make(literal, binding) if self.known and self.whole else None
        if bound is None or any(t[0] == "?" and t not in binding for t in self.literal[1]):
            return None
        return tuple((name, tuple(bound.get(t, t) for t in terms), wanted) for name, terms, wanted in self.conditions)


@dataclass(frozen=True, eq=False)
class Operator:
    """Parameters with the objects that each may be, and what is kept of the conditions; `unequal` are terms that must
    not be the same object."""

    objects: dict[str, tuple[str, ...]]
    conditions: tuple[Literal, ...]
    unequal: tuple[tuple[str, str], ...]
    effects: tuple[Effect, ...]

    def bindings(self, bound: Binding) -> Iterator[Binding]:
        """All ways to bind the parameters, some as they are bound; or that alone where there would be too many."""
        given = {p: bound[p] for p in self.objects if p in bound}
        if any(o not in self.objects[p] for p, o in given.items()):
            return
        free, count = [p for p in self.objects if p not in given], 1
        for parameter in free:
            count *= len(self.objects[parameter])
        if count > MOST_WAYS:
            yield given
            return
        for some in itertools.product(*(self.objects[p] for p in free)):
            binding = given | dict(zip(free, some, strict=True))
            if not any(binding.get(a, a) == binding.get(b, b) for a, b in self.unequal):
                yield binding


@dataclass(eq=False)
class Operators:
    """A problem's operators, and the facts of its beginning."""

    all: tuple[Operator, ...]
    facts: frozenset[tuple[str, tuple[str, ...]]]
    _ways: dict[Literal, list[tuple[Operator, Effect, Binding]]] = field(default_factory=dict)
    _known: dict[Literal, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, problem: Any) -> Operators | None:
        """None for a problem with times, with facts that hold unsaid, or in which more than its operators changes
        something."""
        acts = [type(a).__name__ == "InstantaneousAction" and a.simulated_effect is None for a in problem.actions]
        named = [p.type.is_user_type() for a in problem.actions for p in a.parameters]
        timed = problem.kind.has_continuous_time() or problem.kind.has_discrete_time()
        usual = [problem.fluents_defaults.get(f) for f in problem.fluents if f.type.is_bool_type()]
        closed = all(value is not None and value.is_false() for value in usual)
        if type(problem).__name__ != "Problem" or timed or not closed or not all(acts + named):
            return None
        begin = ((atom, value) for atom, value in problem.explicit_initial_values.items() if is_atom(atom))
        facts = frozenset((a.fluent().name, tuple(map(_term, a.args))) for a, value in begin if value.is_true())
        return cls(tuple(_operator(problem, a) for a in problem.actions), facts)

    def at_first(self, literal: Literal) -> bool:
        """Whether a ground literal holds in the beginning."""
        return (literal[:2] in self.facts) is literal[2]

    def ways(self, literal: Literal) -> list[tuple[Operator, Effect, Binding]]:
        """The ground actions that may make a ground literal true, each with the effect that does."""
        if literal not in self._ways:
            self._ways[literal] = [
                (operator, effect, binding)
                for operator in self.all
                for effect in operator.effects
                if (bound := effect.may_make(literal, {})) is not None
                for binding in operator.bindings(bound)
            ]
        return self._ways[literal]

    def needed(self, conditions: Iterable[Literal], binding: Binding) -> frozenset[Literal] | None:
        """The ground literals among conditions that may change; None where these cannot hold together.

        What has parameters that are not bound, or variables, is left out.
        """
        found = set()
        for name, terms, wanted in conditions:
            args = tuple(binding.get(t, t) for t in terms)
            literal = (name, args, wanted)
            if any(a[0] in "?*" for a in args):
                continue
            if not self._possible(literal):
                return None
            if self._possible(negated(literal)):
                found.add(literal)
        return None if any(negated(one) in found for one in found) else frozenset(found)

    def _possible(self, literal: Literal) -> bool:
        """Whether a ground literal holds in the beginning, or an operator may make it true."""
        if literal not in self._known:
            made = (e.may_make(literal, {}) is not None for o in self.all for e in o.effects)
            self._known[literal] = self.at_first(literal) or any(made)
        return self._known[literal]


def _operator(problem: Any, action: Any) -> Operator:
    objects = {f"?{p.name}": tuple(o.name for o in problem.objects(p.type)) for p in action.parameters}
    needs = parts(action.preconditions)
    unequal = tuple((c.arg(0).arg(0), c.arg(0).arg(1)) for c in needs if c.is_not() and c.arg(0).is_equals())
    conditions = tuple(literal for c in needs for literal in literals(c))
    effects = tuple(_effect(problem, e) for e in action.effects if is_atom(e.fluent))
    return Operator(objects, conditions, tuple((_term(a), _term(b)) for a, b in unequal), effects)


def _effect(problem: Any, effect: Any) -> Effect:
    (made,) = literals(effect.fluent)
    conditions, value = parts([effect.condition]), effect.value
    kept = tuple(literal for c in conditions for literal in literals(c))
    whole = effect.condition.is_true() or len(kept) == len(conditions)
    among = {f"*{v.name}": frozenset(o.name for o in problem.objects(v.type)) for v in effect.forall}
    known = value.is_bool_constant()
    return Effect(made if not value.is_false() else negated(made), known, kept, whole, among)
