"""The parentheses of a PDDL file as a tree whose parts know where they are in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tamp.files.source import Source

_TOKEN = re.compile(r"[()]|[^() \n\t\r]+")


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
    """The one list that a file is. ValueError for a text that does not begin with one, which
    `tamp.pddl.outline.not_pddl` explains."""
    return _list_at(source.bare(), 0)


def _list_at(text: str, start: int) -> Node:
    """The list that begins there, in a text without comments. ValueError where none does, or where it does not end."""
    opened: list[tuple[int, list[Node]]] = []
    for found in _TOKEN.finditer(text, start):
        token = found[0]
        if token == "(":
            opened.append((found.start(), []))
            continue
        if not opened:
            break
        if token == ")":
            begin, parts = opened.pop()
            node = Node(begin, found.end(), None, tuple(parts))
        else:
            node = Node(found.start(), found.end(), token)
        if not opened:
            return node
        opened[-1][1].append(node)
    raise ValueError(f"no list at character {start}")


@contextmanager
def parsing() -> Iterator[None]:
    """Lets unified-planning's reader take formulas and facts from `_list_at`, which is 30 times as fast as its grammar
    of them and has no limit of depth; and without remembering what matched where, which unified-planning switches on
    for all grammars, and which makes PDDL three times as slow."""
    from pyparsing import ParserElement
    from unified_planning.io import pddl_reader

    before = pddl_reader.nested_expr
    pddl_reader.nested_expr = _grammar
    ParserElement.disable_memoization()
    try:
        yield
    finally:
        ParserElement.enable_packrat()
        pddl_reader.nested_expr = before


def _grammar() -> Any:
    """A list in parentheses as an element of a grammar, with results that unified-planning's reader understands."""
    from pyparsing import ParseException, ParseResults, Token

    @dataclass(frozen=True)
    class Located:
        """A node as pyparsing's Located gives it."""

        locn_start: int
        locn_end: int
        value: ParseResults

    def located(node: Node) -> Located:
        inside = [node.word] if node.word is not None else list(map(located, node.parts))
        return Located(node.start, node.end, ParseResults(inside))

    class Nested(Token):
        def __init__(self) -> None:
            super().__init__()
            self.saveAsList = True  # so that a name given to the element names a list of one

        def _generateDefaultName(self) -> str:
            return "a list in parentheses"

        def parseImpl(self, instring: str, loc: int, do_actions: bool = True) -> tuple[int, list[Located]]:
            if instring[loc] != "(":
                raise ParseException(instring, loc, self.errmsg, self)
            node = _list_at(instring, loc)
            return node.end, [located(node)]

    return Nested()
