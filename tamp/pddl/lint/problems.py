"""What is wrong in a problem's text, given its domain's."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tamp.pddl.lint.domain_text import DomainText, name_of, sections_of
from tamp.pddl.lint.findings import Notes
from tamp.pddl.lint.formulas import condition, number, trajectory
from tamp.pddl.lint.requirements import check_names, granted, missing
from tamp.pddl.lint.types import Typed, typed_list
from tamp.pddl.lint.vocabulary import NUMBER, Naming, Uses, Vocabulary, check_untyped
from tamp.pddl.tree import Node

ORDER = (":domain", ":requirements", ":objects", ":htn", ":init", ":goal", ":constraints", ":metric")
"""Sections in the order in which unified-planning reads them."""

FOREIGN = (":length", ":situation", ":deadlines", ":expansion")
_CHANGES = ("assign", "increase", "decrease")
_OF_FACTS = (":timed-initial-literals", ":contingent")
_UNCERTAIN = ("oneof", "or", "unknown")


@dataclass(frozen=True)
class ProblemText:
    """A problem's text: its notes, what it uses, what is true at the start, requirements that it lacks."""

    notes: Notes
    uses: Uses
    begins_with: frozenset[str]
    goal: Node | None
    lacking: tuple[str, ...]


def check_problem(tree: Node, notes: Notes, domain: DomainText) -> ProblemText:
    """Take down what is wrong in a problem."""
    name_of(tree, notes)
    sections = sections_of(tree, notes)
    _check_order(tree, sections, notes)
    _check_domain(sections, domain, notes)
    uses = Uses()
    naming = Naming(_vocabulary(sections, domain, notes, uses), notes, uses)
    facts = replace(naming, uses=Uses())
    begins_with = _check_init(sections, facts)
    uses.features |= {f: n for f, n in facts.uses.features.items() if f in _OF_FACTS}
    goal = _goal(sections, notes)
    if goal is not None:
        condition(goal, {}, naming)
    for section in sections.get(":constraints", ()):
        for part in section.parts[1:]:
            naming.feature(":constraints", section)
            trajectory(part, {}, naming)
    _check_metric(sections, naming)
    lacking = _check_requirements(sections, domain, uses, notes)
    return ProblemText(notes, uses, frozenset(begins_with), goal, lacking)


def _check_order(tree: Node, sections: dict[str, list[Node]], notes: Notes) -> None:
    highest = 0
    for section in tree.parts[2:]:
        if section.head in FOREIGN:
            notes.doubt(section, "unsupported", f"unified-planning does not read {section.head}")
        elif section.head in ORDER:
            if ORDER.index(section.head) < highest:
                notes.doubt(section, "section-order", f"{section.head} must stand before {ORDER[highest]}")
            highest = max(highest, ORDER.index(section.head))
        elif section.head.startswith(":"):
            notes.add("syntax", section, f"a problem has no section {section.head}; valid: {', '.join(ORDER)}")
    for head in ORDER:
        for again in sections.get(head, ())[1:]:
            notes.add("duplicate", again, f"a second section {head}")
    wanted = (":domain", ":init") if ":htn" in sections else (":domain", ":init", ":goal")
    for head in wanted:
        if head not in sections:
            notes.add("syntax", tree.parts[1], f"the problem has no section ({head} …)")


def _check_domain(sections: dict[str, list[Node]], domain: DomainText, notes: Notes) -> None:
    for section in sections.get(":domain", ())[:1]:
        named = section.parts[1] if len(section.parts) == 2 else None
        if named is None or named.word is None:
            notes.add("syntax", section, "valid: (:domain NAME)")
        elif domain.name is not None and named.word != domain.name.word:
            notes.add("wrong-domain", named, f"the problem is for {named.word!r}, the domain is {domain.name.word!r}")


def _vocabulary(sections: dict[str, list[Node]], domain: DomainText, notes: Notes, uses: Uses) -> Vocabulary:
    parts = [p for s in sections.get(":objects", ()) for p in s.parts[1:]]
    objects = typed_list(parts, notes, variables=False)
    domain.types.check_used(objects, notes)
    uses.kinds.update(k for o in objects for k in o.kinds)
    vocabulary = Vocabulary.of(domain)
    check_untyped(objects, vocabulary, notes)
    there: dict[str, Typed] = dict(vocabulary.terms)
    declared = {p.name: "predicate" for p in domain.predicates} | {f.name: "function" for f in domain.functions}
    for one in objects:
        if one.types:
            uses.features.setdefault(":typing", one.node)
        if one.name in vocabulary.terms:
            notes.add("duplicate", one.node, f"{one.name!r} is a constant of the domain already")
        elif one.name in there:
            notes.add("duplicate", one.node, f"the object {one.name!r} is declared twice")
        elif one.name in declared:
            message = f"{one.name!r} names a {declared[one.name]} too: PDDL allows that, unified-planning does not"
            notes.doubt(one.node, "name-clash", message)
        there.setdefault(one.name, one)
    return replace(vocabulary, terms=there)


def _check_init(sections: dict[str, list[Node]], naming: Naming) -> set[str]:
    """Check the facts; the predicates that hold of something, now or later."""
    left = [p for s in reversed(sections.get(":init", ())) for p in reversed(s.parts[1:])]
    seen: dict[str, str] = {}
    while left:
        fact = left.pop()
        if fact.head == "and" and "and" not in naming.vocabulary.predicates:
            naming.notes.add("syntax", fact, "(and …) in :init, which lists its facts without it: (:init (on a b) …)")
            left += reversed(fact.parts[1:])
        elif fact.word is not None or not fact.parts:
            naming.notes.add("syntax", fact, f"{fact.word or '()'} stands where a fact such as (on a b) belongs")
        elif fact.head == "at" and len(fact.parts) == 3 and NUMBER.fullmatch(fact.parts[1].word or ""):
            _check_later(fact, naming)
        elif fact.head in _UNCERTAIN and fact.head not in naming.vocabulary.predicates:
            naming.feature(":contingent", fact)
            naming.notes.doubt(fact, "unsupported", f"({fact.head} …) is read when the domain requires :contingent")
            for part in fact.parts[1:]:
                condition(part, {}, naming)
        elif fact.head == "=" and len(fact.parts) == 3:
            naming.function(fact.parts[1], {})
            number(fact.parts[2], {}, naming)
            _note_value(_key(fact.parts[1]), _key(fact.parts[2]), fact, seen, naming)
        elif fact.head == "not" and len(fact.parts) == 2 and fact.parts[1].parts:
            naming.atom(fact.parts[1], {}, naming.uses.denies)
            _note_value(_key(fact.parts[1]), "false", fact, seen, naming)
        else:
            naming.atom(fact, {}, naming.uses.adds)
            _note_value(_key(fact), "true", fact, seen, naming)
    return {*naming.uses.adds, *naming.uses.reads}


def _check_later(fact: Node, naming: Naming) -> None:
    """A timed initial literal."""
    naming.feature(":timed-initial-literals", fact)
    said = fact.parts[2]
    if said.word is not None or not said.parts:
        naming.notes.add("syntax", said, f"{said.word or '()'} stands where a fact such as (on a b) belongs")
    elif said.head in _CHANGES and len(said.parts) == 3:
        naming.function(said.parts[1], {})
        number(said.parts[2], {}, naming)
    elif said.head == "=" and len(said.parts) == 3:
        naming.notes.doubt(said, "unsupported", "unified-planning reads (at TIME (assign …)), not (at TIME (= …))")
    elif said.head == "not" and len(said.parts) == 2 and said.parts[1].parts:
        naming.atom(said.parts[1], {}, naming.uses.denies)
    else:
        naming.atom(said, {}, naming.uses.adds)


def _key(node: Node) -> str:
    if node.word is None and len(node.parts) == 1:
        return _key(node.parts[0])
    return node.word if node.word is not None else f"({' '.join(map(_key, node.parts))})"


def _note_value(of: str, value: str, fact: Node, seen: dict[str, str], naming: Naming) -> None:
    before = seen.setdefault(of, value)
    if before != value:
        naming.notes.add("contradiction", fact, f"{of} is {value} here and {before} before")
    elif seen.get(f"{of} said") == value:
        naming.notes.add("duplicate-fact", fact, f"{of} is said twice")
    seen[f"{of} said"] = value


def _goal(sections: dict[str, list[Node]], notes: Notes) -> Node | None:
    for section in sections.get(":goal", ())[:1]:
        if len(section.parts) != 2:
            told = f"a goal is one formula, not {len(section.parts) - 1}; several go into an (and …)"
            notes.add("syntax", section, told)
        return section.parts[1] if len(section.parts) > 1 else None
    return None


def _check_metric(sections: dict[str, list[Node]], naming: Naming) -> None:
    for section in sections.get(":metric", ())[:1]:
        if len(section.parts) != 3 or section.parts[1].word not in ("minimize", "maximize"):
            naming.notes.add("syntax", section, "valid: (:metric minimize EXPRESSION), or maximize")
            continue
        number(section.parts[2], {}, naming)


def _check_requirements(
    sections: dict[str, list[Node]], domain: DomainText, uses: Uses, notes: Notes
) -> tuple[str, ...]:
    """What the problem alone needs: typed objects and functions belong to the domain that declares them."""
    own = [p for s in sections.get(":requirements", ()) for p in s.parts[1:]]
    check_names(own, notes)
    declared = {*domain.requirements, *(p.word for p in own if p.word)}
    asked = Uses(features={f: n for f, n in uses.features.items() if f not in granted(declared) | {":typing"}})
    lacking = missing(declared, asked)
    for requirement, node in lacking.items():
        notes.add("missing-requirement", node, f"{requirement} is missing: neither domain nor problem declares it")
    return tuple(lacking)
