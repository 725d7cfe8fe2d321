"""Findings: what is wrong, where, how bad; and the codes they have."""

from __future__ import annotations

import bisect
import difflib
from collections.abc import Collection
from dataclasses import dataclass, field

from tamp.files.source import Source
from tamp.pddl.tree import Node

ERROR, WARNING = "error", "warning"

NOT_PDDL = "not-pddl"

CODES = {
    NOT_PDDL: (ERROR, "it cannot be read, is empty or binary, its parentheses do not match, or is no `(define …)`"),
    "syntax": (ERROR, "something stands where PDDL has no place for it"),
    "unsupported": (ERROR, "PDDL, but none that unified-planning reads, so `plan` and `validate` cannot take it"),
    "section-order": (ERROR, "a section stands before one that must come first"),
    "bad-name": (ERROR, "a name begins with no letter, or has other characters than letters, digits, `-` and `_`"),
    "duplicate": (ERROR, "a name is declared twice, or a section is there twice"),
    "name-clash": (ERROR, "one name for two things, which unified-planning mistakes for each other"),
    "unknown-requirement": (ERROR, "a requirement that PDDL does not have"),
    "missing-requirement": (WARNING, "something is used whose requirement is not declared; `--fix` adds it"),
    "superfluous-requirement": (WARNING, "a requirement whose parts of PDDL are not used"),
    "unknown-type": (ERROR, "a type that is not declared"),
    "undeclared-supertype": (WARNING, "a type that is only ever mentioned as another's supertype"),
    "type-cycle": (ERROR, "a type that is a subtype of itself"),
    "unknown-predicate": (ERROR, "a predicate that is not declared"),
    "unknown-function": (ERROR, "a function that is not declared"),
    "unknown-object": (ERROR, "an object or a constant that is not declared"),
    "unknown-variable": (ERROR, "a variable that is no parameter and not quantified"),
    "wrong-arity": (ERROR, "too many arguments or too few"),
    "wrong-type": (ERROR, "an argument of a type that does not fit"),
    "unused-type": (WARNING, "a type that nothing is of, nor of one above or below it, but of `object`"),
    "unused-predicate": (WARNING, "a predicate that no operator has in a condition or an effect"),
    "unused-function": (WARNING, "a function that no operator has in a condition or an effect"),
    "never-produced": (WARNING, "an operator needs a predicate that no operator makes true and no problem begins with"),
    "unreachable-operator": (WARNING, "an operator that can be done in none of the problems"),
    "unreachable-goal": (WARNING, "a part of the goal that can never hold"),
    "unused-parameter": (WARNING, "a parameter that is in no condition and no effect"),
    "unbound-parameter": (WARNING, "an untyped parameter that is in no condition: any object at all will do"),
    "unused-variable": (WARNING, "a quantified variable that its formula does not have"),
    "duplicate-fact": (WARNING, "a fact that is in the initial state twice"),
    "contradiction": (WARNING, "a fact of the initial state that is also said to be false, or a second value"),
    "wrong-domain": (ERROR, "a problem for a domain of another name"),
    "unbound-operator": (ERROR, "an operator that skills.toml binds to no skill"),
    "unknown-operator": (ERROR, "skills.toml binds an operator that the domain does not have"),
    "unknown-skill": (ERROR, "skills.toml names a skill that does not exist"),
    "unbrought-effect": (ERROR, "an operator promises what the skill that it is bound to does not bring about"),
    "unseen-effect": (ERROR, "an operator makes true what no observer sees, and what is not believed either"),
    "bad-python": (ERROR, "observers.py or skills.py does not run, takes too long, or does not fit the domain"),
    "bad-skill": (ERROR, "the spec of a skill in skills.py has what the domain does not"),
    "bad-table": (ERROR, "skills.toml cannot be read, or is no TOML"),
    "bad-words": (ERROR, "words.toml cannot be read, is no TOML, or has what are no words"),
}
"""Severity and meaning of each code. Scripts depend on them: none is renamed."""


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
        return CODES[self.code][0]


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
