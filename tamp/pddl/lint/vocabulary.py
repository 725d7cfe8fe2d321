"""What formulas may name: predicates, functions, objects; and what they were seen to name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tamp.pddl.lint.domain_text import DomainText, Predicate
from tamp.pddl.lint.findings import Notes, valid
from tamp.pddl.lint.types import OBJECT, Typed, Types
from tamp.pddl.tree import Node

Scope = dict[str, Typed]
"""The variables that a formula may use."""

NEGATED_EQUALITY = "(not (= …))"
"""A feature that `:negative-preconditions` may be there for, and that nobody misses it for."""

FOR_ALL_EFFECT = "(forall …) of an effect"
"""The same for `:universal-preconditions`."""

CONNECTIVES = frozenset(
    {
        *("and", "or", "not", "imply", "exists", "forall", "when", "=", "<", ">", "<=", ">="),
        *("assign", "increase", "decrease", "scale-up", "scale-down"),
    }
)
"""What begins a formula that is no atom."""

NUMBER = re.compile(r"[+-]?\d+(\.\d*)?(e[+-]?\d+)?|[+-]?\.\d+")


@dataclass(frozen=True)
class Vocabulary:
    """What there is to be named. `terms` are constants, in a problem objects too.

    `untyped`: something that the domain declares has no type, and so may other things: unified-planning has no type
    `object` otherwise.
    """

    types: Types
    predicates: dict[str, Predicate]
    functions: dict[str, Predicate]
    terms: dict[str, Typed]
    untyped: bool = True

    @classmethod
    def of(cls, domain: DomainText) -> Vocabulary:
        """What a domain declares; of a name that is declared twice, the first."""
        parameters = [s.parameters for s in (*domain.predicates, *domain.functions)]
        parameters += [o.parameters for o in domain.operators]
        declared = [*domain.constants, *(one for some in parameters for one in some)]
        return cls(
            domain.types,
            {p.name: p for p in reversed(domain.predicates)},
            {f.name: f for f in reversed(domain.functions)},
            {c.name: c for c in reversed(domain.constants)},
            any(OBJECT in d.kinds for d in declared) or any(t.name == OBJECT for t in domain.types.declared),
        )


@dataclass
class Uses:
    """What formulas were seen to use: the first node of each feature, name and variable.

    `reads` are predicates that conditions ask to hold, `needs` those without which nothing can be done, `denies`
    those that must not hold, `adds` and `deletes` those of effects. Variables are told by where they are declared,
    apart in conditions and effects. `kinds` are the types of what is quantified, and of a problem's objects.
    """

    features: dict[str, Node] = field(default_factory=dict)
    reads: dict[str, Node] = field(default_factory=dict)
    needs: dict[str, Node] = field(default_factory=dict)
    denies: dict[str, Node] = field(default_factory=dict)
    adds: dict[str, Node] = field(default_factory=dict)
    deletes: dict[str, Node] = field(default_factory=dict)
    functions: dict[str, Node] = field(default_factory=dict)
    in_conditions: set[int] = field(default_factory=set)
    in_effects: set[int] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)

    @property
    def predicates(self) -> set[str]:
        """Every predicate that is used at all."""
        return {*self.reads, *self.denies, *self.adds, *self.deletes}

    def merge(self, other: Uses) -> None:
        """Take in what other formulas use; what was first stays first."""
        for kind in ("features", "reads", "needs", "denies", "adds", "deletes", "functions"):
            mine = getattr(self, kind)
            for name, node in getattr(other, kind).items():
                mine.setdefault(name, node)
        self.in_conditions |= other.in_conditions
        self.in_effects |= other.in_effects
        self.kinds |= other.kinds


@dataclass
class Naming:
    """Looks up names in formulas, takes down what they use and what is wrong with them.

    `certain`: what stands here is needed, it is no alternative and under no `when`. `for_all`: it is in an effect for
    all of something already.
    """

    vocabulary: Vocabulary
    notes: Notes
    uses: Uses
    in_effect: bool = False
    certain: bool = True
    for_all: bool = False

    def feature(self, name: str, node: Node) -> None:
        """Note that a requirement's part of PDDL is used."""
        self.uses.features.setdefault(name, node)

    def atom(self, node: Node, scope: Scope, into: dict[str, Node]) -> None:
        """A predicate with its arguments."""
        head = node.parts[0]
        known = self.vocabulary.predicates
        if head.word is None:
            self.notes.add("syntax", node, "a list in a list; a formula begins with a word")
        elif head.word in CONNECTIVES and head.word not in known:
            self.notes.add("syntax", node, f"({head.word} …) cannot stand here, or not with what is in it")
        elif head.word in known:
            into.setdefault(head.word, node)
            self._arguments(node, known[head.word], scope)
        else:
            for part in node.parts[1:]:
                self.term(part, scope)
            what = "a function and" if head.word in self.vocabulary.functions else ""
            self.notes.add("unknown-predicate", head, self._unknown(head.word, what))

    def _unknown(self, name: str, what: str) -> str:
        if what:
            return f"{name!r} is {what} no predicate: compare it, as (>= ({name}) 1)"
        return f"there is no predicate {name!r}; {valid(name, self.vocabulary.predicates)}"

    def function(self, node: Node, scope: Scope) -> None:
        """A function with its arguments, or its name alone."""
        head = node.parts[0] if node.parts else node
        known = self.vocabulary.functions
        if head.word in known:
            self.uses.functions.setdefault(head.word or "", node)
            self._arguments(node, known[head.word or ""], scope)
        elif head.word is None:
            self.notes.add("syntax", node, f"{'a list in a list' if node.parts else '()'} where a number belongs")
        else:
            for part in node.parts[1:]:
                self.term(part, scope)
            what = "is a predicate and no function" if head.word in self.vocabulary.predicates else ""
            message = f"there is no function {head.word!r}; {valid(head.word, known)}"
            self.notes.add("unknown-function", head, f"{head.word!r} {what}" if what else message)

    def term(self, node: Node, scope: Scope) -> tuple[str, ...]:
        """The types of a variable or an object; none when it is not known."""
        if node.word is None:
            self.notes.doubt(node, "unsupported", "a list where an object belongs: object fluents are not read")
            return ()
        found = (scope if node.word.startswith("?") else self.vocabulary.terms).get(node.word)
        if found is not None:
            (self.uses.in_effects if self.in_effect else self.uses.in_conditions).add(found.node.start)
            return found.kinds
        if node.word.startswith("?"):
            self.notes.add("unknown-variable", node, f"there is no variable {node.word}; {valid(node.word, scope)}")
        else:
            objects = valid(node.word, self.vocabulary.terms)
            self.notes.add("unknown-object", node, f"there is no object {node.word!r} here; {objects}")
        return ()

    def _arguments(self, node: Node, signature: Predicate, scope: Scope) -> None:
        given, wanted = node.parts[1:], signature.parameters
        if len(given) != len(wanted):
            takes = f"takes {len(wanted)} argument{'' if len(wanted) == 1 else 's'}"
            self.notes.add("wrong-arity", node, f"{written(signature)} {takes}; given: {len(given)}")
        fitting = len(given) == len(wanted)
        for n, part in enumerate(given):
            kinds = self.term(part, scope)
            if fitting and kinds and not self.vocabulary.types.fits(kinds, wanted[n].kinds):
                is_of, needs = " or ".join(kinds), " or ".join(wanted[n].kinds)
                message = f"{part.word} is of type {is_of}, but {written(signature)} takes {needs} there"
                self.notes.add("wrong-type", part, message)


def check_untyped(declared: Sequence[Typed], vocabulary: Vocabulary, notes: Notes) -> None:
    """Say what has no type where unified-planning needs one."""
    for one in declared:
        if not vocabulary.untyped and OBJECT in one.kinds:
            message = f"{one.name} has no type: that is only read where something of the domain has none too"
            notes.doubt(one.node, "unsupported", message)
            return


def written(signature: Predicate) -> str:
    """A predicate's declaration, without types."""
    return f"({' '.join((signature.name, *(p.name for p in signature.parameters)))})"


def scope_of(parameters: Sequence[Typed], notes: Notes, outer: Scope | None = None) -> Scope:
    """The variables of a list, inside of others; says which are there twice in one list."""
    inner: Scope = {}
    for one in parameters:
        if one.name in inner:
            notes.add("duplicate", one.node, f"{one.name} is declared twice")
        inner.setdefault(one.name, one)
    return {**(outer or {}), **inner}
