"""What only shows when unified-planning reads domain and problems, and what holds in none of the problems."""

from __future__ import annotations

from collections.abc import Sequence

from tamp.lint.domain_text import DomainText
from tamp.lint.mistakes import read_or_note
from tamp.lint.problems import ProblemText
from tamp.lint.vocabulary import Uses
from tamp.pddl.reach import Reached, reach
from tamp.pddl.tree import Node


def check_together(
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
