"""A domain's text as what it declares, each part with its place; and what is wrong with how it is laid out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tamp.pddl.lint.findings import Notes
from tamp.pddl.lint.types import Typed, Types, is_name, typed_list
from tamp.pddl.tree import Node

ORDER = (
    *(":requirements", ":types", ":constants", ":predicates", ":functions", ":task", ":method"),
    *(":action", ":process", ":event"),
)
"""Sections in the order in which unified-planning reads them; operators of both kinds may be mixed."""

FOREIGN = {
    ":derived": "derived predicates",
    ":axiom": "axioms",
    ":constraints": "constraints of a domain",
    ":safety": "safety constraints",
    ":timeless": "timeless facts",
    ":domain-variables": "variables of a domain",
    ":extends": "domains that extend others",
    ":predicate-classes": "classes of predicates",
}
"""Sections of PDDL's versions and dialects that unified-planning does not read."""

ONCE = (":requirements", ":types", ":constants", ":predicates", ":functions")

KEYWORDS = {
    ":action": (":parameters", ":precondition", ":effect", ":observe"),
    ":durative-action": (":parameters", ":duration", ":condition", ":effect"),
    ":process": (":parameters", ":precondition", ":effect"),
    ":event": (":parameters", ":precondition", ":effect"),
}
"""What an operator of each kind has, in the order in which unified-planning reads it."""


@dataclass(frozen=True)
class Predicate:
    """A predicate or a function as it is declared."""

    name: str
    node: Node
    parameters: tuple[Typed, ...]


@dataclass(frozen=True)
class Operator:
    """An action, a durative action, a process or an event. `parts` are its formulas by keyword."""

    name: str
    node: Node
    kind: str
    parameters: tuple[Typed, ...]
    parts: dict[str, Node]

    @property
    def durative(self) -> bool:
        """Whether its conditions and effects have times."""
        return self.kind == ":durative-action"


@dataclass(frozen=True)
class DomainText:
    """What a domain declares. `name` is the word after `domain`, None where there is none."""

    notes: Notes
    name: Node | None
    types: Types = field(default_factory=Types)
    constants: tuple[Typed, ...] = ()
    predicates: tuple[Predicate, ...] = ()
    functions: tuple[Predicate, ...] = ()
    operators: tuple[Operator, ...] = ()
    sections: dict[str, list[Node]] = field(default_factory=dict)

    @cached_property
    def requirements(self) -> dict[str, Node]:
        """The declared requirements."""
        return {p.word: p for s in self.sections.get(":requirements", ()) for p in s.parts[1:] if p.word}

    @property
    def foreign(self) -> bool:
        """Whether there is what only unified-planning may understand, or nobody: tasks, derived predicates."""
        return any(head in self.sections for head in (*FOREIGN, ":task", ":method"))


def read_domain(tree: Node, notes: Notes) -> DomainText:
    """What the tree of a domain declares."""
    sections = sections_of(tree, notes)
    _check_order(tree, notes)
    heads = {h: [p for s in sections.get(h, ()) for p in s.parts[1:]] for h in ONCE}
    _check_once(sections, notes)
    types = Types(tuple(typed_list(heads[":types"], notes, variables=False)))
    functions = _functions(heads[":functions"], notes)
    operators = [o for kind in KEYWORDS for s in sections.get(kind, ()) if (o := _operator(s, notes))]
    return DomainText(
        notes,
        name_of(tree, notes),
        types,
        tuple(typed_list(heads[":constants"], notes, variables=False)),
        tuple(_predicates(heads[":predicates"], notes)),
        tuple(_predicates(functions, notes)),
        tuple(sorted(operators, key=lambda o: o.node.start)),
        sections,
    )


def name_of(tree: Node, notes: Notes) -> Node | None:
    """The name after `domain` or `problem`; None when there is none, which is told."""
    head = tree.parts[1]
    if len(head.parts) != 2:
        notes.add("syntax", head, f"valid: ({head.head} NAME)")
        return None
    return head.parts[1] if is_name(head.parts[1], notes, variable=False) else None


def sections_of(tree: Node, notes: Notes) -> dict[str, list[Node]]:
    """The sections of a file by their first words."""
    sections: dict[str, list[Node]] = {}
    for part in tree.parts[2:]:
        if part.head.startswith(":"):
            sections.setdefault(part.head, []).append(part)
        else:
            shown = part.word or f"({part.head} …)"
            notes.add("syntax", part, f"{shown} stands where a section such as (:action …) belongs")
    return sections


def _check_order(tree: Node, notes: Notes) -> None:
    highest, before = 0, ""
    for section in tree.parts[2:]:
        head = ":action" if section.head == ":durative-action" else section.head
        if head in FOREIGN:
            notes.doubt(section, "unsupported", f"{head}: unified-planning does not read {FOREIGN[head]}")
        elif head in ORDER:
            if ORDER.index(head) < highest:
                notes.doubt(section, "section-order", f"{head} must stand before {before}")
            else:
                highest, before = ORDER.index(head), section.head
        elif head.startswith(":"):
            notes.add("syntax", section, f"a domain has no section {head}; valid: {', '.join(ORDER)}")


def _check_once(sections: dict[str, list[Node]], notes: Notes) -> None:
    for head in ONCE:
        for again in sections.get(head, ())[1:]:
            notes.add("duplicate", again, f"a second section {head}")
        for section in sections.get(head, ()):
            if len(section.parts) == 1 and head != ":constants":
                notes.doubt(section, "syntax", f"{head} has nothing in it: leave the section out")


def _predicates(parts: Sequence[Node], notes: Notes) -> list[Predicate]:
    declared = []
    for part in parts:
        if part.word is not None or not part.parts:
            notes.add("syntax", part, f"{part.word or '()'} stands where a predicate such as (on ?x ?y) belongs")
        elif is_name(part.parts[0], notes, variable=False):
            parameters = tuple(typed_list(part.parts[1:], notes, variables=True))
            declared.append(Predicate(part.head, part.parts[0], parameters))
    return declared


def _functions(parts: Sequence[Node], notes: Notes) -> list[Node]:
    """The declarations without their types; says what else there is than `- number`."""
    before = ""
    for part in parts:
        if before == "-" and part.word != "number":
            notes.doubt(part, "unsupported", "a function is a number: unified-planning has no object fluents")
        elif part.word not in (None, "-") and before != "-":
            notes.add("syntax", part, f"{part.word} stands where a function such as (cost ?x) belongs")
        before = part.word or ""
    return [p for p in parts if p.word is None]


def _operator(section: Node, notes: Notes) -> Operator | None:
    kind, keywords = section.head, KEYWORDS[section.head]
    if len(section.parts) < 2 or not is_name(section.parts[1], notes, variable=False):
        if len(section.parts) < 2:
            notes.add("syntax", section, f"{kind} has no name")
        return None
    name = section.parts[1]
    parts: dict[str, Node] = {}
    at = 2
    while at < len(section.parts):
        key = section.parts[at]
        if key.word is None or not key.word.startswith(":"):
            shown = key.word or f"({key.head} …)"
            notes.add("syntax", key, f"{shown} stands where one of {', '.join(keywords)} belongs")
            at += 1
            continue
        _check_key(key, parts, keywords, notes)
        if at + 1 == len(section.parts) or (section.parts[at + 1].word or "").startswith(":"):
            notes.add("syntax", key, f"nothing follows {key.word}")
            at += 1
            continue
        value = section.parts[at + 1]
        if value.word is not None:
            notes.add("syntax", value, f"{value.word} stands where a list in parentheses belongs")
        elif key.word in (*keywords, ":vars"):
            parts.setdefault(key.word, value)
        at += 2
    return _complete(name, kind, parts, notes)


def _check_key(key: Node, parts: dict[str, Node], keywords: Sequence[str], notes: Notes) -> None:
    if key.word == ":vars":
        notes.doubt(key, "unsupported", "unified-planning does not read :vars: its variables can be :parameters")
    elif key.word not in keywords:
        notes.add("syntax", key, f"{key.word} is none of {', '.join(keywords)}")
    elif key.word in parts:
        notes.add("duplicate", key, f"a second {key.word}")
    elif late := [p for p in parts if p in keywords[keywords.index(key.word) + 1 :]]:
        notes.doubt(key, "section-order", f"{key.word} must stand before {late[0]}")


def _complete(name: Node, kind: str, parts: dict[str, Node], notes: Notes) -> Operator:
    parameters: list[Typed] = []
    if ":parameters" in parts:
        parameters = typed_list(parts[":parameters"].parts, notes, variables=True)
    else:
        notes.doubt(name, "syntax", f"{name.word} has no :parameters; without any it is :parameters ()")
    if ":vars" in parts:
        parameters += typed_list(parts[":vars"].parts, notes, variables=True)
    if kind == ":durative-action":
        for needed in (":duration", ":effect"):
            if needed not in parts:
                notes.add("syntax", name, f"{name.word} has no {needed}")
    return Operator(name.word or "", name, kind, tuple(parameters), parts)
