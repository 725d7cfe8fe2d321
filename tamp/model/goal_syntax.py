"""The text of a goal as nested lists of words that know their columns, and the errors that name one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tamp.errors import InputError

DEEPEST = 100
"""Levels of parentheses, in goals and in PDDL files. What people write has ten."""
MOST_LISTED = 8
"""Names that are listed of those that would be valid."""
VOWELS = tuple("aeiou")
"""Letters before which a noun has another article."""

NAME = re.compile(r"[a-z][a-z0-9_]*")
"""What a thing can be called in a goal."""
_TOKEN = re.compile(r"[()]|[^() \n\t\r]+")


@dataclass(frozen=True)
class Node:
    """A word, or a list of nodes in parentheses when `word` is None; `start` and `end` are characters of the text."""

    start: int
    end: int
    word: str | None
    parts: tuple[Node, ...] = ()

    def __str__(self) -> str:
        return self.word if self.word is not None else f"({' '.join(map(str, self.parts))})"

    @property
    def head(self) -> str:
        """The first word of a list, empty where there is none."""
        return self.parts[0].word or "" if self.parts else ""

    @property
    def column(self) -> int:
        """Where it begins, from 1."""
        return self.start + 1

    def walk(self) -> Iterator[Node]:
        """This node and all that are in it, in the order of the text."""
        left = [self]
        while left:
            node = left.pop()
            yield node
            left.extend(reversed(node.parts))


def list_at(text: str, start: int) -> Node:
    """The list that begins at a character, its words in lower case. ValueError with a character and a message where
    none does, where it does not end, and where it is too deep."""
    opened: list[tuple[int, list[Node]]] = []
    last = start
    for found in _TOKEN.finditer(text, start):
        token = found[0]
        if token == "(":
            last = found.start()
            opened.append((last, []))
            if len(opened) > DEEPEST:
                raise ValueError(last, f"more than {DEEPEST} levels of parentheses")
            continue
        if not opened:
            raise ValueError(found.start(), "')' closes nothing" if token == ")" else f"expected '(' before {token!r}")
        if token == ")":
            begin, parts = opened.pop()
            node = Node(begin, found.end(), None, tuple(parts))
        else:
            node = Node(found.start(), found.end(), token.lower())
        if not opened:
            return node
        opened[-1][1].append(node)
    raise ValueError(last, "'(' is never closed")


def fail(column: int, message: str) -> InputError:
    """What is wrong with a goal, and at which column."""
    return InputError(f"goal, column {column}: {message}")


def valid(name: str, options: Iterable[str], later: Callable[[str], int] = lambda option: 0) -> str:
    """The options that are spelled like `name`, or else the first few and how many more there are: those of which
    `later` is less come first."""
    names = sorted(options, key=lambda option: (later(option), option))
    near = difflib.get_close_matches(name, names, 3, 0.5)
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED and not near else ""
    return f"valid: {', '.join(near or names[:MOST_LISTED]) or 'nothing in this scene'}{more}"


def nearest_name(text: str) -> str:
    """A name that a thing can have in a goal, as near to a text as there is one."""
    name = re.sub(r"[^a-z0-9_]+", "_", text.lower()).strip("_") or "mug_1"
    return name if name[0].isalpha() else f"thing_{name}"


def with_article(noun: str) -> str:
    """`an item`, `a drawer`."""
    return f"{'an' if noun[:1] in VOWELS else 'a'} {noun}"


def tree(text: str) -> Node:
    """The one list that a goal is, in lower case. InputError with the column when it is none."""
    text = re.sub(r"\s", " ", text)
    if text.isspace() or not text:
        raise fail(1, "empty; valid: (predicate object …) or (and (…) (…))")
    try:
        node = list_at(text, 0)
    except ValueError as e:
        raise fail(e.args[0] + 1, e.args[1]) from None
    if rest := text[node.end :].lstrip():
        raise fail(len(text) - len(rest) + 1, "text after the goal; join atoms with (and …)")
    return node
