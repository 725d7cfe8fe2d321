"""What the texts of domains and problems declare, each part with its place; and what is wrong with their layout."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tamp.model.goal_syntax import Node
from tamp.pddl.lint.findings import Notes, valid

OBJECT = "object"

_NAME = re.compile(r"[a-z][a-z0-9_-]*")

ORDER = {
    "domain": (
        *(":requirements", ":types", ":constants", ":predicates", ":functions", ":task", ":method"),
        *(":action", ":durative-action", ":process", ":event"),
    ),
    "problem": (":domain", ":requirements", ":objects", ":htn", ":init", ":goal", ":constraints", ":metric"),
}
"""Sections in the order in which unified-planning reads them."""

_FOREIGN = frozenset(
    {
        *(":derived", ":axiom", ":constraints", ":safety", ":timeless", ":domain-variables", ":extends"),
        *(":predicate-classes", ":length", ":situation", ":deadlines", ":expansion"),
    }
)
"""Sections of PDDL's versions and dialects that unified-planning does not read."""

_OFTEN = (":task", ":method", ":action", ":durative-action", ":process", ":event")
"""Sections of which there may be several."""

KEYWORDS = {
    ":action": (":parameters", ":precondition", ":effect", ":observe"),
    ":durative-action": (":parameters", ":duration", ":condition", ":effect"),
    ":process": (":parameters", ":precondition", ":effect"),
    ":event": (":parameters", ":precondition", ":effect"),
}
"""What an operator of each kind has, in the order in which unified-planning reads it."""

Sections = dict[str, list[Node]]


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


@dataclass(frozen=True)
class Predicate:
    """A predicate or a function as it is declared."""

    name: str
    node: Node
    parameters: tuple[Typed, ...]

    def __str__(self) -> str:
        return f"({' '.join((self.name, *(p.name for p in self.parameters)))})"


@dataclass(frozen=True)
class Operator:
    """An action, a durative action, a process or an event. `parts` are its formulas by keyword."""

    name: str
    node: Node
    kind: str
    parameters: tuple[Typed, ...]
    parts: dict[str, Node]


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
    def above(self) -> dict[str, set[str]]:
        """Each type with all that are above it."""
        above = {name: {name, OBJECT} for name in self.parents}
        for name, reached in above.items():
            left = [name]
            while left:
                new = self.parents[left.pop()] - reached
                reached.update(new)
                left += new
        return above

    def lowest(self, kinds: Collection[str]) -> str | None:
        """The one of some types that is below all the others."""
        return next((k for k in kinds if set(kinds) <= self.above.get(k, set())), None)

    def fits(self, given: Iterable[str], wanted: Collection[str]) -> bool:
        """Whether something of one of the given types can be one of the wanted; unknown types fit everywhere."""
        unknown = [k for k in (*given, *wanted) if k not in self.above]
        return bool(unknown) or any(self.above[g] & set(wanted) for g in given)

    def unused(self, used: Iterable[str]) -> list[Typed]:
        """The declared types of which none of the used ones is, nor one above it or below it. `object` is above all."""
        apart = set(used) & self.above.keys()
        below = {above for name in apart for above in self.above[name]} - {OBJECT}
        return [t for t in self.declared if t.name not in below | {OBJECT} and not self.above[t.name] & apart]

    def check(self, declared: Iterable[Typed], notes: Notes) -> None:
        """Report the types of what is declared that do not exist, and each name that is declared twice."""
        seen: set[str] = set()
        for one in declared:
            if one.name in seen:
                notes.add("duplicate", one.node, f"{one.name!r} is declared twice")
            seen.add(one.name)
        for kind in {t.start: t for d in declared for t in d.types}.values():
            if kind.word not in self.parents:
                message = f"there is no type {kind.word!r}; {valid(kind.word or '', self.parents)}"
                notes.add("unknown-type", kind, message)


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
    sections: Sections = field(default_factory=dict)

    @cached_property
    def requirements(self) -> dict[str, Node]:
        """The declared requirements."""
        return {p.word: p for p in parts_of(self.sections, ":requirements") if p.word}

    @property
    def foreign(self) -> bool:
        """Whether there is what the lint does not understand: tasks, derived predicates."""
        return any(head in self.sections for head in (*_FOREIGN, ":task", ":method"))

    def replaced(self, text: str) -> Iterator[tuple[int, int, str]]:
        """What unified-planning reads in place of characters of the text: nothing for a type below another one than
        the lowest that it is below, and the lowest type above all that a parameter of a predicate may be of."""
        lowest, parents, declared = self.types.lowest, self.types.parents, self.types.declared
        repeated = [d for d in declared if (lowest(parents[d.name]) or d.kinds[0]) not in d.kinds]
        for one in repeated:
            alone = all(d in repeated for d in declared if d.types == one.types)
            yield one.node.start, (one.types[-1] if alone and one.types else one.node).end, ""
        several = {p.types for of in (*self.predicates, *self.functions) for p in of.parameters if len(p.types) > 1}
        for types in several:
            if low := lowest(set.intersection(*(self.types.above.get(t.word or "", {OBJECT}) for t in types))):
                yield text.rindex("(", 0, types[0].start), text.index(")", types[-1].end) + 1, low

    @property
    def typed(self) -> list[Typed]:
        """Constants, and the parameters of predicates, functions and operators."""
        owners: tuple[Predicate | Operator, ...] = (*self.predicates, *self.functions, *self.operators)
        return [*self.constants, *(p for owner in owners for p in owner.parameters)]


def read_domain(tree: Node, notes: Notes) -> DomainText:
    """What the tree of a domain declares."""
    sections = sections_of(tree, notes, "domain")
    for head in (":requirements", ":types", ":predicates", ":functions"):
        for section in sections.get(head, ()):
            if len(section.parts) == 1:
                notes.doubt(section, "syntax", f"{head} has nothing in it: leave the section out")
    types = Types(tuple(typed_list(parts_of(sections, ":types"), notes, variables=False)))
    functions = _untyped_functions(parts_of(sections, ":functions"), notes)
    operators = [o for kind in KEYWORDS for s in sections.get(kind, ()) if (o := _operator(s, notes))]
    return DomainText(
        notes,
        name_of(tree, notes),
        types,
        tuple(typed_list(parts_of(sections, ":constants"), notes, variables=False)),
        tuple(_predicates(parts_of(sections, ":predicates"), notes)),
        tuple(_predicates(functions, notes)),
        tuple(sorted(operators, key=lambda o: o.node.start)),
        sections,
    )


def name_of(tree: Node, notes: Notes) -> Node | None:
    """The name after `domain` or `problem`; None when there is none, which is reported."""
    head = tree.parts[1]
    if len(head.parts) != 2:
        notes.add("syntax", head, f"valid: ({head.head} NAME)")
        return None
    return head.parts[1] if _is_name(head.parts[1], notes, variable=False) else None


def sections_of(tree: Node, notes: Notes, what: str) -> Sections:
    """The sections of a `domain` or a `problem` by their first words; reports those that are unknown or twice."""
    order, sections = ORDER[what], Sections()
    for part in tree.parts[2:]:
        head = part.head
        if not head.startswith(":"):
            shown = part.word or f"({head} …)"
            notes.add("syntax", part, f"{shown} stands where a section such as (:action …) belongs")
            continue
        if sections.get(head) and head in order and head not in _OFTEN:
            notes.add("duplicate", part, f"a second section {head}")
        sections.setdefault(head, []).append(part)
        if head not in order and head in _FOREIGN:
            notes.doubt(part, "unsupported", f"unified-planning does not read {head}")
        elif head not in order:
            notes.add("syntax", part, f"a {what} has no section {head}; valid: {', '.join(order)}")
    return sections


def parts_of(sections: Sections, head: str) -> list[Node]:
    """All that is in the sections of a name."""
    return [part for section in sections.get(head, ()) for part in section.parts[1:]]


def typed_list(parts: Sequence[Node], notes: Notes, variables: bool, several: bool = False) -> list[Typed]:
    """Read a typed list, `a b - t c`. Of variables, `?` belongs to the name. `several`: `(either …)` is read."""
    declared: list[Typed] = []
    waiting: list[Node] = []
    left = list(reversed(parts))
    while left:
        part = left.pop()
        if part.word and len(part.word) > 1 and part.word.startswith("-"):  # "?x -block": the blank is left out
            left.append(Node(part.start + 1, part.end, part.word[1:]))
            part = Node(part.start, part.start + 1, "-")
        if part.word == "-":
            types = _types(left.pop(), notes, several) if left else ()
            if not types:
                notes.add("syntax", part, "a '-' that no type follows")
            if not waiting:
                notes.add("syntax", part, "a '-' with nothing before it to give the type to")
            declared += [Typed(n.word or "", n, types) for n in waiting]
            waiting = []
        elif _is_name(part, notes, variables):
            waiting.append(part)
    return declared + [Typed(n.word or "", n) for n in waiting]


def _types(node: Node, notes: Notes, several: bool) -> tuple[Node, ...]:
    if node.word is not None and _is_name(node, notes, variable=False):
        return (node,)
    if node.head == "either" and len(node.parts) > 1 and all(p.word for p in node.parts):
        if len(node.parts) > 2 and not several:
            notes.doubt(node, "unsupported", "unified-planning does not read (either …): declare a supertype")
        return node.parts[1:]
    notes.add("syntax", node, "a list where a type belongs")
    return ()


def _is_name(node: Node, notes: Notes, variable: bool) -> bool:
    """Whether a node is a name, or a variable; reports what is wrong with it otherwise, and with a name's letters."""
    what = "a variable such as ?x" if variable else "a name"
    if node.word is None:
        notes.add("syntax", node, f"a list where {what} belongs")
        return False
    if variable != node.word.startswith("?"):
        notes.add("syntax", node, f"{node.word!r} stands where {what} belongs")
        return False
    if not _NAME.fullmatch(node.word.removeprefix("?")):
        rule = "names begin with a letter and have letters, digits, - and _"
        notes.doubt(node, "bad-name", f"{node.word!r} is no name: {rule}")
    return True


def _predicates(parts: Sequence[Node], notes: Notes) -> list[Predicate]:
    declared = []
    for part in parts:
        if part.word is not None or not part.parts:
            notes.add("syntax", part, f"{part.word or '()'} stands where a predicate such as (on ?x ?y) belongs")
        elif _is_name(part.parts[0], notes, variable=False):
            parameters = tuple(typed_list(part.parts[1:], notes, variables=True, several=True))
            declared.append(Predicate(part.head, part.parts[0], parameters))
    return declared


def _untyped_functions(parts: Sequence[Node], notes: Notes) -> list[Node]:
    """The declarations without their types; reports any other type than `- number`."""
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
    if len(section.parts) < 2:
        notes.add("syntax", section, f"{kind} has no name")
        return None
    name = section.parts[1]
    if not _is_name(name, notes, variable=False):
        return None
    parts: dict[str, Node] = {}
    left = list(reversed(section.parts[2:]))
    while left:
        key = left.pop()
        if key.word is None or not key.word.startswith(":"):
            shown = key.word or f"({key.head} …)"
            notes.add("syntax", key, f"{shown} stands where one of {', '.join(keywords)} belongs")
            continue
        _check_key(key, key.word, parts, keywords, notes)
        if not left or (left[-1].word or "").startswith(":"):
            notes.add("syntax", key, f"nothing follows {key.word}")
            continue
        value = left.pop()
        if value.word is not None:
            notes.add("syntax", value, f"{value.word} stands where a list in parentheses belongs")
        elif key.word in (*keywords, ":vars"):
            parts.setdefault(key.word, value)
    if ":parameters" not in parts:
        notes.doubt(name, "syntax", f"{name.word} has no :parameters; without any it is :parameters ()")
    for needed in (":duration", ":effect") if kind == ":durative-action" else ():
        if needed not in parts:
            notes.add("syntax", name, f"{name.word} has no {needed}")
    lists = [parts[key].parts for key in (":parameters", ":vars") if key in parts]
    parameters = [one for some in lists for one in typed_list(some, notes, variables=True)]
    return Operator(name.word or "", name, kind, tuple(parameters), parts)


def _check_key(key: Node, word: str, before: Collection[str], keywords: Sequence[str], notes: Notes) -> None:
    if word == ":vars":
        notes.doubt(key, "unsupported", "unified-planning does not read :vars: its variables can be :parameters")
    elif word not in keywords:
        notes.add("syntax", key, f"{word} is none of {', '.join(keywords)}")
    elif word in before:
        notes.add("duplicate", key, f"a second {word}")
    elif late := [k for k in before if k in keywords[keywords.index(word) + 1 :]]:
        notes.doubt(key, "section-order", f"{word} must stand before {late[0]}")
