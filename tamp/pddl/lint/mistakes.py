"""What keeps unified-planning from reading a domain and a problem: the lint's errors, else what it does not support."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from traceback import walk_tb
from typing import Any

from tamp.errors import InputError
from tamp.files.source import Source
from tamp.pddl.lint.domain_text import DomainText, read_domain
from tamp.pddl.lint.domains import check_domain
from tamp.pddl.lint.findings import ERROR, NOT_PDDL, Finding, Notes
from tamp.pddl.lint.problems import ProblemText, check_problem
from tamp.pddl.lint.requirements import check_names
from tamp.pddl.lint.vocabulary import Uses
from tamp.pddl.outline import not_pddl
from tamp.pddl.reading import in_full, read_unified
from tamp.pddl.tree import Node, tree

_NEVER_READ = (NOT_PDDL, "unknown-type", "unknown-predicate", "unknown-object", "unknown-variable")
"""Errors for which unified-planning need not be asked, which takes long for a large text."""


def define(notes: Notes, what: str) -> Node | None:
    """The tree of a `(define (domain …` or `(define (problem …`, as `what` says; None when it is none of those."""
    if wrong := not_pddl(notes.source.bare(), what):
        notes.add(NOT_PDDL, *wrong)
        return None
    return tree(notes.source)


def unread(notes: Sequence[Notes]) -> bool:
    """Whether unified-planning certainly does not read the texts."""
    return any(f.code in _NEVER_READ for n in notes for f in n.found)


def mistakes(notes: Sequence[Notes]) -> list[str]:
    """All errors of a domain and a problem that cannot be read: messages that begin with file, line and column, in the
    order of these."""
    read_or_note(*notes)
    found = [f for n in notes for f in sorted(set(n.found)) if f.severity == ERROR]
    return list(dict.fromkeys(f"{f.file}:{f.line}:{f.column}: {f.message}" for f in found))


def read_or_note(domain: Notes, problem: Notes | None = None) -> Any:
    """unified-planning's Problem; None where it cannot be read, which is an error in the notes then.

    A text with errors is not read: what is in doubt besides shows when these are gone.
    """
    if domain.errors or (problem is not None and problem.errors):
        if domain.doubts and not domain.errors:
            _read(domain, domain)
        return None
    return _read(problem or domain, domain, problem)


def _read(blamed: Notes, domain: Notes, problem: Notes | None = None) -> Any:
    """The same of texts without errors; `blamed` is the one in which the error is, where the domain can be read."""
    try:
        return read_unified(domain.source, problem.source if problem else None)
    except InputError:
        raise
    except Exception as e:  # unified-planning raises many unrelated classes
        if problem is None or _read(domain, domain) is not None:
            text = domain.source.bare() if problem is None else in_full(domain.source, problem.source)
            blamed.found += blamed.doubts or [_where_it_stopped(blamed, text, e)]
        return None


def _where_it_stopped(blamed: Notes, text: str, error: Exception) -> Finding:
    """The finding for what no rule of the lint is about, where unified-planning was in the text that it was given. What
    it raised says more of its reader than of the text."""
    line, column = Source(blamed.source.name, text).place(_offset(error))
    return blamed.finding("unsupported", line, column, "unified-planning does not read this; no other error was found")


def _offset(error: Exception) -> int:
    """The character that an error of pyparsing names, else that of the innermost list or word that was being read."""
    if isinstance(loc := getattr(error, "loc", None), int):
        return loc
    starts = [
        value.locn_start
        for frame, _ in walk_tb(error.__traceback__)
        for value in frame.f_locals.values()
        if isinstance(getattr(value, "locn_start", None), int)
    ]
    return starts[-1] if starts else 0


@dataclass(frozen=True)
class Texts:
    """What the lint knows of a domain's text, None where it is none, and of the problems that are problems."""

    domain: DomainText | None
    uses: Uses = field(default_factory=Uses)
    problems: tuple[ProblemText, ...] = ()


def check_texts(domain: Notes, problems: Sequence[Notes]) -> Texts:
    """Take down what is wrong in each text alone; one with notes already is passed over."""
    tree = None if domain.found else define(domain, "domain")
    trees = [(n, None if n.found else define(n, "problem")) for n in problems]
    if tree is None:
        return Texts(None)
    text = read_domain(tree, domain)
    uses = check_domain(text)
    check_names([p for s in text.sections.get(":requirements", ()) for p in s.parts[1:]], domain)
    return Texts(text, uses, tuple(check_problem(t, n, text) for n, t in trees if t is not None))
