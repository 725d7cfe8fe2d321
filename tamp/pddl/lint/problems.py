"""What is wrong in a problem's text, given its domain's."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tamp.model.goal_syntax import Node
from tamp.pddl.lint.declarations import DomainText, Sections, Typed, name_of, parts_of, sections_of, typed_list
from tamp.pddl.lint.findings import Notes
from tamp.pddl.lint.formulas import NUMBER, Uses, Vocabulary, Walk
from tamp.pddl.lint.requirements import check_names, granted, missing

_CHANGES = ("assign", "increase", "decrease")
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
    """Report what is wrong in a problem."""
    name_of(tree, notes)
    sections = sections_of(tree, notes, "problem")
    for head in (":domain", ":init", ":goal"):
        if head not in sections and (head != ":goal" or ":htn" not in sections):
            notes.add("syntax", tree.parts[1], f"the problem has no section ({head} …)")
    _check_domain(sections, domain, notes)
    uses, facts = Uses(), Uses()
    walk = Walk(_vocabulary(sections, domain, notes, uses), notes, uses)
    _check_init(sections, replace(walk, uses=facts))
    for feature in (":timed-initial-literals", ":contingent"):
        if feature in facts.features:
            uses.features[feature] = facts.features[feature]
    goal = _goal(sections, notes)
    if goal is not None:
        walk.condition(goal)
    for section in sections.get(":constraints", ()):
        walk.feature(":constraints", section)
    for section in sections.get(":metric", ())[:1]:
        if len(section.parts) == 3 and section.parts[1].word in ("minimize", "maximize"):
            walk.number(section.parts[2])
        else:
            notes.add("syntax", section, "valid: (:metric minimize EXPRESSION), or maximize")
    lacking = _check_requirements(sections, domain, uses, notes)
    return ProblemText(notes, uses, frozenset({*facts.adds, *facts.reads}), goal, lacking)


def _check_domain(sections: Sections, domain: DomainText, notes: Notes) -> None:
    for section in sections.get(":domain", ())[:1]:
        named = section.parts[1] if len(section.parts) == 2 else None
        if named is None or named.word is None:
            notes.add("syntax", section, "valid: (:domain NAME)")
        elif domain.name is not None and named.word != domain.name.word:
            notes.add("wrong-domain", named, f"the problem is for {named.word!r}, the domain is {domain.name.word!r}")


def _vocabulary(sections: Sections, domain: DomainText, notes: Notes, uses: Uses) -> Vocabulary:
    objects = typed_list(parts_of(sections, ":objects"), notes, variables=False)
    domain.types.check(objects, notes)
    vocabulary = Vocabulary.of(domain)
    vocabulary.check_typed(objects, notes)
    there: dict[str, Typed] = dict(vocabulary.terms)
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
    again: set[str] = set()
    while left:
        fact = left.pop()
        if fact.head == "and" and "and" not in walk.vocabulary.predicates:
            walk.notes.add("syntax", fact, "(and …) in :init, which lists its facts without it: (:init (on a b) …)")
            left += reversed(fact.parts[1:])
        elif fact.head == "at" and len(fact.parts) == 3 and NUMBER.fullmatch(fact.parts[1].word or ""):
            walk.feature(":timed-initial-literals", fact)
            _check_fact(fact.parts[2], walk, later=True)
        elif fact.head in _UNCERTAIN and fact.head not in walk.vocabulary.predicates:
            walk.feature(":contingent", fact)
            walk.notes.doubt(fact, "unsupported", f"({fact.head} …) is read when the domain requires :contingent")
            for part in fact.parts[1:]:
                walk.condition(part)
        elif (said := _check_fact(fact, walk)) is not None:
            of, value = said
            before = values.setdefault(of, value)
            if before != value:
                walk.notes.add("contradiction", fact, f"{of} is {value} here and {before} before")
            elif of in again:
                walk.notes.add("duplicate-fact", fact, f"{of} is said twice")
            again.add(of)


def _check_fact(fact: Node, walk: Walk, later: bool = False) -> tuple[str, str] | None:
    """Check one fact; what it is about and the value that it has, None for what is no fact."""
    if fact.word is not None or not fact.parts:
        walk.notes.add("syntax", fact, f"{fact.word or '()'} stands where a fact such as (on a b) belongs")
        return None
    if len(fact.parts) == 3 and (fact.head == "=" or (later and fact.head in _CHANGES)):
        if later and fact.head == "=":
            walk.notes.doubt(fact, "unsupported", "unified-planning reads (at TIME (assign …)), not (at TIME (= …))")
        walk.function(fact.parts[1])
        walk.number(fact.parts[2])
        return _key(fact.parts[1]), _key(fact.parts[2])
    if fact.head == "not" and len(fact.parts) == 2 and fact.parts[1].parts:
        walk.atom(fact.parts[1], walk.uses.denies)
        return _key(fact.parts[1]), "false"
    walk.atom(fact, walk.uses.adds)
    return _key(fact), "true"


def _key(node: Node) -> str:
    if node.word is None and len(node.parts) == 1:
        return _key(node.parts[0])
    return node.word if node.word is not None else f"({' '.join(map(_key, node.parts))})"


def _goal(sections: Sections, notes: Notes) -> Node | None:
    for section in sections.get(":goal", ())[:1]:
        if len(section.parts) != 2:
            count = len(section.parts) - 1
            notes.add("syntax", section, f"a goal is one formula, not {count}; several go into an (and …)")
        return section.parts[1] if len(section.parts) > 1 else None
    return None


def _check_requirements(sections: Sections, domain: DomainText, uses: Uses, notes: Notes) -> tuple[str, ...]:
    """What the problem alone needs: typed objects and functions belong to the domain that declares them."""
    own = parts_of(sections, ":requirements")
    check_names(own, notes)
    declared = {*domain.requirements, *(p.word for p in own if p.word)}
    asked = Uses(features={f: n for f, n in uses.features.items() if f not in granted(declared) | {":typing"}})
    lacking = missing(declared, asked)
    for requirement, node in lacking.items():
        notes.add("missing-requirement", node, f"{requirement} is missing: neither domain nor problem declares it")
    return tuple(lacking)
