"""From a file to the tree of a `(define …)`, or what it is instead."""

from __future__ import annotations

import re

from tamp.errors import InputError
from tamp.lint.findings import NOT_PDDL, Notes
from tamp.pddl.source import unbalanced
from tamp.pddl.tree import Node, tree

_DEFINE = re.compile(r"\s*\(\s*define\s*\(\s*([^\s()]+)")


def define(notes: Notes, what: str) -> Node | None:
    """The tree of a `(define (domain …` or `(define (problem …`, as `what` says; None when it is none of those."""
    bare = notes.source.bare()
    start = len(bare) - len(bare.lstrip())
    if not bare.strip():
        notes.add_at(NOT_PDDL, 1, 1, f"there is nothing in it; valid: (define ({what} …) …)")
    elif wrong := unbalanced(bare):
        notes.add(NOT_PDDL, wrong[0], wrong[1])
    elif (begins := _DEFINE.match(bare)) is None:
        notes.add(NOT_PDDL, start, f"no (define …): a {what} begins with (define ({what} NAME) …)")
    elif begins[1] != what:
        notes.add(NOT_PDDL, start, f"this is a {begins[1]}, not a {what}")
    elif (after := _after(bare)) is not None:
        notes.add(NOT_PDDL, after, "there is something after the end of the (define …)")
    else:
        return _tree(notes)
    return None


def _tree(notes: Notes) -> Node | None:
    from pyparsing.exceptions import ParseBaseException

    try:
        return tree(notes.source)
    except ParseBaseException as e:
        notes.add(NOT_PDDL, e.loc, f"not PDDL: {e.msg}")
        return None
    except RecursionError as e:
        raise InputError(f"{notes.source.name}: nested too deeply") from e


def _after(bare: str) -> int | None:
    """The first character after the list that a text begins with, None when there is none."""
    depth = 0
    for found in re.finditer(r"[()]", bare):
        depth += 1 if found[0] == "(" else -1
        if depth == 0:
            rest = bare[found.end() :]
            return found.end() + len(rest) - len(rest.lstrip()) if rest.strip() else None
    return None
