"""Typed lists, `a b - t c`, and the types of a domain: what they declare, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from tamp.pddl.lint.findings import Notes, valid
from tamp.pddl.tree import Node

NAME = re.compile(r"[a-z][a-z0-9_-]*")
OBJECT = "object"


@dataclass(frozen=True)
class Typed:
    """A declared name, where, and its types as written: several with `either`, none where no type is given."""

    name: str
    node: Node
    types: tuple[Node, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of the types, `object` where none is given."""
        return tuple(t.word or "" for t in self.types) or (OBJECT,)


def typed_list(parts: Sequence[Node], notes: Notes, variables: bool) -> list[Typed]:
    """Read a typed list. Of variables, `?` belongs to the name."""
    declared: list[Typed] = []
    waiting: list[Node] = []
    left = list(reversed(parts))
    while left:
        part = left.pop()
        if part.word and len(part.word) > 1 and part.word.startswith("-"):  # "?x -block": the blank is left out
            left.append(Node(part.start + 1, part.end, part.word[1:]))
            part = Node(part.start, part.start + 1, "-")
        if part.word == "-":
            types = _types(left.pop(), notes) if left else ()
            if not types:
                notes.add("syntax", part, "a '-' that no type follows")
            if not waiting:
                notes.add("syntax", part, "a '-' with nothing before it to give the type to")
            declared += [Typed(n.word or "", n, types) for n in waiting]
            waiting = []
        elif is_name(part, notes, variables):
            waiting.append(part)
    return declared + [Typed(n.word or "", n) for n in waiting]


def is_name(node: Node, notes: Notes, variable: bool) -> bool:
    """Whether a node is a name, or a variable; says what is wrong with it otherwise, and with a name's letters."""
    what = "a variable such as ?x" if variable else "a name"
    if node.word is None:
        notes.add("syntax", node, f"a list where {what} belongs")
        return False
    if variable != node.word.startswith("?"):
        notes.add("syntax", node, f"{node.word!r} stands where {what} belongs")
        return False
    if not NAME.fullmatch(node.word.removeprefix("?")):
        rule = "names begin with a letter and have letters, digits, - and _"
        notes.doubt(node, "bad-name", f"{node.word!r} is no name: {rule}")
    return True


def _types(node: Node, notes: Notes) -> tuple[Node, ...]:
    if node.word is not None and is_name(node, notes, variable=False):
        return (node,)
    if node.head == "either" and len(node.parts) > 1 and all(p.word for p in node.parts):
        if len(node.parts) > 2:
            notes.doubt(node, "unsupported", "unified-planning does not read (either …): declare a supertype")
        return node.parts[1:]
    notes.add("syntax", node, "a list where a type belongs")
    return ()


@dataclass(frozen=True)
class Types:
    """The types that a domain declares, and those that it mentions as supertypes only."""

    declared: tuple[Typed, ...] = ()

    @cached_property
    def parents(self) -> dict[str, set[str]]:
        """The direct supertypes of each type, also of those that are mentioned only."""
        parents: dict[str, set[str]] = {OBJECT: set()}
        for one in self.declared:
            parents.setdefault(one.name, set()).update(one.kinds)
            for kind in one.kinds:
                parents.setdefault(kind, {OBJECT})
        parents[OBJECT] = set()
        return parents

    @cached_property
    def above(self) -> dict[str, frozenset[str]]:
        """Each type with all that are above it."""
        return {name: frozenset(self._climb(name)) for name in self.parents}

    def _climb(self, name: str) -> set[str]:
        seen, left = {name, OBJECT}, [name]
        while left:
            new = self.parents[left.pop()] - seen
            seen |= new
            left += new
        return seen

    def fits(self, given: Iterable[str], wanted: Collection[str]) -> bool:
        """Whether something of one of the given types can be one of the wanted; unknown types fit everywhere."""
        unknown = [k for k in (*given, *wanted) if k not in self.above]
        return bool(unknown) or any(self.above[g] & set(wanted) for g in given)

    def unused(self, used: Iterable[str]) -> list[Typed]:
        """The declared types of which none of the used ones is, nor one above it or below it. `object` is above all."""
        apart = set(used) & self.above.keys()
        below = {above for name in apart for above in self.above[name]} - {OBJECT}
        return [t for t in self.declared if t.name not in below | {OBJECT} and not self.above[t.name] & apart]

    def check_used(self, declared: Iterable[Typed], notes: Notes) -> None:
        """Say which types of what is declared do not exist."""
        for one in {t.start: t for d in declared for t in d.types}.values():
            if one.word not in self.parents:
                notes.add("unknown-type", one, f"there is no type {one.word!r}; {valid(one.word or '', self.parents)}")


def check_types(types: Types, notes: Notes) -> None:
    """Say which types are declared twice, below themselves, or only mentioned."""
    names = {OBJECT} | {t.name for t in types.declared}
    seen: dict[str, Typed] = {}
    for one in types.declared:
        first = seen.setdefault(one.name, one)
        if first.kinds != one.kinds:  # as in IPC's Storage domain: it is below both
            above = f"the type {one.name!r} is below {first.kinds[0]!r} already"
            notes.doubt(
                one.node, "unsupported", f"{above}; unified-planning reads one declaration: leave out the other"
            )
        elif first is not one:
            notes.add("duplicate", one.node, f"the type {one.name!r} is declared twice")
        direct = types.parents[one.name]
        if one.name != OBJECT and any(one.name in types.above[parent] for parent in direct if parent in types.above):
            notes.add("type-cycle", one.node, f"the type {one.name!r} is below itself")
    missing: set[str] = set()
    for kind in {t.start: t for d in types.declared for t in d.types}.values():
        if kind.word not in names | missing:
            others = sorted(names - {OBJECT})
            message = f"the supertype {kind.word!r} is not declared itself; {valid(kind.word or '', others)}"
            notes.add("undeclared-supertype", kind, message)
            missing.add(kind.word or "")
