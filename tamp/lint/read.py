"""From a file to the tree of a `(define …)`, or what it is instead."""

from __future__ import annotations

from tamp.lint.findings import NOT_PDDL, Notes
from tamp.pddl.outline import not_pddl
from tamp.pddl.tree import Node, tree


def define(notes: Notes, what: str) -> Node | None:
    """The tree of a `(define (domain …` or `(define (problem …`, as `what` says; None when it is none of those."""
    if wrong := not_pddl(notes.source.bare(), what):
        notes.add(NOT_PDDL, *wrong)
        return None
    return tree(notes.source)
