"""A domain and problems for it, looked at together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tamp.data import located
from tamp.errors import InputError
from tamp.files.source import Source, read
from tamp.lint.across_files import check_together
from tamp.lint.bindings import check_bindings
from tamp.lint.domain_text import DomainText, read_domain
from tamp.lint.domains import check_domain, check_unused
from tamp.lint.findings import ERROR, NOT_PDDL, Finding, Notes
from tamp.lint.problems import ProblemText, check_problem
from tamp.lint.read import define
from tamp.lint.requirements import check_missing, check_names, check_superfluous
from tamp.lint.vocabulary import Uses
from tamp.lint.words import check_words
from tamp.pddl.reading import locate


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


def check(domain: str | Path, problems: Sequence[Path] = (), *, run_python: bool = True) -> Report:
    """Look at files. InputError for a domain's name that there is none of, and for `-` twice.

    `run_python`: the Python of the domain's folder is run, which is only for a domain that a person has named.
    """
    if [str(domain), *map(str, problems)].count("-") > 1:
        raise InputError("only one of the files can be standard input (-)")
    notes, read_notes = _notes(locate(domain)), [_notes(located(p, "problem", ".pddl")) for p in problems]
    text = _domain(notes)
    if text is None:
        return Report(_sorted([notes, *(n for n in read_notes if n.found)]))
    uses = check_domain(text)
    given = [p for n in read_notes if (p := _problem(n, text)) is not None]
    asked = Uses()
    for problem in given:
        asked.merge(problem.uses)
    check_names([p for s in text.sections.get(":requirements", ()) for p in s.parts[1:]], notes)
    lacking = check_missing(text, uses)
    check_superfluous(text, uses, asked)
    check_unused(text, uses, asked)
    table, words = check_bindings(text, run_python), check_words(text)
    outside = frozenset[str]()
    if table:
        from tamp.skills.declared import facts

        outside = facts()
    check_together(text, given, uses, outside, complete=len(given) == len(problems))
    needed = {*lacking}.union(*(p.lacking for p in given))
    return Report(_sorted([notes, *read_notes, *table, *([words] if words else [])]), text, tuple(sorted(needed)))


def _notes(path: Path) -> Notes:
    try:
        return Notes(read(path))
    except InputError as e:
        notes = Notes(Source(str(path), ""))
        line, column = _place(str(e))
        notes.add_at(NOT_PDDL, line, column, str(e).removeprefix(f"{path}:{line}: ").removeprefix(f"{path} "))
        return notes


def _place(message: str) -> tuple[int, int]:
    """The line that a message begins with after the file's name, else the first."""
    found = re.match(r".*?:(\d+): ", message)
    return (int(found[1]), 1) if found else (1, 1)


def _domain(notes: Notes) -> DomainText | None:
    tree = None if notes.found else define(notes, "domain")
    return None if tree is None else read_domain(tree, notes)


def _problem(notes: Notes, domain: DomainText) -> ProblemText | None:
    tree = None if notes.found else define(notes, "problem")
    return None if tree is None else check_problem(tree, notes, domain)


def _sorted(all_notes: Sequence[Notes]) -> tuple[Finding, ...]:
    """By file as given, then by place; each once."""
    seen: list[Finding] = []
    for notes in all_notes:
        seen += sorted(set(notes.found))
    return tuple(dict.fromkeys(seen))
