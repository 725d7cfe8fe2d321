"""An answer beside the instruction that it answers, and what can be said against it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from llm.decoding import Clause
from llm.forms import Form, elsewhere
from llm.grammar import Language
from llm.phrases import Vocabulary
from llm.reference import coverage, heard_as, heard_in, things_of
from llm.spatial_cues import Where, affirmed, cue, wheres
from tamp.model.atoms import Atom

PRONOUN = re.compile(r"\b(it|its|them|one|ones|other|another|there)\b", re.IGNORECASE)
"""With one of these a place can be meant that has no noun of its own in the instruction: "on top of it"."""


@dataclass(frozen=True)
class Objection:
    """Why an answer does not stand: `kind` for counting, `reason` for the model, and what not to say again.

    That are the atoms `wrong` and whatever is about a symbol of `barred`. With `grave` ones left there is no
    goal; others can be lived with. `strange` is the thing in the answer that the words do not name. The next
    answer is to have `least` clauses.
    """

    kind: str
    reason: str
    wrong: tuple[Atom, ...] = ()
    barred: frozenset[str] = frozenset()
    grave: bool = True
    strange: str = ""
    least: int = 1

    def is_about(self, atom: Atom) -> bool:
        """Whether this speaks against an atom."""
        return atom in self.wrong or not self.barred.isdisjoint(atom.args)


@dataclass(frozen=True)
class Answer:
    """An answer beside the instruction, and what all checks ask of them."""

    text: str
    clauses: tuple[Clause, ...]
    allowed: Language

    @cached_property
    def said(self) -> tuple[Atom, ...]:
        """What is asked for."""
        return tuple(a for c in self.clauses for a in c.meaning)

    @cached_property
    def words(self) -> Vocabulary:
        """The scene in words."""
        return self.allowed.vocabulary

    @cached_property
    def heard(self) -> Counter[str]:
        """The instruction's words that can stand for things."""
        return heard_in(self.text, self.allowed, self.said)

    @cached_property
    def things(self) -> tuple[str, ...]:
        """What the answer is about."""
        return things_of(self.said, self.words)

    @cached_property
    def placing(self) -> tuple[Form, ...]:
        """The forms that say where something is."""
        return tuple(f for f in self.allowed.forms if len(f.types) > 1)

    @cached_property
    def moving(self) -> tuple[Form, ...]:
        """The forms that say where something is, and what cannot hold with them: that it is held."""
        families = {f.family for f in self.placing} - {""}
        return tuple(f for f in self.allowed.forms if f in self.placing or f.family in families)

    @cached_property
    def wheres(self) -> tuple[Where, ...]:
        """Where the words say that things are, or go."""
        return wheres(self.text, self.placing, self.words)

    def asks(self, form: Form) -> bool:
        """Whether the words have a cue of a form that is not another verb's: "into" of "pour" asks for no `in`."""
        return cued(form, self.text if form.verbs else elsewhere(self.allowed.forms, self.text))

    @cached_property
    def movable(self) -> tuple[str, ...]:
        """What can be put somewhere, or is what a verb of the domain's own can be about."""
        about = [f for f in self.allowed.forms if f in self.placing or f.verbs]
        return tuple(dict.fromkeys(a.args[0] for f in about for a in self.allowed.atoms[f.predicate]))

    def covers(self, things: tuple[str, ...]) -> int:
        """How many words some things account for."""
        return coverage(things, self.words, self.heard)

    def heard_as(self, symbol: str) -> str:
        """The words for a thing."""
        return heard_as(symbol, self.words, self.heard)


def cued(form: Form, text: str) -> bool:
    """Whether the words have one of a form's cues."""
    return re.search(cue(form), affirmed(text)) is not None


def said_by(c: Clause, placing: tuple[Form, ...]) -> Form | None:
    """The form in whose words a clause is."""
    matching = [f for f in placing if re.search(rf" (is|are) {re.escape(f.words)} the ", c.text)]
    return max(matching, key=lambda f: len(f.words), default=None)
