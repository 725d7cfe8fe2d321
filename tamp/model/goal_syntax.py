"""The text of a goal as nested lists of words that know their columns, and the errors that name one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tamp.errors import InputError

DEEPEST = 100
"""Levels of parentheses, in goals and in PDDL files. What people write has ten."""
MOST_TOLD = 8
"""Names that are told of those that would be valid."""
VOWELS = tuple("aeiou")
"""Letters before which a noun has another article."""

NAME = re.compile(r"[a-z][a-z0-9_]*")
"""What a thing can be called in a goal."""
_TOKEN = re.compile(r"[()]|[^\s()]+")


@dataclass(frozen=True)
class Node:
    """A word, or a list of nodes in parentheses when `word` is None; `column` counts from 1."""

    column: int
    word: str | None
    parts: tuple[Node, ...] = ()

    @property
    def head(self) -> str:
        """The first word of a list, empty where there is none."""
        return self.parts[0].word or "" if self.parts else ""


def fail(column: int, message: str) -> InputError:
    """What is wrong with a goal, and at which column."""
    return InputError(f"goal, column {column}: {message}")


def valid(name: str, options: Iterable[str], later: Callable[[str], int] = lambda option: 0) -> str:
    """The options that are spelled like `name`, or else the first few and how many more there are: those of which
    `later` is less come first."""
    names = sorted(options, key=lambda option: (later(option), option))
    near = difflib.get_close_matches(name, names, 3, 0.5)
    more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD and not near else ""
    return f"valid: {', '.join(near or names[:MOST_TOLD]) or 'nothing in this scene'}{more}"


def nearest_name(text: str) -> str:
    """A name that a thing can have in a goal, as near to a text as there is one."""
    name = re.sub(r"[^a-z0-9_]+", "_", text.lower()).strip("_") or "mug_1"
    return name if name[0].isalpha() else f"thing_{name}"


def with_article(noun: str) -> str:
    """`an item`, `a drawer`."""
    return f"{'an' if noun[:1] in VOWELS else 'a'} {noun}"


def tree(text: str) -> Node:
    """The one list that a goal is, in lower case. InputError with the column when it is none."""
    tokens = [(m.group().lower(), m.start() + 1) for m in _TOKEN.finditer(text)]
    if not tokens:
        raise fail(1, "empty; valid: (predicate object …) or (and (…) (…))")
    opened: list[tuple[int, list[Node]]] = []
    last = 1
    for i, (token, column) in enumerate(tokens):
        if token == "(":
            opened.append((column, []))
            last = column
            if len(opened) > DEEPEST:
                raise fail(column, f"more than {DEEPEST} levels of parentheses")
        elif not opened:
            raise fail(column, "')' closes nothing" if token == ")" else f"expected '(' before {token!r}")
        elif token != ")":
            opened[-1][1].append(Node(column, token))
        else:
            start, parts = opened.pop()
            node = Node(start, None, tuple(parts))
            if not opened:
                if i + 1 < len(tokens):
                    raise fail(tokens[i + 1][1], "text after the goal; join atoms with (and …)")
                return node
            opened[-1][1].append(node)
    raise fail(last, "'(' is never closed")
