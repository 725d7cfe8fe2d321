"""Typed lists, `a b - t c`: what they declare, and what is wrong in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tamp.lint.findings import Notes
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
