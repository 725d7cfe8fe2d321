"""What is wrong in the text of a domain or a problem: names, types, requirements, and what is declared and not used."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from tamp.files.replacing import replacing
from tamp.model.goal_syntax import Node
from tamp.pddl.lint.declarations import (
    OBJECT,
    DomainText,
    Operator,
    Predicate,
    Sections,
    Typed,
    name_of,
    parts_of,
    sections_of,
    typed_list,
)
from tamp.pddl.lint.findings import Notes, valid
from tamp.pddl.lint.formulas import NUMBER, Uses, Vocabulary, Walk

_SECTION_FEATURES = {
    ":types": ":typing",
    ":durative-action": ":durative-actions",
    ":process": ":time",
    ":event": ":time",
    ":task": ":hierarchy",
    ":method": ":hierarchy",
}
_NUMBERS = frozenset({":numeric-fluents", ":action-costs"})
_QUANTIFIED = frozenset({":existential-preconditions", ":universal-preconditions"})
_ADL = (":typing", ":negative-preconditions", ":disjunctive-preconditions", ":equality", ":conditional-effects")
_TIMED_FACTS = frozenset({":timed-initial-literals", ":timed-initial-effects"})
_GRANTS: dict[str, frozenset[str]] = {
    ":adl": _QUANTIFIED.union(_ADL),
    ":quantified-preconditions": _QUANTIFIED,
    ":fluents": _NUMBERS,
    ":numeric-fluents": _NUMBERS,
    ":disjunctive-preconditions": frozenset({":disjunctive-preconditions", ":negative-preconditions"}),
    ":timed-initial-literals": _TIMED_FACTS,
    ":timed-initial-effects": _TIMED_FACTS,
    ":time": frozenset({":time", ":continuous-effects"}),
    ":hierarchy": frozenset({":hierarchy", ":method-preconditions"}),
}
"""What each requirement allows where that is more than its own name says."""
_READ = frozenset(
    {
        *(":strips", ":typing", ":adl", ":equality", ":negative-preconditions", ":disjunctive-preconditions"),
        *(":existential-preconditions", ":universal-preconditions", ":quantified-preconditions"),
        *(":conditional-effects", ":action-costs", ":fluents", ":numeric-fluents", ":preferences", ":constraints"),
        *(":durative-actions", ":duration-inequalities", ":timed-initial-literals", ":timed-initial-effects"),
        *(":time", ":continuous-effects", ":hierarchy", ":method-preconditions", ":contingent"),
    }
)
"""The requirements that unified-planning reads."""
_UNREAD = frozenset({":derived-predicates", ":object-fluents"})
"""The others of PDDL 3.1, by Kovacs' grammar (2011)."""


def check_domain(domain: DomainText) -> Uses:
    """Report what is wrong in a domain; what its operators use."""
    _check_types(domain)
    _check_declared(domain)
    _check_requirement_names(parts_of(domain.sections, ":requirements"), domain.notes)
    uses = Uses()
    for one in (t for t in domain.typed if t.types):
        uses.features.setdefault(":typing", one.node)
    for head, feature in _SECTION_FEATURES.items():
        for section in domain.sections.get(head, ())[:1]:
            uses.features.setdefault(feature, section)
    vocabulary = Vocabulary.of(domain)
    for operator in domain.operators:
        own = Uses()
        _check_operator(operator, domain, Walk(vocabulary, domain.notes, own))
        uses.merge(own)
    return uses


def _check_types(domain: DomainText) -> None:
    """Report the types that are declared twice, below themselves, or only mentioned."""
    types, notes = domain.types, domain.notes
    names = {OBJECT} | {t.name for t in types.declared}
    seen: dict[str, Typed] = {}
    for one in types.declared:
        first = seen.setdefault(one.name, one)
        if first.kinds != one.kinds:  # as in IPC's Storage domain: it is below both
            above = f"the type {one.name!r} is below {first.kinds[0]!r} already"
            if types.lowest(types.parents[one.name]):
                notes.add("repeated-type", one.node, above)
            else:
                notes.doubt(one.node, "unsupported", f"{above}; unified-planning reads only one: leave out the other")
        elif first is not one:
            notes.add("duplicate", one.node, f"the type {one.name!r} is declared twice")
        direct = types.parents[one.name]
        if one.name != OBJECT and any(one.name in types.above[parent] for parent in direct if parent in types.above):
            notes.add("type-cycle", one.node, f"the type {one.name!r} is below itself")
    missing = {t.word: t for d in reversed(types.declared) for t in d.types if t.word not in names}
    for word, node in missing.items():
        others = valid(word or "", sorted(names - {OBJECT}))
        notes.add("undeclared-supertype", node, f"the supertype {word!r} is not declared itself; {others}")


def _check_declared(domain: DomainText) -> None:
    """Report the names that are declared twice, or for two kinds of things."""
    notes = domain.notes
    domain.types.check(domain.constants, notes)
    for signature in (*domain.predicates, *domain.functions):
        domain.types.check(signature.parameters, notes)
    groups: list[tuple[str, Iterable[Typed | Predicate | Operator]]] = [
        ("predicate", domain.predicates),
        ("function", domain.functions),
        ("constant", domain.constants),
        ("operator", domain.operators),
    ]
    taken: dict[str, str] = {}
    for what, declared in groups:
        seen: set[str] = set()
        for one in declared:
            if one.name in seen and what != "constant":
                notes.add("duplicate", one.node, f"the {what} {one.name!r} is declared twice")
            seen.add(one.name)
            other = what if what == "operator" else taken.setdefault(one.name, what)
            if other != what:
                message = f"{one.name!r} names a {other} and a {what}: PDDL allows that, unified-planning does not"
                notes.doubt(one.node, "name-clash", message)


def _check_operator(operator: Operator, domain: DomainText, walk: Walk) -> None:
    domain.types.check(operator.parameters, domain.notes)
    scope = {p.name: p for p in reversed(operator.parameters)}
    walk, parts = replace(walk, scope=scope, durative=operator.kind == ":durative-action"), operator.parts
    for key in (":precondition", ":condition"):
        if key in parts:
            walk.condition(parts[key])
    if ":duration" in parts:
        _check_duration(parts[":duration"], walk)
    if ":effect" in parts:
        replace(walk, in_effect=True).effect(parts[":effect"])
    if domain.foreign or not parts.keys() & {":precondition", ":condition", ":effect"}:
        return
    for one in operator.parameters:
        if one.node.start in walk.uses.in_conditions:
            continue
        if one.node.start not in walk.uses.in_effects:
            message = f"{one.name} is in no condition and no effect of {operator.name}"
            domain.notes.add("unused-parameter", one.node, message)
        elif one.kinds == (OBJECT,):  # of a typed one the type says what it can be
            message = f"{one.name} is in no condition of {operator.name} and has no type: any object at all will do"
            domain.notes.add("unbound-parameter", one.node, message)


def _check_duration(node: Node, walk: Walk) -> None:
    if node.head in ("and", "at"):
        for part in node.parts[1:]:
            if part.word is None:
                _check_duration(part, walk)
    elif node.head in ("=", "<=", ">=") and len(node.parts) == 3:
        if node.head != "=":
            walk.feature(":duration-inequalities", node)
        for part in node.parts[1:]:
            walk.number(part)
    elif node.parts:
        walk.notes.add("syntax", node, "a duration is (= ?duration …), or (and (>= ?duration …) (<= ?duration …))")


def check_unused(domain: DomainText, uses: Uses, asked: Uses) -> None:
    """Report predicates and functions that no operator has, and types that nothing is of; `asked` is what given
    problems have, and use in their goals and metrics."""
    if domain.foreign or not domain.operators:
        return
    # A predicate or a quantifier of all objects is no use of each type; an operator for any object is.
    signatures = (p for s in (*domain.predicates, *domain.functions) for p in s.parameters)
    used = {*uses.kinds, *asked.kinds}.union(*(one.kinds for one in (*signatures, *domain.constants))) - {OBJECT}
    used.update(k for o in domain.operators for p in o.parameters for k in p.kinds)
    if used <= domain.types.parents.keys():  # else a name is misspelt, which may be that of any type
        for one in domain.types.unused(used):
            message = f"nothing is of the type {one.name!r}, nor of one above or below it: no parameter and no constant"
            domain.notes.add("unused-type", one.node, message)
    groups = (
        ("unused-predicate", domain.predicates, {*uses.predicates, *asked.predicates}),
        ("unused-function", domain.functions, {*uses.functions, *asked.functions, "total-cost", "total-time"}),
    )
    for code, declared, names in groups:
        for each in declared:
            if each.name not in names:
                domain.notes.add(code, each.node, f"{each} is in no condition and no effect of any operator")


@dataclass(frozen=True)
class ProblemText:
    """A problem's text: its notes, what it uses, what is true at the start, requirements that it lacks."""

    notes: Notes
    uses: Uses
    begins_with: frozenset[str]
    goal: Node | None
    lacking: tuple[str, ...]


def check_problem(tree: Node, notes: Notes, domain: DomainText) -> ProblemText:
    """Report what is wrong in a problem."""
    name_of(tree, notes)
    sections = sections_of(tree, notes, "problem")
    for head in (":domain", ":init", ":goal"):
        if head not in sections and (head != ":goal" or ":htn" not in sections):
            notes.add("syntax", tree.parts[1], f"the problem has no section ({head} …)")
    _check_domain_name(sections, domain, notes)
    uses, facts = Uses(), Uses()
    walk = Walk(_vocabulary(sections, domain, notes, uses), notes, uses)
    _check_init(sections, replace(walk, uses=facts))
    if ":timed-initial-literals" in facts.features:
        walk.feature(":timed-initial-literals", facts.features[":timed-initial-literals"])
    goal = None
    for section in sections.get(":goal", ())[:1]:
        if len(section.parts) != 2:
            count = len(section.parts) - 1
            notes.add("syntax", section, f"a goal is one formula, not {count}; several go into an (and …)")
        if len(section.parts) > 1:
            goal = section.parts[1]
            walk.condition(goal)
    for section in sections.get(":constraints", ()):
        walk.feature(":constraints", section)
    _check_metric(sections, walk)
    own = parts_of(sections, ":requirements")
    _check_requirement_names(own, notes)
    # Typed objects and functions belong to the domain that declares them.
    asked = {f: n for f, n in uses.features.items() if f != ":typing"}
    lacking = _lacking({*domain.requirements, *(p.word for p in own if p.word)}, asked)
    for requirement, node in lacking.items():
        notes.add("missing-requirement", node, f"{requirement} is missing: neither domain nor problem declares it")
    return ProblemText(notes, uses, frozenset(facts.adds), goal, tuple(lacking))


def _check_domain_name(sections: Sections, domain: DomainText, notes: Notes) -> None:
    for section in sections.get(":domain", ())[:1]:
        named = section.parts[1] if len(section.parts) == 2 else None
        if named is None or named.word is None:
            notes.add("syntax", section, "valid: (:domain NAME)")
        elif domain.name is not None and named.word != domain.name.word:
            notes.add("wrong-domain", named, f"the problem is for {named.word!r}, the domain is {domain.name.word!r}")


def _check_metric(sections: Sections, walk: Walk) -> None:
    for section in sections.get(":metric", ())[:1]:
        if len(section.parts) == 3 and section.parts[1].word in ("minimize", "maximize"):
            walk.number(section.parts[2])
        else:
            walk.notes.add("syntax", section, "valid: (:metric minimize EXPRESSION), or maximize")


def _vocabulary(sections: Sections, domain: DomainText, notes: Notes, uses: Uses) -> Vocabulary:
    objects = typed_list(parts_of(sections, ":objects"), notes, variables=False)
    domain.types.check(objects, notes)
    vocabulary = Vocabulary.of(domain)
    vocabulary.check_typed(objects, notes)
    there = dict(vocabulary.terms)
    declared = {p.name: "predicate" for p in domain.predicates} | {f.name: "function" for f in domain.functions}
    for one in objects:
        uses.kinds.update((k, one.node) for k in one.kinds)
        if one.types:
            uses.features.setdefault(":typing", one.node)
        if one.name in vocabulary.terms:
            notes.add("duplicate", one.node, f"{one.name!r} is a constant of the domain already")
        elif one.name in declared:
            message = f"{one.name!r} names a {declared[one.name]} too: PDDL allows that, unified-planning does not"
            notes.doubt(one.node, "name-clash", message)
        there.setdefault(one.name, one)
    return replace(vocabulary, terms=there)


def _check_init(sections: Sections, walk: Walk) -> None:
    """Check the facts; those that hold at the start, or later, are `walk.uses.adds`."""
    left = parts_of(sections, ":init")[::-1]
    values: dict[str, str] = {}
    while left:
        fact = left.pop()
        named = fact.head in walk.vocabulary.predicates
        if fact.head == "and" and not named:
            walk.notes.add("syntax", fact, "(and …) in :init, which lists its facts without it: (:init (on a b) …)")
            left += reversed(fact.parts[1:])
        elif fact.head == "at" and len(fact.parts) == 3 and NUMBER.fullmatch(fact.parts[1].word or ""):
            walk.feature(":timed-initial-literals", fact)
            _check_fact(fact.parts[2], walk, later=True)
        elif fact.head in ("oneof", "or", "unknown") and not named:
            walk.notes.doubt(fact, "unsupported", f"({fact.head} …) is read when the domain requires :contingent")
        elif (stated := _check_fact(fact, walk)) is not None:
            of, value = stated
            if of not in values:
                values[of] = value
            elif values[of] != value:
                walk.notes.add("contradiction", fact, f"{of} is {value} here and {values[of]} before")
            else:
                walk.notes.add("duplicate-fact", fact, f"{of} is said twice")


def _check_fact(fact: Node, walk: Walk, later: bool = False) -> tuple[str, str] | None:
    """Check one fact; what it is about and the value that it has, None for what is no fact."""
    if fact.word is not None or not fact.parts:
        walk.notes.add("syntax", fact, f"{fact.word or '()'} stands where a fact such as (on a b) belongs")
        return None
    if len(fact.parts) == 3 and (fact.head == "=" or (later and fact.head in ("assign", "increase", "decrease"))):
        if later and fact.head == "=":
            walk.notes.doubt(fact, "unsupported", "unified-planning reads (at TIME (assign …)), not (at TIME (= …))")
        walk.function(fact.parts[1])
        walk.number(fact.parts[2])
        return _key(fact.parts[1]), _key(fact.parts[2])
    if fact.head == "not" and len(fact.parts) == 2 and fact.parts[1].parts:
        walk.atom(fact.parts[1])
        return _key(fact.parts[1]), "false"
    walk.atom(fact, walk.uses.adds)
    return _key(fact), "true"


def _key(node: Node) -> str:
    return _key(node.parts[0]) if node.word is None and len(node.parts) == 1 else str(node)


def _check_requirement_names(section: Iterable[Node], notes: Notes) -> None:
    """Say which requirements of a section are not read."""
    for part in section:
        if part.word is None:
            notes.add("syntax", part, "a list where a requirement such as :typing belongs")
        elif part.word not in _READ:
            instead = "leave out what needs it" if part.word in _UNREAD else valid(part.word, _READ)
            message = f"unified-planning reads no requirement {part.word}; {instead}"
            notes.doubt(part, "unknown-requirement", message)


def _lacking(declared: Collection[str], used: dict[str, Node]) -> dict[str, Node]:
    """The requirements that are used and not declared, with the first use of each."""
    allowed = {":strips"}.union(*(_GRANTS.get(d, frozenset({d})) for d in declared))
    lacking = {f: node for f, node in used.items() if f not in allowed}
    for stronger, weaker in ((":numeric-fluents", ":action-costs"), (":time", ":continuous-effects")):
        if stronger in lacking:
            lacking.pop(weaker, None)
    return dict(sorted(lacking.items(), key=lambda item: item[1].start))


def check_missing(domain: DomainText, uses: Uses) -> dict[str, Node]:
    """Say at the requirements, or where they belong, what is missing; the same as data."""
    lacking = _lacking(domain.requirements, uses.features)
    sections = domain.sections.get(":requirements", ())
    where = sections[0].parts[0] if sections else domain.name or 0
    for requirement, node in lacking.items():
        line, _ = domain.notes.place(node.start)
        domain.notes.add("missing-requirement", where, f"{requirement} is missing: line {line} needs it")
    return lacking


def add_requirements(domain: DomainText, requirements: Collection[str]) -> None:
    """Write more requirements into the domain's file, which keeps its line ends and its mark at the beginning.
    InputError when that cannot be written."""
    path, sections = Path(domain.notes.source.name), domain.sections.get(":requirements")
    with replacing(path) as partial:
        raw = path.read_bytes().decode("utf-8")
        added = "".join(f" {r}" for r in requirements)
        if sections:
            offset = sections[0].parts[-1].end
        else:
            offset = domain.notes.source.bare().index(")") + 1  # of (domain NAME)
            ends = re.search(r"\r\n|\r|\n", raw)
            added = f"{ends[0] if ends else chr(10)}  (:requirements :strips{added})"
        at = domain.notes.source.in_raw(raw, offset)
        partial.write_bytes((raw[:at] + added + raw[at:]).encode("utf-8"))
