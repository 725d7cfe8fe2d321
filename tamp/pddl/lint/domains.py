"""What is wrong in a domain's text: names, types, arguments, and what is declared and not used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tamp.pddl.lint.domain_text import DomainText, Operator, Predicate
from tamp.pddl.lint.formulas import check_changes, condition, effect, number
from tamp.pddl.lint.types import OBJECT, Typed, check_types
from tamp.pddl.lint.vocabulary import Naming, Scope, Uses, Vocabulary, scope_of, written
from tamp.pddl.tree import Node

_BINDING = {"=": 2, "<=": 2, ">=": 2}


def check_domain(domain: DomainText) -> Uses:
    """Take down what is wrong in a domain; what its operators use."""
    _check_declared(domain)
    uses = Uses()
    _declared_features(domain, uses)
    for operator in domain.operators:
        own = Uses()
        _check_operator(operator, domain, Naming(Vocabulary.of(domain), domain.notes, own))
        uses.merge(own)
    return uses


def _check_declared(domain: DomainText) -> None:
    notes = domain.notes
    check_types(domain.types, notes)
    domain.types.check_used(domain.constants, notes)
    for signature in (*domain.predicates, *domain.functions):
        domain.types.check_used(signature.parameters, notes)
        scope_of(signature.parameters, notes)
    _once("predicate", [(p.name, p.node) for p in domain.predicates], domain)
    _once("function", [(f.name, f.node) for f in domain.functions], domain)
    _once("constant", [(c.name, c.node) for c in domain.constants], domain)
    _once("operator", [(o.name, o.node) for o in domain.operators], domain)
    _check_clashes(domain)


def _once(what: str, declared: Iterable[tuple[str, Node]], domain: DomainText) -> None:
    seen: set[str] = set()
    for name, node in declared:
        if name in seen:
            domain.notes.add("duplicate", node, f"the {what} {name!r} is declared twice")
        seen.add(name)


def _check_clashes(domain: DomainText) -> None:
    """unified-planning has one space of names for predicates, functions and objects; PDDL has one for each."""
    kinds: list[tuple[str, Iterable[Typed | Predicate]]] = [
        ("predicate", domain.predicates),
        ("function", domain.functions),
        ("constant", domain.constants),
    ]
    taken: dict[str, str] = {}
    for what, declared in kinds:
        for one in declared:
            other = taken.setdefault(one.name, what)
            if other != what:
                message = f"{one.name!r} names a {other} and a {what}: PDDL allows that, unified-planning does not"
                domain.notes.doubt(one.node, "name-clash", message)


def _declared_features(domain: DomainText, uses: Uses) -> None:
    typed = (t for p in (*domain.predicates, *domain.functions) for t in p.parameters)
    for one in (*typed, *domain.constants, *(p for o in domain.operators for p in o.parameters)):
        if one.types:
            uses.features.setdefault(":typing", one.node)
            break
    for head, feature in (
        (":types", ":typing"),
        (":durative-action", ":durative-actions"),
        (":derived", ":derived-predicates"),
        (":axiom", ":domain-axioms"),
        (":constraints", ":constraints"),
        (":process", ":time"),
        (":event", ":time"),
        (":task", ":hierarchy"),
        (":method", ":hierarchy"),
    ):
        for section in domain.sections.get(head, ())[:1]:
            uses.features.setdefault(feature, section)


def _check_operator(operator: Operator, domain: DomainText, naming: Naming) -> None:
    domain.types.check_used(operator.parameters, domain.notes)
    scope = scope_of(operator.parameters, domain.notes)
    parts, durative = operator.parts, operator.durative
    for key in (":precondition", ":condition", ":observe"):
        if key in parts:
            condition(parts[key], scope, replace(naming, certain=key != ":observe"), durative=durative)
    if ":observe" in parts:
        naming.feature(":contingent", parts[":observe"])
    if ":duration" in parts:
        _duration(parts[":duration"], scope, naming)
    if ":effect" in parts:
        effect(parts[":effect"], scope, replace(naming, in_effect=True), durative=durative)
        check_changes(parts[":effect"], domain.notes)
    _check_parameters(operator, naming.uses, domain)


def _duration(node: Node, scope: Scope, naming: Naming) -> None:
    if node.head == "and" or node.head in ("at",):
        for part in node.parts[1:]:
            if part.word is None:
                _duration(part, scope, naming)
    elif node.head in _BINDING and len(node.parts) == 3:
        if node.head != "=":
            naming.feature(":duration-inequalities", node)
        for part in node.parts[1:]:
            number(part, scope, naming)
    elif node.parts:
        naming.notes.add("syntax", node, "a duration is (= ?duration …), or (and (>= ?duration …) (<= ?duration …))")


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
    """Say which predicates and functions no operator has, and which types nothing is of; `asked` is what given problems
    have, and use in their goals and metrics."""
    if domain.foreign or not domain.operators:
        return
    _check_unused_types(domain, uses.kinds | asked.kinds)
    kinds = (
        ("unused-predicate", domain.predicates, uses.predicates | asked.predicates),
        ("unused-function", domain.functions, {*uses.functions, *asked.functions}),
    )
    for code, declared, used in kinds:
        for one in declared:
            if one.name not in used and one.name not in ("total-cost", "total-time"):
                message = f"{written(one)} is in no condition and no effect of any operator"
                domain.notes.add(code, one.node, message)


def _check_unused_types(domain: DomainText, named: set[str]) -> None:
    """Say which types nothing is of. A predicate or a quantifier of all objects is no use of each type; an operator
    for any object is."""
    signatures = (p for s in (*domain.predicates, *domain.functions) for p in s.parameters)
    used = named.union(*(one.kinds for one in (*signatures, *domain.constants))) - {OBJECT}
    used.update(k for o in domain.operators for p in o.parameters for k in p.kinds)
    if used <= domain.types.parents.keys():  # else a name is misspelt, which may be that of any type
        for one in domain.types.unused(used):
            message = f"nothing is of the type {one.name!r}, nor of one above or below it: no parameter and no constant"
            domain.notes.add("unused-type", one.node, message)
