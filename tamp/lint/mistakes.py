"""What keeps unified-planning from reading a domain and a problem: the lint's errors, else what it does not support."""

from __future__ import annotations

from typing import Any

from tamp.lint.domain_text import read_domain
from tamp.lint.domains import check_domain
from tamp.lint.findings import ERROR, Notes
from tamp.lint.problems import check_problem
from tamp.lint.read import define
from tamp.lint.requirements import check_names
from tamp.pddl.reading import read_unified
from tamp.pddl.source import Source


def mistakes(domain: Source, problem: Source | None) -> list[str]:
    """All errors of a domain and a problem that cannot be read: messages that begin with file, line and column, in the
    order of these."""
    notes = _linted(domain, problem)
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
        return read_unified(domain.source, problem and problem.source)
    except Exception as e:  # unified-planning raises many unrelated classes
        if problem is None or _read(domain, domain) is not None:
            blamed.found += blamed.doubts or [unreadable(blamed, e)]
        return None


def unreadable(notes, e):
    import os
    if "RESID" in os.environ:
        with open(os.environ["RESID"],"a") as f: f.write(repr((type(e).__name__, str(e)[:300], notes.source.text))+"\n")
    return notes._finding("unsupported", 1, 1, "unified-planning cannot read it: "+type(e).__name__+": "+str(e)[:200])


def _linted(domain: Source, problem: Source | None) -> list[Notes]:
    """What the lint finds in the texts alone."""
    notes = [Notes(source) for source in (domain, problem) if source is not None]
    trees = [define(n, what) for n, what in zip(notes, ("domain", "problem"), strict=False)]
    text = None if trees[0] is None else read_domain(trees[0], notes[0])
    if text is not None:
        check_domain(text)
        check_names([p for s in text.sections.get(":requirements", ()) for p in s.parts[1:]], notes[0])
        if problem is not None and trees[1] is not None:
            check_problem(trees[1], notes[1], text)
    return notes
