"""What is wrong in a domain's text: names, types, arguments, and what is declared and not used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tamp.model.goal_syntax import Node
from tamp.pddl.lint.declarations import OBJECT, DomainText, Operator, Predicate, Typed
from tamp.pddl.lint.findings import Notes, valid
from tamp.pddl.lint.formulas import Uses, Vocabulary, Walk

_SECTION_FEATURES = {
    ":types": ":typing",
    ":durative-action": ":durative-actions",
    ":derived": ":derived-predicates",
    ":axiom": ":domain-axioms",
    ":constraints": ":constraints",
    ":process": ":time",
    ":event": ":time",
    ":task": ":hierarchy",
    ":method": ":hierarchy",
}


def check_domain(domain: DomainText) -> Uses:
    """Report what is wrong in a domain; what its operators use."""
    _check_declared(domain)
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


def _check_declared(domain: DomainText) -> None:
    notes = domain.notes
    _check_types(domain, notes)
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


def _check_types(domain: DomainText, notes: Notes) -> None:
    """Report the types that are declared twice, below themselves, or only mentioned."""
    types = domain.types
    names = {OBJECT} | {t.name for t in types.declared}
    seen: dict[str, Typed] = {}
    for one in types.declared:
        first = seen.setdefault(one.name, one)
        if first.kinds != one.kinds:  # as in IPC's Storage domain: it is below both
            above = f"the type {one.name!r} is below {first.kinds[0]!r} already"
            once = "unified-planning reads one declaration: leave out the other"
            notes.doubt(one.node, "unsupported", f"{above}; {once}")
        elif first is not one:
            notes.add("duplicate", one.node, f"the type {one.name!r} is declared twice")
        direct = types.parents[one.name]
        if one.name != OBJECT and any(one.name in types.above[parent] for parent in direct if parent in types.above):
            notes.add("type-cycle", one.node, f"the type {one.name!r} is below itself")
    missing: set[str] = set()
    for kind in {t.start: t for d in types.declared for t in d.types}.values():
        if kind.word not in names | missing:
            others = valid(kind.word or "", sorted(names - {OBJECT}))
            notes.add("undeclared-supertype", kind, f"the supertype {kind.word!r} is not declared itself; {others}")
            missing.add(kind.word or "")


def _check_operator(operator: Operator, domain: DomainText, walk: Walk) -> None:
    domain.types.check(operator.parameters, domain.notes)
    scope = {p.name: p for p in reversed(operator.parameters)}
    walk, parts = replace(walk, scope=scope, durative=operator.kind == ":durative-action"), operator.parts
    for key in (":precondition", ":condition", ":observe"):
        if key in parts:
            replace(walk, certain=key != ":observe").condition(parts[key])
    if ":observe" in parts:
        walk.feature(":contingent", parts[":observe"])
    if ":duration" in parts:
        _check_duration(parts[":duration"], walk)
    if ":effect" in parts:
        replace(walk, in_effect=True).effect(parts[":effect"])
    _check_parameters(operator, walk.uses, domain)


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


def _check_parameters(operator: Operator, uses: Uses, domain: DomainText) -> None:
    """Parameters that nothing is asked of: a typed one in an effect is fine, its type says what it can be."""
    if domain.foreign or not operator.parts.keys() & {":precondition", ":condition", ":effect"}:
        return
    for one in operator.parameters:
        if one.node.start in uses.in_conditions:
            continue
        if one.node.start not in uses.in_effects:
            message = f"{one.name} is in no condition and no effect of {operator.name}"
            domain.notes.add("unused-parameter", one.node, message)
        elif one.kinds == (OBJECT,):
            message = f"{one.name} is in no condition of {operator.name} and has no type: any object at all will do"
            domain.notes.add("unbound-parameter", one.node, message)


def check_unused(domain: DomainText, uses: Uses, asked: Uses) -> None:
    """Report predicates and functions that no operator has, and types that nothing is of; `asked` is what given
    problems have, and use in their goals and metrics."""
    if domain.foreign or not domain.operators:
        return
    _check_unused_types(domain, {*uses.kinds, *asked.kinds})
    groups = (
        ("unused-predicate", domain.predicates, uses.predicates | asked.predicates),
        ("unused-function", domain.functions, {*uses.functions, *asked.functions, "total-cost", "total-time"}),
    )
    for code, declared, used in groups:
        for one in declared:
            if one.name not in used:
                domain.notes.add(code, one.node, f"{one} is in no condition and no effect of any operator")


def _check_unused_types(domain: DomainText, named: set[str]) -> None:
    """Report the types that nothing is of. A predicate or a quantifier of all objects is no use of each type; an
    operator for any object is."""
    signatures = (p for s in (*domain.predicates, *domain.functions) for p in s.parameters)
    used = named.union(*(one.kinds for one in (*signatures, *domain.constants))) - {OBJECT}
    used.update(k for o in domain.operators for p in o.parameters for k in p.kinds)
    if used <= domain.types.parents.keys():  # else a name is misspelt, which may be that of any type
        for one in domain.types.unused(used):
            message = f"nothing is of the type {one.name!r}, nor of one above or below it: no parameter and no constant"
            domain.notes.add("unused-type", one.node, message)
