"""What the words say against an answer. They never answer themselves: they send an answer back.

An objection names what is wrong, for the model and for people, and which atoms are not to be said again.
"""

from __future__ import annotations

from llm.decoding import Clause
from llm.grammar import Language
from llm.review.answer import Answer, Objection
from llm.review.places import coordinated, crossed, elsewhere, misread
from llm.review.states import left_out, uncalled
from llm.review.things import better, moved_along, not_moved, unmentioned

CHECKS = (unmentioned, better, moved_along, misread, elsewhere, crossed, coordinated, uncalled, left_out, not_moved)


def objections(text: str, clauses: tuple[Clause, ...], allowed: Language) -> tuple[Objection, ...]:
    """Everything that the instruction `text` says against an answer, the gravest first."""
    answer = Answer(text, clauses, allowed)
    return tuple(sorted((o for check in CHECKS for o in check(answer)), key=lambda o: not o.grave))
