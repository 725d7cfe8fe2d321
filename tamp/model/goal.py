"""Goals: ground formulas over the domain's predicates and the scene's symbols, and what must be left alone.

A goal is read from PDDL with `and or not imply forall exists =`. Quantifiers are spelled out over the scene when it is
read, so that nothing downstream sees more than `and`, `or` and negated atoms. What is asked for one after the other is
a tuple of goals.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from tamp.errors import InputError, Refusal
from tamp.model.atoms import Atom
from tamp.model.domain import Domain, Signature
from tamp.model.formula import (
    FALSE,
    TRUE,
    Formula,
    Not,
    alternatives,
    conjunction,
    conjuncts,
    disjunction,
    literals,
    missing,
    negation,
    ways,
)
from tamp.model.goal_syntax import Node, fail, tree, valid, with_article
from tamp.model.state import WANTED, WorldState

MOST_INSTANCES = 20_000
"""Ground instances that the quantifiers around one atom may make."""

CONNECTIVES = ("and", "or", "not", "imply", "forall", "exists", "=")


@dataclass(frozen=True)
class Variable:
    """What a quantifier says of a variable: the symbol that it stands for now, and its type."""

    value: str
    kind: str


Bound = Mapping[str, Variable]


@dataclass(frozen=True, eq=False)
class Reader:
    """Reads formulas over a domain and a scene's symbols.

    Without a scene (None) only the form is checked: parentheses, words, predicates, numbers of arguments, variables.
    """

    domain: Domain
    symbols: Mapping[str, str] | None = None

    def formula(self, node: Node, bound: Bound, instances: int = 1) -> Formula:
        """The formula that a node says. InputError with the column."""
        if node.word is not None:
            raise fail(node.column, f"expected '(' before {node.word!r}")
        if not node.parts:
            raise fail(node.column, "empty atom; valid: (predicate object …)")
        if node.parts[0].word is None:
            words = f"a predicate, {', '.join(CONNECTIVES)}"
            raise fail(node.parts[0].column, f"expected a word after '('; valid: {words}")
        match node.head:
            case "and" | "or" | "not" | "imply":
                return self._connected(node, bound, instances)
            case "forall" | "exists":
                return self._quantified(node, bound, instances)
            case "=":
                return self._equality(node, bound)
        return self._atom(node, bound)

    def _connected(self, node: Node, bound: Bound, instances: int) -> Formula:
        word, inner = node.head, node.parts[1:]
        if not inner:
            raise fail(node.column, f"empty atom in ({word}); valid: (predicate object …)")
        wanted = {"not": 1, "imply": 2}.get(word, len(inner))
        if len(inner) != wanted:
            raise fail(node.column, f"{word} takes {wanted} formula{'s' * (wanted > 1)}, got {len(inner)}")
        parts = [self.formula(part, bound, instances) for part in inner]
        match word:
            case "and":
                return conjunction(parts)
            case "or":
                return disjunction(parts)
            case "not":
                return negation(parts[0])
        return disjunction([negation(parts[0]), parts[1]])

    def _quantified(self, node: Node, bound: Bound, instances: int) -> Formula:
        if len(node.parts) != 3:
            raise fail(node.column, f"valid: ({node.head} (?x - type …) (…))")
        variables = self._variables(node.parts[1])
        choices = [self._of_type(name, kind) for name, kind in variables.items()]
        instances *= prod(map(len, choices))
        if instances > MOST_INSTANCES:
            raise fail(node.column, f"{instances} instances in this scene, {MOST_INSTANCES} at most: narrow the types")
        found = [self.formula(node.parts[2], {**bound, **some}, instances) for some in _choices(variables, choices)]
        return conjunction(found) if node.head == "forall" else disjunction(found)

    def _variables(self, node: Node) -> dict[str, str]:
        """Names and types of a quantifier's list, `object` where none is said."""
        found: dict[str, str] = {}
        untyped: list[str] = []
        words = iter(node.parts)
        for part in words:
            name = part.word or ""
            if name == "-" and untyped:
                after = next(words, part)
                found |= dict.fromkeys(untyped, self._type(after))
                untyped = []
            elif name.startswith("?") and name not in found and name not in untyped:
                untyped.append(name)
            else:
                raise fail(part.column, f"expected a variable and its type, not {name or '('!r}; valid: (?x - type)")
        found |= dict.fromkeys(untyped, "object")
        if not found:
            raise fail(node.column, "no variables; valid: (?x - type)")
        return found

    def _type(self, node: Node) -> str:
        if node.word != "object" and node.word not in self.domain.types:
            options = valid(node.word or "", ["object", *self.domain.types])
            raise fail(node.column, f"no type {node.word or '('!r} in {self.domain.name}; {options}")
        return str(node.word)

    def _of_type(self, name: str, kind: str) -> list[str]:
        """What a variable can stand for; itself where there is no scene."""
        if self.symbols is None:
            return [name]
        return [s for s, t in self.symbols.items() if self.domain.is_a(t, kind)]

    def _equality(self, node: Node, bound: Bound) -> Formula:
        if len(node.parts) != 3:
            raise fail(node.column, f"= takes 2 arguments, got {len(node.parts) - 1}")
        first, second = (self._symbol(part, "object", "=", bound) for part in node.parts[1:])
        return TRUE if first == second else FALSE

    def _atom(self, node: Node, bound: Bound) -> Formula:
        signature = self._signature(node)
        named = [part.word for part in node.parts[1:] if part.word is not None and not part.word.startswith("?")]
        twice = next((name for n, name in enumerate(named) if name in named[:n]), None)
        if twice is not None and WANTED + node.head in self.domain.predicates:
            raise fail(node.column, f"{node.head} is between different things, and {twice} is there twice")
        kinds = (kind for _, kind in signature.parameters)
        args = (self._symbol(a, kind, node.head, bound) for a, kind in zip(node.parts[1:], kinds, strict=True))
        return Atom(node.head, tuple(args))

    def _signature(self, node: Node) -> Signature:
        word, column, domain = node.head, node.parts[0].column, self.domain
        signature = domain.predicates.get(word)
        if signature is None:
            options = valid(word, [*domain.predicates, *CONNECTIVES])
            raise fail(column, f"no predicate {word!r} in {domain.name}; {options}")
        n = len(signature.parameters)
        if len(node.parts) - 1 != n:
            wanted = " ".join(f"?{name} - {kind}" for name, kind in signature.parameters)
            raise fail(column, f"{word} takes {n} arguments ({wanted}), got {len(node.parts) - 1}")
        return signature

    def _symbol(self, node: Node, kind: str, head: str, bound: Bound) -> str:
        """The symbol that an argument names, of the type that `head` wants."""
        name, domain = node.word, self.domain
        if name is None:
            raise fail(node.column, "no nesting here: an argument is a name")
        if name.startswith("?"):
            if name not in bound:
                raise fail(node.column, f"no quantifier says what {name!r} is; {valid(name, bound or ['names'])}")
            if not domain.is_a(bound[name].kind, kind):
                is_of, wanted = with_article(bound[name].kind), with_article(kind)
                raise fail(node.column, f"{name} is {is_of}, {head} wants {wanted}")
            return bound[name].value
        if self.symbols is None:
            return name
        fitting = [s for s, t in self.symbols.items() if domain.is_a(t, kind)]
        if name not in self.symbols:
            raise fail(node.column, f"no {name!r} in the scene; {self._valid(name, kind, fitting)}")
        if name not in fitting:
            wrong = f"{name} is {with_article(self.symbols[name])}, {head} wants {with_article(kind)}"
            raise fail(node.column, f"{wrong}; {self._valid(name, kind, fitting)}")
        return name

    def _valid(self, name: str, kind: str, fitting: list[str]) -> str:
        """What would have been valid: what is of that very type, then of one below it."""
        symbols = self.symbols or {}
        return valid(name, fitting, lambda s: symbols[s] != kind)


def _choices(variables: dict[str, str], choices: list[list[str]]) -> Iterator[dict[str, Variable]]:
    """Every way to say what the variables stand for."""
    for some in itertools.product(*choices):
        yield {n: Variable(value, kind) for (n, kind), value in zip(variables.items(), some, strict=True)}


UNTOUCHABLE = "untouchable"
"""The predicate by which a domain respects what is to be left alone."""

MOST_ALTERNATIVES = 8
"""Alternatives of a goal that are planned for one by one."""


@dataclass(frozen=True)
class Goal:
    """A formula that is to hold, and the symbols of what must not be moved or operated on the way."""

    formula: Formula
    untouched: tuple[str, ...] = ()

    @classmethod
    def of(cls, parts: Iterable[Formula], untouched: tuple[str, ...] = ()) -> Goal:
        """All of the parts."""
        return cls(conjunction(parts), untouched)

    def __str__(self) -> str:
        return str(self.formula)

    @property
    def parts(self) -> tuple[Formula, ...]:
        """What has to hold together: the parts of a conjunction, else the formula itself."""
        return conjuncts(self.formula)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms that it asks for, those of alternatives too; all of it for a conjunction of atoms."""
        return tuple(x for x in literals(self.formula) if isinstance(x, Atom))

    @property
    def mentioned(self) -> tuple[Atom, ...]:
        """Every atom that it speaks of, to be true or to be false."""
        return tuple(dict.fromkeys(x.atom if isinstance(x, Not) else x for x in literals(self.formula)))

    @property
    def symbols(self) -> tuple[str, ...]:
        """Every symbol that it speaks of."""
        return tuple(dict.fromkeys(s for a in self.mentioned for s in a.args))

    def missing(self, state: WorldState) -> tuple[Formula, ...]:
        """The parts that do not hold in `state`."""
        return missing(self.formula, state.atoms - state.nearly)

    def alternatives(self) -> tuple[Goal, ...]:
        """The goals without `or` of which any one will do; the goal itself where they are too many."""
        if ways(self.formula) > MOST_ALTERNATIVES:
            return (self,)
        return tuple(replace(self, formula=conjunction(some)) for some in alternatives(self.formula)) or (self,)

    def rules(self, domain: Domain, state: WorldState) -> frozenset[Atom]:
        """The facts that keep the planner from touching what is to be left alone.

        Raises Refusal where the domain has no predicate that says it of such a thing.
        """
        predicate = domain.predicates.get(UNTOUCHABLE)
        kinds = [kind for _, kind in predicate.parameters] if predicate else []
        for name in self.untouched:
            if len(kinds) != 1 or name not in state.symbols or not domain.is_a(state.symbols[name], kinds[0]):
                said = f"({UNTOUCHABLE} ?o - {state.symbols.get(name, 'object')})"
                raise Refusal(f"{name} cannot be left alone: the domain {domain.name} has no {said}", "no goal")
        return frozenset(Atom(UNTOUCHABLE, (name,)) for name in self.untouched)


def parse_goal(
    text: str,
    domain: Domain,
    symbols: Mapping[str, str],
    *,
    untouched: Iterable[str] = (),
) -> Goal:
    """A goal from PDDL.

    `symbols` maps the names that can be said to types.
    `untouched` names what is to be left alone. Raises InputError with the column (from 1) of what is wrong and what
    would be valid there.
    """
    check_form(text, domain)
    for name in untouched:
        if name not in symbols:
            raise InputError(f"no {name!r} in the scene that could be left alone; {valid(name, symbols)}")
    formula = Reader(domain, symbols).formula(tree(text), {})
    return Goal(formula, tuple(dict.fromkeys(untouched)))


def goals_in(
    state: WorldState, domain: Domain, texts: Iterable[str], untouched: Iterable[str] = ()
) -> tuple[Goal, ...]:
    """The goals, one after the other, that PDDL `texts` say about what is there. InputError with the column of what is
    wrong."""
    symbols, untouched = state.known_to(domain).symbols, tuple(untouched)
    return tuple(parse_goal(t, domain, symbols, untouched=untouched) for t in texts)


def check_form(text: str, domain: Domain) -> None:
    """What `parse_goal` finds wrong without a scene: parentheses, predicates, types, how many arguments."""
    Reader(domain).formula(tree(text), {})


def in_pddl(goals: Sequence[Goal]) -> str | list[str]:
    """A goal as a formula, a sequence as a list of formulas."""
    return str(goals[0]) if len(goals) == 1 else list(map(str, goals))
