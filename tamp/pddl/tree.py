"""The parentheses of a PDDL file as a tree whose parts know where they stand, by unified-planning's own grammar."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tamp.pddl.outline import DEEPEST
from tamp.pddl.source import Source

_FRAMES = 40 * DEEPEST
"""Python frames that the parser needs for the deepest text that is read; the default of 1000 is for 50 levels."""


@dataclass(frozen=True)
class Node:
    """A word, or a list of nodes in parentheses; `start` and `end` are characters of the text."""

    start: int
    end: int
    word: str | None
    parts: tuple[Node, ...] = ()

    def __str__(self) -> str:
        return self.word if self.word is not None else f"({' '.join(map(str, self.parts))})"

    @property
    def head(self) -> str:
        """The first word of a list, empty when it does not begin with one."""
        return self.parts[0].word or "" if self.parts else ""

    def walk(self) -> Iterator[Node]:
        """This node and all that are in it, in the order of the text."""
        left = [self]
        while left:
            node = left.pop()
            yield node
            left.extend(reversed(node.parts))


def tree(source: Source) -> Node:
    """The one list that a file is. The parentheses must be balanced, see `tamp.pddl.outline.unbalanced`.

    pyparsing's ParseBaseException when the text is no such list.
    """
    from unified_planning.io.pddl_reader import nested_expr

    with parsing():
        return _node(nested_expr().parse_string(source.bare(), parse_all=True)[0])


@contextmanager
def parsing() -> Iterator[None]:
    """How unified-planning's grammars read PDDL: with room on Python's stack for nested text, since they are recursive,
    and without remembering what matched where. That is switched on for every grammar by the one of ANML; PDDL hardly
    goes back in its text, and is read three times as fast without it."""
    import unified_planning.io  # noqa: F401  (which switches it on)
    from pyparsing import ParserElement

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    ParserElement.disable_memoization()
    try:
        yield
    finally:
        ParserElement.enable_packrat()
        sys.setrecursionlimit(before)


def _node(found: Any) -> Node:
    start, value, end = found.locn_start, found.value, found.locn_end
    if len(value) == 1 and isinstance(value[0], str):
        return Node(start, end, value[0])
    return Node(start, end, None, tuple(map(_node, value)))
