"""Check a domain and problems for it: each text, then what shows when unified-planning reads them together."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tamp.data import located
from tamp.errors import InputError
from tamp.files.source import Source, read
from tamp.pddl.lint.domain_text import DomainText
from tamp.pddl.lint.domains import check_unused
from tamp.pddl.lint.findings import ERROR, NOT_PDDL, Finding, Notes
from tamp.pddl.lint.mistakes import check_texts, read_or_note
from tamp.pddl.lint.problems import ProblemText
from tamp.pddl.lint.requirements import check_missing, check_superfluous
from tamp.pddl.lint.vocabulary import Uses
from tamp.pddl.reach import Reached, reach
from tamp.pddl.reading import locate
from tamp.pddl.tree import Node


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


FolderCheck = Callable[[DomainText], tuple[list[Notes], frozenset[str]]]
"""Checks what a domain's folder holds beside it: notes by file, and the predicates that come from outside the
operators."""


def check(domain: str | Path, problems: Sequence[Path] = (), folder: FolderCheck | None = None) -> Report:
    """Check files. InputError for a domain's name that there is none of, and for `-` twice."""
    if [str(domain), *map(str, problems)].count("-") > 1:
        raise InputError("only one of the files can be standard input (-)")
    notes, read_notes = _notes(locate(domain)), [_notes(located(p, "problem", ".pddl")) for p in problems]
    texts = check_texts(notes, read_notes)
    text, uses, given = texts.domain, texts.uses, texts.problems
    if text is None:
        return Report(_sorted([notes, *(n for n in read_notes if n.found)]))
    asked = Uses()
    for problem in given:
        asked.merge(problem.uses)
    lacking = check_missing(text, uses)
    check_superfluous(text, uses, asked)
    check_unused(text, uses, asked)
    beside, outside = folder(text) if folder else ([], frozenset[str]())
    _check_together(text, given, uses, outside, complete=len(given) == len(problems))
    needed = {*lacking}.union(*(p.lacking for p in given))
    return Report(_sorted([notes, *read_notes, *beside]), text, tuple(sorted(needed)))


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


def _sorted(all_notes: Sequence[Notes]) -> tuple[Finding, ...]:
    """By file as given, then by place; each once."""
    seen: list[Finding] = []
    for notes in all_notes:
        seen += sorted(set(notes.found))
    return tuple(dict.fromkeys(seen))


def _check_together(
    domain: DomainText, problems: Sequence[ProblemText], uses: Uses, outside: frozenset[str], complete: bool
) -> None:
    """Let unified-planning read it, then report what is never produced and cannot be reached.

    `outside`: predicates that failed refinements add to a problem; `complete`: these are all the problems that were
    given.
    """
    reached = [_reached(domain, p, outside) for p in problems]
    if not problems:
        read_or_note(domain.notes)
    if not problems or not complete:
        return
    if not domain.foreign and not any(p.notes.errors for p in problems):
        _never_produced(domain, problems, uses, outside)
    found = [r for r in reached if r is not None]
    if len(found) == len(problems):
        _unreachable(domain, found)


def _reached(domain: DomainText, problem: ProblemText, outside: frozenset[str]) -> Reached | None:
    parsed = read_or_note(domain.notes, problem.notes)
    found = None if parsed is None else reach(parsed, outside)
    for goal in found.hopeless if found else ():
        message = f"{goal} can never hold: no operator that can be done makes it true"
        problem.notes.add("unreachable-goal", _place_of(goal, problem.goal), message)
    return found


def _place_of(literal: str, goal: Node | None) -> Node | int:
    if goal is None:
        return 0
    return next((n for n in goal.walk() if n.word is None and str(n) == literal), goal)


def _never_produced(domain: DomainText, problems: Sequence[ProblemText], uses: Uses, outside: frozenset[str]) -> None:
    there = {*uses.adds, *outside}.union(*(p.begins_with for p in problems))
    start = "the problem does not begin" if len(problems) == 1 else "none of the problems begins"
    for name, node in uses.needs.items():
        if name not in there:
            message = f"{node} never holds: no operator makes it true, and {start} with it"
            domain.notes.add("never-produced", node, message)


def _unreachable(domain: DomainText, reached: Sequence[Reached]) -> None:
    for operator in domain.operators:
        name = operator.name
        why = [r.blocked[name] for r in reached if name in r.blocked and name not in r.idle]
        if why and all(name in r.blocked for r in reached):
            where = "the problem" if len(reached) == 1 else "any of the problems"
            message = f"{name} cannot be done in {where}: {why[0]}"
            domain.notes.add("unreachable-operator", operator.node, message)
