"""Walk conditions, effects and numbers: what they use, and what is wrong with them, each at its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace

from tamp.model.goal_syntax import Node
from tamp.pddl.lint.declarations import OBJECT, DomainText, Predicate, Typed, Types, typed_list
from tamp.pddl.lint.findings import Notes, valid

NUMBER = re.compile(r"[+-]?\d+(\.\d*)?(e[+-]?\d+)?|[+-]?\.\d+")

_COMPARED = ("<", ">", "<=", ">=")
_CHANGED = ("assign", "increase", "decrease", "scale-up", "scale-down")
_UNREAD = ("preference", "oneof", "probabilistic", "scale-up", "scale-down")
_PLACES = {"not": 1, "imply": 2, "exists": 2, "forall": 2, "=": 2, "when": 2, **dict.fromkeys(_COMPARED, 2)}
_CONNECTIVES = frozenset({"and", "or", *_PLACES, *_CHANGED})
"""What begins a formula that is no atom."""
_FEATURES = {
    "or": ":disjunctive-preconditions",
    "imply": ":disjunctive-preconditions",
    "exists": ":existential-preconditions",
    "forall": ":universal-preconditions",
    **dict.fromkeys(_COMPARED, ":numeric-fluents"),
}
"""The requirements of conditions."""


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
        return cls(
            domain.types,
            {p.name: p for p in reversed(domain.predicates)},
            {f.name: f for f in reversed(domain.functions)},
            {c.name: c for c in reversed(domain.constants)},
            any(OBJECT in d.kinds for d in domain.typed) or any(t.name == OBJECT for t in domain.types.declared),
        )

    def check_typed(self, declared: Iterable[Typed], notes: Notes) -> None:
        """Report what has no type where unified-planning needs one."""
        without = next((one for one in declared if OBJECT in one.kinds), None)
        if without is not None and not self.untyped:
            message = f"{without.name} has no type: that is only read where something of the domain has none too"
            notes.doubt(without.node, "unsupported", message)


@dataclass
class Uses:
    """What formulas use: the first node of each feature and name, and of variables where they are declared.

    `needs` are predicates without which nothing can be done, `adds` those of effects and facts. `kinds` are the types
    of what is quantified, and of a problem's objects.
    """

    features: dict[str, Node] = field(default_factory=dict)
    predicates: dict[str, Node] = field(default_factory=dict)
    needs: dict[str, Node] = field(default_factory=dict)
    adds: dict[str, Node] = field(default_factory=dict)
    functions: dict[str, Node] = field(default_factory=dict)
    in_conditions: dict[int, Node] = field(default_factory=dict)
    in_effects: dict[int, Node] = field(default_factory=dict)
    kinds: dict[str, Node] = field(default_factory=dict)

    def merge(self, other: Uses) -> None:
        """Take in what other formulas use; what was first stays first."""
        for kind in fields(self):
            setattr(self, kind.name, getattr(other, kind.name) | getattr(self, kind.name))


@dataclass(frozen=True)
class Walk:
    """Walks formulas, in which the variables of `scope` may be used.

    `wanted`: what stands here must hold rather than not hold; `certain`: it is needed, it is no alternative and under
    no `when`; `durative`: it says when, as in a durative action.
    """

    vocabulary: Vocabulary
    notes: Notes
    uses: Uses
    scope: dict[str, Typed] = field(default_factory=dict)
    in_effect: bool = False
    wanted: bool = True
    certain: bool = True
    durative: bool = False

    def feature(self, name: str, node: Node) -> None:
        """Note that a requirement's part of PDDL is used."""
        self.uses.features.setdefault(name, node)

    def condition(self, node: Node) -> None:
        """A precondition, a goal, or what is under a `when`."""
        if node.word is not None:
            self.notes.add("syntax", node, f"{node.word} stands where a condition in parentheses belongs")
        elif node.parts and self._counted(node) and not self._timed(node):
            self._condition(node)

    def _condition(self, node: Node) -> None:
        head, parts, loose = node.head, node.parts[1:], replace(self, certain=False)
        named = head in self.vocabulary.predicates
        if head in _FEATURES and not (named and head in _COMPARED):
            self.feature(_FEATURES[head], node)
        if head in ("and", "or"):
            for part in parts:
                (self if head == "and" else loose).condition(part)
        elif head == "imply":
            replace(loose, wanted=not self.wanted).condition(parts[0])
            loose.condition(parts[1])
        elif head == "not":
            inner = parts[0].head
            if inner != "=":  # (not (= …)) is commonly taken for a part of :equality
                joined = inner in ("and", "or", "imply")
                self.feature(":disjunctive-preconditions" if joined else ":negative-preconditions", node)
            replace(loose, wanted=not self.wanted, durative=False).condition(parts[0])
        elif head in ("exists", "forall"):
            quantified = self._quantified(node)
            (quantified if head == "exists" else replace(quantified, certain=False)).condition(parts[1])
        elif head == "=":
            self._equals(node)
        elif head in _COMPARED:
            for part in parts:
                self.number(part)
        elif not self._unread(node):
            self.atom(node)
            if self.wanted and self.certain and named:
                self.uses.needs.setdefault(head, node)

    def _counted(self, node: Node) -> bool:
        """Whether a connective has as many parts as it must, also where a predicate has its name; reports it if not."""
        places = _PLACES.get(node.head)
        named = node.head in _COMPARED and node.head in self.vocabulary.predicates
        if places is None or named or len(node.parts) == places + 1:
            return True
        self.notes.add("syntax", node, f"({node.head} …) takes {places}, not {len(node.parts) - 1}")
        return False

    def _timed(self, node: Node) -> bool:
        """`(at start …)` and its like, as a durative action has them; whether it is one."""
        if not self.durative:
            return False
        word = node.parts[1].word if len(node.parts) == 3 else None
        if (node.head, word) in (("at", "start"), ("at", "end"), ("over", "all")):
            inner = replace(self, durative=False)
            (inner.effect if self.in_effect else inner.condition)(node.parts[2])
            return True
        if node.head not in ("and", "forall", "when", "preference", *_CHANGED):
            self.notes.add("syntax", node, "a durative action says when: (at start …), (over all …) or (at end …)")
        return False

    def _unread(self, node: Node) -> bool:
        """Whether it is PDDL that unified-planning does not read, which is reported."""
        if node.head not in _UNREAD or node.head in self.vocabulary.predicates:
            return False
        self.notes.doubt(node, "unsupported", f"unified-planning reads no ({node.head} …)")
        return True

    def _quantified(self, node: Node) -> Walk:
        listed = node.parts[1]
        if listed.word is not None:
            self.notes.add("syntax", listed, f"{listed.word} stands where variables such as (?x - item) belong")
            return self
        variables = typed_list(listed.parts, self.notes, variables=True)
        self.vocabulary.types.check(variables, self.notes)
        self.vocabulary.check_typed(variables, self.notes)
        self.uses.kinds.update((k, v.node) for v in variables for k in v.kinds)
        if any(v.types for v in variables):
            self.feature(":typing", listed)
        return replace(self, scope={**self.scope, **{v.name: v for v in reversed(variables)}})

    def _equals(self, node: Node) -> None:
        if any(map(self._is_numeric, node.parts[1:])):
            self.feature(":numeric-fluents", node)
            for part in node.parts[1:]:
                self.number(part)
            return
        self.feature(":equality", node)
        one, other = map(self.term, node.parts[1:])
        fits = self.vocabulary.types.fits
        if one and other and not fits(one, other) and not fits(other, one):
            message = f"nothing is of both types, {' or '.join(one)} and {' or '.join(other)}: it is never so"
            self.notes.doubt(node, "wrong-type", message)

    def _is_numeric(self, node: Node) -> bool:
        if node.word is None:
            return True
        known = node.word in self.vocabulary.functions and node.word not in self.vocabulary.terms
        return known or NUMBER.fullmatch(node.word) is not None or node.word in ("?duration", "total-time")

    def effect(self, node: Node) -> None:
        """An effect; `in_effect` is that of its terms."""
        if node.word is not None:
            self.notes.add("syntax", node, f"{node.word} stands where an effect in parentheses belongs")
        elif not node.parts and self.durative:
            self.notes.doubt(node, "syntax", "() stands where an effect such as (at end (on ?x ?y)) belongs")
        elif node.parts and self._counted(node) and not self._timed(node):
            self._effect(node)

    def _effect(self, node: Node) -> None:
        head, parts = node.head, node.parts[1:]
        if head in ("forall", "when"):
            self.feature(":conditional-effects", node)
        if head == "and":
            for part in parts:
                self.effect(part)
        elif head == "forall":
            self._quantified(node).effect(parts[1])
        elif head == "when":
            replace(self, in_effect=False, certain=False).condition(parts[0])
            self.effect(parts[1])
        elif head == "not":
            if parts[0].word is not None or not parts[0].parts:
                self.notes.add("syntax", parts[0], "an atom such as (on ?x ?y) belongs after not")
            else:
                self.atom(parts[0])
        elif head in ("or", "imply", "exists", "=", *_COMPARED):
            self.notes.add("syntax", node, f"an effect cannot be an ({head} …)")
        elif not self._unread(node):
            self._change(node)

    def _change(self, node: Node) -> None:
        head, parts = node.head, node.parts[1:]
        if head not in _CHANGED or head in self.vocabulary.predicates:
            self.atom(node, self.uses.adds)
        elif len(parts) != 2:
            self.notes.add("syntax", node, f"({head} …) takes a function and a number")
        else:
            cost = head == "increase" and (parts[0].head or parts[0].word) == "total-cost"
            self.feature(":action-costs" if cost else ":numeric-fluents", node)
            self.function(parts[0])
            self.number(parts[1])

    def number(self, node: Node) -> None:
        """A number, a function, or what is calculated of them."""
        if node.word is not None and (NUMBER.fullmatch(node.word) or node.word in ("?duration", "#t", "total-time")):
            if node.word == "#t":
                self.feature(":continuous-effects", node)
        elif node.word is not None and node.word.startswith("?"):
            self.notes.add("syntax", node, f"{node.word} stands where a number belongs")
        elif node.head in ("+", "-", "*", "/"):
            for part in node.parts[1:]:
                self.number(part)
        elif node.head != "is-violated" and not (node.head == "total-time" and len(node.parts) == 1):
            self.function(node)

    def atom(self, node: Node, into: dict[str, Node] | None = None) -> None:
        """A predicate with its arguments, which `into` gets too."""
        head, known = node.parts[0], self.vocabulary.predicates
        if head.word is None:
            self.notes.add("syntax", node, "a list in a list; a formula begins with a word")
        elif head.word in known:
            self.uses.predicates.setdefault(head.word, node)
            if into is not None:
                into.setdefault(head.word, node)
            self._arguments(node, known[head.word])
        elif head.word in _CONNECTIVES:
            self.notes.add("syntax", node, f"({head.word} …) cannot stand here, or not with what is in it")
        elif head.word in self.vocabulary.functions:
            compare = f"compare it, as (>= ({head.word}) 1)"
            self._unknown("unknown-predicate", node, f"{head.word!r} is a function and no predicate: {compare}")
        else:
            self._unknown("unknown-predicate", node, f"there is no predicate {head.word!r}; {valid(head.word, known)}")

    def function(self, node: Node) -> None:
        """A function with its arguments, or its name alone."""
        head, known = node.parts[0] if node.parts else node, self.vocabulary.functions
        if head.word is None:
            self.notes.add("syntax", node, f"{'a list in a list' if node.parts else '()'} where a number belongs")
        elif head.word in known:
            self.uses.functions.setdefault(head.word, node)
            self._arguments(node, known[head.word])
        elif head.word in self.vocabulary.predicates:
            self._unknown("unknown-function", node, f"{head.word!r} is a predicate and no function")
        else:
            self._unknown("unknown-function", node, f"there is no function {head.word!r}; {valid(head.word, known)}")

    def _unknown(self, code: str, node: Node, message: str) -> None:
        for part in node.parts[1:]:
            self.term(part)
        self.notes.add(code, node.parts[0] if node.parts else node, message)

    def term(self, node: Node) -> tuple[str, ...]:
        """The types of a variable or an object; none when it is not known."""
        if node.word is None:
            self.notes.doubt(node, "unsupported", "a list where an object belongs: object fluents are not read")
            return ()
        is_variable = node.word.startswith("?")
        there = self.scope if is_variable else self.vocabulary.terms
        if (found := there.get(node.word)) is not None:
            (self.uses.in_effects if self.in_effect else self.uses.in_conditions).setdefault(found.node.start, node)
            return found.kinds
        what = f"variable {node.word};" if is_variable else f"object {node.word!r} here;"
        code = "unknown-variable" if is_variable else "unknown-object"
        self.notes.add(code, node, f"there is no {what} {valid(node.word, there)}")
        return ()

    def _arguments(self, node: Node, signature: Predicate) -> None:
        given, wanted = node.parts[1:], signature.parameters
        if len(given) != len(wanted):
            takes = f"takes {len(wanted)} argument{'' if len(wanted) == 1 else 's'}"
            self.notes.add("wrong-arity", node, f"{signature} {takes}; given: {len(given)}")
        for n, kinds in enumerate(list(map(self.term, given))):
            if len(given) == len(wanted) and kinds and not self.vocabulary.types.fits(kinds, wanted[n].kinds):
                is_of, needs = " or ".join(kinds), " or ".join(wanted[n].kinds)
                message = f"{given[n].word} is of type {is_of}, but {signature} takes {needs} there"
                self.notes.add("wrong-type", given[n], message)
