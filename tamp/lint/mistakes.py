"""All that is wrong with a domain and a problem that cannot be read, where the parser stops at the first of it."""

from __future__ import annotations

from tamp.lint.domain_text import read_domain
from tamp.lint.domains import check_domain
from tamp.lint.findings import ERROR, Notes
from tamp.lint.problems import check_problem
from tamp.lint.read import define
from tamp.lint.requirements import check_names
from tamp.pddl.source import Source


def mistakes(domain: Source, problem: Source | None, refusal: str) -> list[str]:
    """Messages that begin with file, line and column, in the order of these.

    `refusal` is the parser's own, which is left out where the lint finds an error in the same file: the lint says what
    would be valid.
    """
    notes = _looked(domain, problem)
    blamed = next((n for n in notes if refusal.startswith(f"{n.source.name}:")), notes[-1])
    found = [f for n in notes for f in sorted(set(n.found)) if f.severity == ERROR]
    told = [f"{f.file}:{f.line}:{f.column}: {f.message}" for f in found]
    return list(dict.fromkeys(told if blamed.errors else [refusal, *told]))


def _looked(domain: Source, problem: Source | None) -> list[Notes]:
    """What the lint takes down of the texts alone."""
    notes = [Notes(source) for source in (domain, problem) if source is not None]
    trees = [define(n, what) for n, what in zip(notes, ("domain", "problem"), strict=False)]
    text = None if trees[0] is None else read_domain(trees[0], notes[0])
    if text is not None:
        check_domain(text)
        check_names([p for s in text.sections.get(":requirements", ()) for p in s.parts[1:]], notes[0])
        if problem is not None and trees[1] is not None:
            check_problem(trees[1], notes[1], text)
    for n in notes:
        n.settle(readable=False)
    return notes
