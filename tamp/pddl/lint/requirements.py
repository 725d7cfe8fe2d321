"""Which requirements a text uses, lacks, or declares for nothing; and adding those that it lacks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from tamp.files.replacing import replacing
from tamp.model.goal_syntax import Node
from tamp.pddl.lint.declarations import DomainText
from tamp.pddl.lint.findings import Notes, valid
from tamp.pddl.lint.formulas import FOR_ALL_EFFECT, NEGATED_EQUALITY, Uses

_QUANTIFIED = frozenset({":existential-preconditions", ":universal-preconditions"})
_NUMBERS = frozenset({":numeric-fluents", ":action-costs"})
_ADL = frozenset({":negative-preconditions", ":disjunctive-preconditions", ":equality", ":conditional-effects"})

GRANTS: dict[str, frozenset[str]] = {
    ":adl": _ADL | _QUANTIFIED | {":typing"},
    ":quantified-preconditions": _QUANTIFIED,
    ":fluents": _NUMBERS,
    ":numeric-fluents": _NUMBERS,
    ":disjunctive-preconditions": frozenset({":disjunctive-preconditions", ":negative-preconditions"}),
    ":timed-initial-literals": frozenset({":timed-initial-literals", ":timed-initial-effects"}),
    ":timed-initial-effects": frozenset({":timed-initial-literals", ":timed-initial-effects"}),
    ":time": frozenset({":time", ":continuous-effects"}),
    ":hierarchy": frozenset({":hierarchy", ":method-preconditions"}),
}
"""What each requirement allows where that is more than its own name says."""

PURPOSE = {
    ":adl": _ADL | _QUANTIFIED,
    ":disjunctive-preconditions": frozenset({":disjunctive-preconditions"}),
    ":negative-preconditions": frozenset({":negative-preconditions", NEGATED_EQUALITY}),
    ":universal-preconditions": frozenset({":universal-preconditions", FOR_ALL_EFFECT}),
    ":quantified-preconditions": _QUANTIFIED | {FOR_ALL_EFFECT},
}
"""What has to be used for a requirement to be there for something, where that is not all it allows."""

READ = frozenset(
    {
        *(":strips", ":typing", ":adl", ":equality", ":negative-preconditions", ":disjunctive-preconditions"),
        *(":existential-preconditions", ":universal-preconditions", ":quantified-preconditions"),
        *(":conditional-effects", ":action-costs", ":fluents", ":numeric-fluents", ":preferences", ":constraints"),
        *(":durative-actions", ":duration-inequalities", ":timed-initial-literals", ":timed-initial-effects"),
        *(":time", ":continuous-effects", ":hierarchy", ":method-preconditions", ":contingent"),
    }
)
"""The requirements that unified-planning reads."""

OTHERS = frozenset(
    {
        *(":derived-predicates", ":object-fluents", ":goal-utilities", ":domain-axioms", ":ucpop", ":multi-agent"),
        *(":unfactored-privacy", ":factored-privacy", ":probabilistic-effects", ":rewards", ":mdp"),
        *(":non-deterministic", ":partial-observability", ":full-observability", ":open-world", ":true-negation"),
        *(":expression-evaluation", ":safety-constraints", ":subgoal-through-axioms", ":action-expansions"),
        *(":foreach-expansions", ":dag-expansions", ":existential-quantifiers", ":universal-effects", ":htn"),
        *(":method-constraints", ":negation", ":supply-demand", ":continuous-time", ":disjunctive-goals"),
    }
)
"""Requirements of PDDL's versions and dialects that unified-planning does not read."""

_NEVER_SUPERFLUOUS = frozenset({":strips", ":hierarchy", ":method-preconditions", ":contingent", ":time"})


def check_names(section: Iterable[Node], notes: Notes) -> None:
    """Say which requirements of a section do not exist or are not read."""
    for part in section:
        if part.word is None:
            notes.add("syntax", part, "a list where a requirement such as :typing belongs")
        elif part.word in OTHERS:
            notes.doubt(part, "unsupported", f"unified-planning does not read {part.word}")
        elif part.word not in READ:
            message = f"there is no requirement {part.word}; {valid(part.word, READ)}"
            notes.add("unknown-requirement", part, message)


def granted(declared: Collection[str]) -> set[str]:
    """The parts of PDDL that declared requirements allow."""
    return {":strips"}.union(*(GRANTS.get(d, frozenset({d})) for d in declared))


def missing(declared: Collection[str], uses: Uses) -> dict[str, Node]:
    """The requirements that are used and not declared, with the first use of each."""
    allowed = granted(declared)
    lacking = {f: node for f, node in uses.features.items() if f not in allowed and f.startswith(":")}
    for stronger, weaker in ((":numeric-fluents", ":action-costs"), (":time", ":continuous-effects")):
        if stronger in lacking:
            lacking.pop(weaker, None)
    return dict(sorted(lacking.items(), key=lambda item: item[1].start))


def check_missing(domain: DomainText, uses: Uses) -> dict[str, Node]:
    """Say at the requirements, or where they belong, what is missing; the same as data."""
    lacking = missing(domain.requirements, uses)
    sections = domain.sections.get(":requirements", ())
    where = sections[0].parts[0] if sections else domain.name or 0
    for requirement, node in lacking.items():
        line, _ = domain.notes.place(node.start)
        domain.notes.add("missing-requirement", where, f"{requirement} is missing: line {line} needs it")
    return lacking


def check_superfluous(domain: DomainText, uses: Uses, asked: Uses) -> None:
    """Say which requirements are there for nothing; `asked` is what given problems use."""
    if domain.foreign:
        return
    used = {*uses.features, *asked.features}
    for name, node in domain.requirements.items():
        if name in READ - _NEVER_SUPERFLUOUS and not PURPOSE.get(name, GRANTS.get(name, frozenset({name}))) & used:
            nothing = "nothing of it is used" if name in GRANTS else "it is not used"
            domain.notes.add("superfluous-requirement", node, f"{name} is superfluous: {nothing}")


def add_requirements(domain: DomainText, requirements: Collection[str]) -> None:
    """Write them into the domain's file. InputError when that cannot be written."""
    path = Path(domain.notes.source.name)
    with replacing(path) as partial:
        raw = path.read_bytes().decode("utf-8")
        partial.write_bytes(with_requirements(domain, raw, requirements).encode("utf-8"))


def with_requirements(domain: DomainText, raw: str, requirements: Collection[str]) -> str:
    """The text of a file, with its own line ends and mark at the beginning, and more requirements."""
    sections = domain.sections.get(":requirements")
    if sections:
        offset, added = sections[0].parts[-1].end, "".join(f" {r}" for r in requirements)
    else:
        offset = domain.notes.source.bare().index(")") + 1  # of (domain NAME)
        ends = re.search(r"\r\n|\r|\n", raw)
        added = f"{ends[0] if ends else chr(10)}  (:requirements :strips{''.join(f' {r}' for r in requirements)})"
    at = domain.notes.source.in_raw(raw, offset)
    return raw[:at] + added + raw[at:]
