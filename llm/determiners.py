"""How many things of a kind an instruction speaks of: read from the words that stand before them, not guessed."""

from __future__ import annotations

import re
from dataclasses import replace

from llm.logic_words import COUNT
from llm.meaning import Clause, Fact, Meaning, Referent
from llm.referents import GENERIC

OF = r"(?: of)?(?: the| these| those| my| your)?"
"""What may stand between a number and what it counts."""
_NUMBER = "|".join(sorted((*(w for w in COUNT if w != "both"), "one"), key=len, reverse=True))
_SAID: tuple[tuple[str, str], ...] = (
    (rf"(?:all|every|each){OF}(?: (?:{_NUMBER}))?(?: single)?", "all"),
    (rf"(?:one of|any(?: one)?|either|some|whichever){OF}", "any"),
    (rf"both{OF}", "both"),
    (rf"(?:any |the |these |those )?({_NUMBER}){OF}", "number"),
    (r"an?|another", "a"),
)
"""Words before a noun phrase, and the quantifier that they are."""
_WHATEVER = rf"(?:{_NUMBER}) (?:{'|'.join(sorted(GENERIC))})s\b"
"""So many of whatever there is: "two things"."""
LISTED = re.compile(r",? (?:and|or) ")
"""After "both the hat", what makes it one of a list."""


def unnamed(text: str, names: int) -> str:
    """The words of an instruction for more things than it `names`, "two things"; "" where it has none."""
    found = re.search(rf"\b{_WHATEVER}", text.lower())
    return found[0] if found and COUNT.get(found[0].split()[0], 0) > names else ""


def quantified(meaning: Meaning, text: str) -> Meaning:
    """A meaning with each referent's quantifier as the instruction has it."""
    return Meaning(tuple(_clause(c, text.lower()) for c in meaning.clauses), meaning.unclear)


def _clause(clause: Clause, text: str) -> Clause:
    return replace(clause, facts=tuple(_fact(f, text) for f in clause.facts))


def _fact(fact: Fact, text: str) -> Fact:
    return replace(fact, subject=_said(fact.subject, text), others=tuple(_said(r, text) for r in fact.others))


def _said(referent: Referent, text: str) -> Referent:
    found = [said for words, q in _SAID if (said := _before(referent.words, words, q, text))]
    if found:
        return replace(referent, quantifier=found[0])
    return replace(referent, quantifier="the") if referent.quantifier in ("a", "any") else referent


def _before(noun: str, words: str, quantifier: str, text: str) -> str:
    """The quantifier when its words stand right before a noun phrase, else ""."""
    found = re.search(rf"\b(?:{words}) {re.escape(noun)}\b", text)
    if found is None or (quantifier not in ("all", "a") and LISTED.match(text, found.end())):
        return ""
    if quantifier != "number":
        return quantifier
    said = next(g for g in found.groups() if g)
    # "The three bowls" are all of them when there are three, which is checked like any other number.
    return "any" if said == "one" else str(COUNT[said])
