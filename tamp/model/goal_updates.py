"""What is wanted after several wishes: of two that speak of the same thing the later one counts.

What a literal speaks of is its first argument: where a thing is, whether a drawer is open, a stove on.
"""

from __future__ import annotations

from collections.abc import Iterable

from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.formula import Formula, Not
from tamp.model.goal import Goal

Goals = tuple[Goal, ...]
"""Goals one after the other."""


def spoken_of(goals: Iterable[Goal]) -> frozenset[str]:
    """The things that goals speak of."""
    return frozenset(a.args[0] for g in goals for a in g.mentioned if a.args)


def without(goals: Goals, things: frozenset[str]) -> Goals:
    """The goals but for the parts that speak of some things."""
    kept = (Goal.of((p for p in g.parts if not _speaks_of(p, things)), g.untouched) for g in goals)
    return tuple(dict.fromkeys(g for g in kept if g.parts))


def together(before: Goals, after: Goals) -> Goals:
    """What is still wanted of `before`, and `after`, in no order but their own; in the end all of it holds."""
    kept = without(before, spoken_of(after))
    return (*kept[:-1], *after[:-1], _both(kept[-1], after[-1])) if kept and after else kept or after


def taken_back(goals: Goals, held_before: frozenset[Atom], but: frozenset[str]) -> Goal | None:
    """That what was wanted by mistake is not so, but for what held before it was asked for, and for the things that
    are spoken of anew; None where nothing is left of it."""
    mistaken = (a for g in goals for a in g.atoms if a not in held_before and but.isdisjoint(a.args[:1]))
    denied: list[Formula] = [Not(a) for a in mistaken]
    return Goal.of(dict.fromkeys(denied)) if denied else None


def as_before(about: frozenset[str], held_before: frozenset[Atom], domain: Domain) -> Goals:
    """Where some things were, and how what opens or is switched was, before they were spoken of: as far as there are
    operators that make it so again."""
    made = {p.name for adds in domain.adds.values() for p in adds}
    return (Goal.of(sorted(a for a in held_before if a.args and a.args[0] in about and a.predicate in made)),)


def _speaks_of(part: Formula, things: frozenset[str]) -> bool:
    return not things.isdisjoint(spoken_of([Goal(part)]))


def _both(one: Goal, other: Goal) -> Goal:
    return Goal.of((*one.parts, *other.parts), tuple(dict.fromkeys((*one.untouched, *other.untouched))))
