"""Findings: what is wrong, where, how bad; and their codes."""

from __future__ import annotations

import bisect
import difflib
import re
from collections.abc import Collection
from dataclasses import dataclass, field

from tamp.files.source import Source
from tamp.model.goal_syntax import Node

ERROR, WARNING = "error", "warning"

NOT_PDDL = "not-pddl"

_ERRORS = (
    *("not-pddl", "syntax", "unsupported", "section-order", "bad-name", "duplicate", "name-clash"),
    *("unknown-requirement", "unknown-type", "type-cycle", "unknown-predicate", "unknown-function"),
    *("unknown-object", "unknown-variable", "wrong-arity", "wrong-type", "wrong-domain", "unbound-operator"),
    *("unknown-operator", "unknown-skill", "unbrought-effect", "unseen-effect", "bad-python", "bad-skill"),
    *("bad-table", "bad-words", "invalid-plan"),
)
_WARNINGS = (
    *("missing-requirement", "undeclared-supertype", "repeated-type", "unused-type"),
    *("unused-predicate", "unused-function", "never-produced", "unreachable-operator", "unreachable-goal"),
    *("unused-parameter", "unbound-parameter", "duplicate-fact", "contradiction"),
)
CODES = {**dict.fromkeys(_ERRORS, ERROR), **dict.fromkeys(_WARNINGS, WARNING)}
"""The severity of each code; docs/check.md says what they mean. Scripts depend on them: none is renamed."""


@dataclass(frozen=True, order=True)
class Finding:
    """One thing that is wrong; `line` and `column` from 1, `text` the line it is in."""

    file: str
    line: int
    column: int
    code: str
    message: str
    text: str = ""

    @property
    def severity(self) -> str:
        """`error` or `warning`."""
        return CODES[self.code]

    @property
    def instead(self) -> str | None:
        """What corrects it where it stands, if that is known: the name that `valid` says, or one requirement more."""
        if self.code == "missing-requirement" and self.text[self.column - 1 :].lower().startswith(":requirements"):
            return f":requirements {self.message.split()[0]}"
        meant = re.search(r"did you mean '([^']+)'\?", self.message)
        return meant and meant[1]


@dataclass
class Notes:
    """Takes down what is wrong with one text.

    `doubts` are about PDDL that unified-planning may not read: they count when it turns out that it does not.
    """

    source: Source
    found: list[Finding] = field(default_factory=list)
    doubts: list[Finding] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lines = self.source.text.split("\n")
        self._starts = [0]
        for line in self._lines[:-1]:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, as `Source.place`, fast for many."""
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def add(self, code: str, where: Node | int, message: str) -> None:
        """Something wrong with a node, or at a character."""
        self.add_at(code, *self.place(where if isinstance(where, int) else where.start), message)

    def doubt(self, where: Node, code: str, message: str) -> None:
        """Something that unified-planning may not read."""
        line, column = self.place(where.start)
        self.doubts.append(self.finding(code, line, column, message))

    def add_at(self, code: str, line: int, column: int, message: str) -> None:
        """Something wrong at a line and a column."""
        self.found.append(self.finding(code, line, column, message))

    def finding(self, code: str, line: int, column: int, message: str) -> Finding:
        """What is wrong at a line and a column, not taken down."""
        text = self._lines[line - 1] if 0 < line <= len(self._lines) else ""
        return Finding(self.source.name, line, column, code, message, text)

    @property
    def errors(self) -> bool:
        """Whether anything found is an error."""
        return any(f.severity == ERROR for f in self.found)


MOST_COMPARED = 2000
"""Names that a misspelt one is compared with."""


def valid(name: str, there: Collection[str]) -> str:
    """What would have been valid instead of a name: the one that it looks like, else some of what there is."""
    near = difflib.get_close_matches(name, there, 1) if len(there) <= MOST_COMPARED else []
    if near:
        return f"did you mean {near[0]!r}?"
    shown = sorted(there)[:8]
    return f"there are: {', '.join(shown)}{', …' if len(there) > 8 else ''}" if shown else "there are none"
