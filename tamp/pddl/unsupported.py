"""What PDDL has and unified-planning does not read: told by name, where its parser would only say what it expected."""

from __future__ import annotations

import re

from tamp.pddl.source import Source

_UNREAD = {
    r"\(\s*:derived\b": "derived predicates",
    r"\(\s*:constraints\b": "constraints",
    r"\(\s*either\b": "either types",
    r"\(\s*preference\b": "preferences",
    r"\(\s*scale-(?:up|down)\b": "scale-up and scale-down",
    r"\(\s*probabilistic\b": "probabilistic effects",
    r":object-fluents\b": "object fluents",
    r":action-expansion\b": "action expansion",
}


def unsupported(source: Source) -> tuple[int, str] | None:
    """The first construct in a text that the parser does not read: its character and a sentence; None without one.

    Only for a text that it has refused: constraints are read in a problem.
    """
    bare = source.bare()
    found = ((m.start(), what) for pattern, what in _UNREAD.items() if (m := re.search(pattern, bare)))
    first = min(found, default=None)
    return None if first is None else (first[0], f"{first[1]} are not supported by unified-planning")
