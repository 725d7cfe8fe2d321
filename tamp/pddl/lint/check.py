"""Check a domain and problems for it: each text, then what shows when unified-planning reads them together."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from traceback import walk_tb
from typing import Any

from tamp.data import located
from tamp.errors import InputError
from tamp.files.source import Source, read
from tamp.model.goal_syntax import Node
from tamp.pddl.lint.declarations import DomainText, read_domain
from tamp.pddl.lint.findings import ERROR, NOT_PDDL, Finding, Notes
from tamp.pddl.lint.formulas import Uses
from tamp.pddl.lint.texts import ProblemText, check_domain, check_missing, check_problem, check_unused
from tamp.pddl.reading import in_full, locate, ordered, read_unified
from tamp.pddl.tree import not_pddl, tree

_NEVER_READ = (NOT_PDDL, "unknown-type", "unknown-predicate", "unknown-object", "unknown-variable")
"""Errors for which unified-planning need not be asked, which takes long for a large text."""


@dataclass(frozen=True)
class Report:
    """Everything found, by place. `lacking` are the requirements that the domain should declare, `added` those that
    were written into its file."""

    findings: tuple[Finding, ...]
    domain: DomainText | None = field(default=None, repr=False)
    lacking: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(f.severity == ERROR for f in self.findings)

    @property
    def unread(self) -> bool:
        """Whether something is no PDDL at all."""
        return any(f.code == NOT_PDDL for f in self.findings)


Texts = tuple[DomainText | None, Uses, list[ProblemText]]
"""What the lint knows of a domain's text, None where it is none, and of the problems that are problems."""

FolderCheck = Callable[[DomainText], tuple[list[Notes], frozenset[str]]]
"""Checks what else is in a domain's folder: notes by file, and the predicates that come from outside the operators."""


def check(domain: str | Path, problems: Sequence[Path] = (), folder: FolderCheck | None = None) -> Report:
    """Check files. InputError for a domain's name that there is none of, and for `-` twice."""
    if [str(domain), *map(str, problems)].count("-") > 1:
        raise InputError("only one of the files can be standard input (-)")
    notes, read_notes = _notes(locate(domain)), [_notes(located(p, "problem", ".pddl")) for p in problems]
    text, uses, given = check_texts(notes, read_notes)
    if text is None:
        return Report(_sorted([notes, *(n for n in read_notes if n.found)]))
    asked = Uses()
    for problem in given:
        asked.merge(problem.uses)
    lacking = check_missing(text, uses)
    check_unused(text, uses, asked)
    others, outside = folder(text) if folder else ([], frozenset[str]())
    _check_together(text, given, uses, outside, complete=len(given) == len(problems))
    needed = {*lacking}.union(*(p.lacking for p in given))
    return Report(_sorted([notes, *read_notes, *others]), text, tuple(sorted(needed)))


def check_texts(domain: Notes, problems: Sequence[Notes]) -> Texts:
    """Report what is wrong in each text alone; one with notes already is passed over."""
    defined = None if domain.found else _defined(domain, "domain")
    trees = [(n, None if n.found else _defined(n, "problem")) for n in problems]
    if defined is None:
        return None, Uses(), []
    text = read_domain(defined, domain)
    return text, check_domain(text), [check_problem(t, n, text) for n, t in trees if t is not None]


def unread(notes: Sequence[Notes]) -> bool:
    """Whether unified-planning certainly does not read the texts."""
    return any(f.code in _NEVER_READ for n in notes for f in n.found)


def mistakes(notes: Sequence[Notes]) -> list[str]:
    """All errors of a domain and a problem that cannot be read: messages that begin with file, line and column, in the
    order of these."""
    _read_or_note(*notes)
    found = [f for n in notes for f in sorted(set(n.found)) if f.severity == ERROR]
    return list(dict.fromkeys(f"{f.file}:{f.line}:{f.column}: {f.message}" for f in found))


def _notes(path: Path) -> Notes:
    try:
        return Notes(read(path))
    except InputError as e:
        notes, found = Notes(Source(str(path), "")), re.match(r".*?:(\d+): ", str(e))
        line = int(found[1]) if found else 1
        notes.add_at(NOT_PDDL, line, 1, str(e).removeprefix(f"{path}:{line}: ").removeprefix(f"{path} "))
        return notes


def _defined(notes: Notes, what: str) -> Node | None:
    """The tree of a `(define (domain …` or `(define (problem …`, as `what` says; None when it is none of those."""
    if wrong := not_pddl(notes.source.bare(), what):
        notes.add(NOT_PDDL, *wrong)
        return None
    return tree(notes.source)


def _sorted(all_notes: Sequence[Notes]) -> tuple[Finding, ...]:
    """By file as given, then by place; each once."""
    return tuple(dict.fromkeys(f for notes in all_notes for f in sorted(set(notes.found))))


def _read_or_note(domain: Notes, problem: Notes | None = None) -> Any:
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
            text = in_full(domain.source, problem.source if problem else None)
            blamed.found += blamed.doubts or [_where_it_stopped(blamed, text, e)]
        return None


def _where_it_stopped(blamed: Notes, text: str, error: Exception) -> Finding:
    """The finding for what no rule of the lint is about, where unified-planning was in the text that it was given: at
    the character that an error of pyparsing names, else at the innermost list or word that was being read. What it
    raised says more of its reader than of the text."""
    starts = [
        value.locn_start
        for frame, _ in walk_tb(error.__traceback__)
        for value in frame.f_locals.values()
        if isinstance(getattr(value, "locn_start", None), int)
    ]
    loc = getattr(error, "loc", None)
    places = ordered(text)[1]
    offset = min(loc if isinstance(loc, int) else max(starts, default=0), len(places) - 1)
    line, column = Source(blamed.source.name, text).place(places[offset])
    return blamed.finding("unsupported", line, column, "unified-planning does not read this; no other error was found")


def _check_together(
    domain: DomainText, problems: Sequence[ProblemText], uses: Uses, outside: frozenset[str], complete: bool
) -> None:
    """Let unified-planning read it, then report what is never produced and cannot be reached.

    `outside`: predicates that failed refinements add to a problem; `complete`: these are all the problems that were
    given.
    """
    from tamp.pddl.reach import reach

    if not problems:
        _read_or_note(domain.notes)
    reached = []
    for problem in problems:
        parsed = _read_or_note(domain.notes, problem.notes)
        found = None if parsed is None else reach(parsed, outside)
        reached.append(found)
        for goal in found.hopeless if found else ():
            nodes = problem.goal.walk() if problem.goal else ()
            place = next((n for n in nodes if n.word is None and str(n) == goal), problem.goal or 0)
            message = f"{goal} can never hold: no operator that can be done makes it true"
            problem.notes.add("unreachable-goal", place, message)
    if not problems or not complete:
        return
    one = len(problems) == 1
    if not domain.foreign and not any(n.errors for n in (domain.notes, *(p.notes for p in problems))):
        there = {*uses.adds, *outside}.union(*(p.begins_with for p in problems))
        start = "the problem does not begin" if one else "none of the problems begins"
        for name, node in uses.needs.items():
            if name not in there:
                message = f"{node} never holds: no operator makes it true, and {start} with it"
                domain.notes.add("never-produced", node, message)
    known = [r for r in reached if r is not None]
    for operator in domain.operators if len(known) == len(problems) else ():
        name = operator.name
        why = [r.blocked[name] for r in known if name in r.blocked and name not in r.idle]
        if why and all(name in r.blocked for r in known):
            message = f"{name} cannot be done in {'the problem' if one else 'any of the problems'}: {why[0]}"
            domain.notes.add("unreachable-operator", operator.node, message)
