"""The text of a PDDL file before any parser sees it: its parentheses as a tree, and whether it is PDDL at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tamp.files.source import Source
from tamp.model.goal_syntax import DEEPEST, Node, list_at

LARGEST = 1e50
"""Numbers beyond would overflow once they are multiplied or added up."""

_NUMBER = re.compile(r"(?<![^\s()])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![^\s()])")
_DEFINE = re.compile(r"\s*\(\s*define\s*\(\s*([^\s()]+)")
_SECTIONS = "requirements types constants predicates functions derived action durative-action objects init goal metric"
_SECTION = rf"\(\s*:(?:{'|'.join(_SECTIONS.split())})\b"


def tree(source: Source) -> Node:
    """The one list that a file is. ValueError for a text that does not begin with one, which
    `not_pddl` explains."""
    return list_at(source.bare(), 0)


def not_pddl(text: str, what: str) -> tuple[int, str] | None:
    """Why a text without comments, see `Source.bare`, is no `(define (domain …` or `(define (problem …`, as `what`
    says, and the character where that shows; None when it may be one."""
    start = len(text) - len(text.lstrip())
    if not text.strip():
        return 0, f"there is nothing in it; valid: (define ({what} NAME) …)"
    begins = _DEFINE.match(text)
    if begins is not None and begins[1] != what:
        return start, f"this is a {begins[1]}, not a {what}"
    if wrong := unbalanced(text):
        return wrong
    if begins is None:
        return start, f"no (define …): a {what} begins with (define ({what} NAME) …)"
    if rest := text[list_at(text, start).end :].lstrip():
        return len(text) - len(rest), "there is something after the end of the (define …)"
    numbers = (found for found in _NUMBER.finditer(text) if not abs(float(found[0])) <= LARGEST)
    found = next(numbers, None)
    return found and (found.start(), f"{found[0][:20]} is too large for a number; valid: up to {LARGEST:g}")


def unbalanced(text: str) -> tuple[int, str] | None:
    """The character where parentheses go wrong in a text without comments, and how; None when they do not.

    A section that begins inside of another tells which parenthesis was left open before it; one that begins after
    the end tells which parenthesis was one too many.
    """
    opened: list[int] = []
    ended = -1
    for found in re.finditer(rf"{_SECTION}|[()]", text):
        if found[0] == ")":
            if not opened:
                return found.start(), "a ')' that closes nothing"
            opened.pop()
            ended = ended if opened else found.start()
            continue
        if len(found[0]) > 1 and not opened and ended >= 0:
            return ended, "a ')' too many: it closes the (define …) before the next section"
        if len(found[0]) > 1 and len(opened) > 1:
            return opened[-1], "a '(' that is not closed before the next section"
        opened.append(found.start())
        if len(opened) > DEEPEST:
            return found.start(), f"more than {DEEPEST} levels of parentheses"
    return (opened[-1], "a '(' that is never closed") if opened else None


@contextmanager
def parsing() -> Iterator[None]:
    """Lets unified-planning's reader take formulas and facts from `list_at`, which is 30 times as fast as its grammar
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
            node = list_at(instring, loc)
            return node.end, [located(node)]

    return Nested()
