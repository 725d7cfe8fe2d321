"""What an instruction asks for, in its own words: what is meant, how it is to be, in what order.

Between the words and a goal stands this form. A model writes it, the scene and the domain expand it (`llm.expansion`):

    [all candles except the red one] are on [the piano]; then [the lid] is closed or open; [the vase] is untouched.

`;` joins what is to hold together, `then` begins what comes later, `or` stands between alternatives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

UNTOUCHED = "untouched"
"""Said of what the robot is to leave alone: no predicate of a domain."""
UNCLEAR = "unclear"
"""Stands for what no goal can be made of."""
QUANTIFIERS = ("the", "a", "any", "both", "all", "every", *"23456789")
EXCEPT = " except "
PRONOUNS = {"everything": "all", "anything": "any", "something": "a"}
"""Quantifier and noun in one word."""
_PART = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True)
class Referent:
    """Things by the instruction's own `words`; how many of them (`QUANTIFIERS`), and which are left out."""

    words: str
    quantifier: str = "the"
    exception: Referent | None = None

    def __str__(self) -> str:
        left_out = f"{EXCEPT}{self.exception}" if self.exception else ""
        return f"{self.quantifier} {self.words}".strip() + left_out


@dataclass(frozen=True)
class Fact:
    """How something is to be: `words` of a predicate (`llm.forms`), of a subject and its other arguments."""

    subject: Referent
    words: str
    others: tuple[Referent, ...] = ()
    holds: bool = True

    @property
    def referents(self) -> tuple[Referent, ...]:
        """Everything that it is about."""
        return (self.subject, *self.others)


@dataclass(frozen=True)
class Clause:
    """One of some facts is to hold: `later` than the clause before, or together with it."""

    facts: tuple[Fact, ...]
    later: bool = False


@dataclass(frozen=True)
class Meaning:
    """All clauses in order; `unclear` where no goal can be made of some words."""

    clauses: tuple[Clause, ...]
    unclear: bool = False

    @property
    def facts(self) -> tuple[Fact, ...]:
        """Every fact, of alternatives too."""
        return tuple(f for c in self.clauses for f in c.facts)

    @property
    def referents(self) -> tuple[Referent, ...]:
        """Everything that it is about, and what is left out."""
        named = [r for f in self.facts for r in f.referents]
        return (*named, *(r.exception for r in named if r.exception))


def read_meaning(text: str) -> Meaning:
    """A meaning from its text. ValueError for text that is none."""
    clauses, unclear = list[Clause](), False
    for piece in text.strip().removesuffix(".").split("; "):
        said = piece.removeprefix("then ").removeprefix("or ")
        if said == UNCLEAR:
            unclear = True
        elif piece.startswith("or "):
            last = clauses.pop()
            clauses.append(Clause((*last.facts, *_facts(said)), last.later))
        else:
            clauses.append(Clause(_facts(said), piece.startswith("then ")))
    return Meaning(tuple(clauses), unclear)


def facts_in_words(text: str) -> tuple[str, ...]:
    """The facts of a meaning's text that leaves nothing open, as plain words: "the lamp is in the crate"."""
    pieces = re.sub(r"[\[\]]|\.$", "", text.strip()).split("; ")
    return tuple(p.removeprefix("then ") for p in pieces if not p.endswith(UNTOUCHED))


def _facts(text: str) -> tuple[Fact, ...]:
    """The facts of one subject: "[the lamp] is in [the crate] or not on [the shelf]"."""
    found = _PART.match(text)
    if found is None:
        raise ValueError(f"no subject in {text!r}")
    subject, facts = read_referent(found[1]), list[Fact]()
    for said in text[found.end() :].split(" or "):
        holds = " not " not in f" {said}".partition("[")[0] + " "
        words = re.sub(r"^\s*(?:is |are )?(?:not )?", "", said.partition("[")[0]).strip()
        facts.append(Fact(subject, words, tuple(map(read_referent, _PART.findall(said))), holds))
    return tuple(facts)


def read_referent(text: str) -> Referent:
    """A referent from its text: "all candles except the red one"."""
    said, _, left_out = text.partition(EXCEPT)
    first, _, rest = said.partition(" ")
    quantifier, words = (first, rest) if first in QUANTIFIERS and rest else ("", said)
    for pronoun, stands_for in PRONOUNS.items():
        if words == pronoun or words.startswith(f"{pronoun} "):
            quantifier, words = stands_for, f"things{words.removeprefix(pronoun)}"
    return Referent(words, quantifier, read_referent(left_out) if left_out else None)
