"""What speaks against a meaning: what the words say and it does not, and what it says and the words do not.

The checks never choose: where one objects, no goal is made, and the reason names the word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from llm.expansion import Expanded
from llm.forms import Sayable
from llm.logic_words import CHOOSING, COUNT, EVERY, LogicWord, logic_words
from llm.meaning import UNTOUCHED, Meaning
from llm.word_checks import left_out, no_other, nouns, out_of_order, turned_round, unsaid_places
from llm.words import content


def objections(text: str, meaning: Meaning, expanded: Expanded, can: Sayable) -> tuple[str, ...]:
    """Every reason why a meaning is not what an instruction says."""
    names = nouns(can)
    return (
        *_unsaid_logic(text, meaning, expanded),
        *_unasked_logic(text, meaning),
        *_misplaced(text, meaning, names),
        *left_out(text, meaning, expanded, can, names),
        *unsaid_places(text, meaning, can, names),
        *turned_round(text, meaning),
        *out_of_order(text, meaning),
        *no_other(text, meaning),
    )


def _unsaid_logic(text: str, meaning: Meaning, expanded: Expanded) -> Iterator[str]:
    """Words of logic that the meaning does not take up."""
    for word in logic_words(text):
        if not _is_taken_up(word, meaning, expanded):
            yield f'"{word.said}" ({word.kind}) is not understood here'


def _is_taken_up(word: LogicWord, meaning: Meaning, expanded: Expanded) -> bool:
    match word.kind:
        case "negation":
            return _denies(meaning) or _excepts(meaning)
        case "exception":
            return _excepts(meaning) or any(not f.holds for f in meaning.facts)
        case "choice":
            return _chooses(meaning) or (word.said.startswith(("any", "either")) and _denies(meaning))
        case "quantity":
            if word.said in COUNT:
                return COUNT[word.said] in _counts(meaning, expanded)
            several = any(len(expanded.read.get(r.words, ())) > 1 for r in meaning.referents)
            return word.said in EVERY and (several or any(r.quantifier in ("all", "every") for r in meaning.referents))
    return False


def _counts(meaning: Meaning, expanded: Expanded) -> set[int]:
    """How many things a referent is about, and all subjects of one predicate together."""
    asked = {int(r.quantifier) for r in meaning.referents if r.quantifier.isdigit()}
    spoken = {len(expanded.read.get(r.words, ())) for r in meaning.referents}
    alike = Counter(f.words for f in meaning.facts for _ in expanded.read.get(f.subject.words, ()))
    return asked | spoken | set(alike.values())


def _unasked_logic(text: str, meaning: Meaning) -> Iterator[str]:
    """What the meaning denies, excepts or leaves open without a word for it."""
    kinds = {w.kind for w in logic_words(text)}
    if any(not f.holds for f in meaning.facts) and not kinds & {"negation", "exception"}:
        yield "nothing in it says what is not to be"
    if _excepts(meaning) and not kinds & {"negation", "exception"}:
        yield "nothing in it is left out"
    if any(len(c.facts) > 1 for c in meaning.clauses) and "choice" not in kinds:
        yield "it leaves no choice"


def _denies(meaning: Meaning) -> bool:
    return any(not f.holds or f.words == UNTOUCHED for f in meaning.facts)


def _excepts(meaning: Meaning) -> bool:
    return any(r.exception for r in meaning.referents)


def _chooses(meaning: Meaning) -> bool:
    return any(len(c.facts) > 1 for c in meaning.clauses) or any(
        r.quantifier in ("any", "1") for f in meaning.facts for r in f.referents
    )


def _misplaced(text: str, meaning: Meaning, nouns: frozenset[str]) -> Iterator[str]:
    """Words of denial after which something else is named than what the meaning denies or leaves out."""
    denied = [r for f in meaning.facts if not f.holds or f.words == UNTOUCHED for r in f.referents]
    denied += [r.exception for r in meaning.referents if r.exception]
    spoken = {w for r in denied for w in content(r.words)}
    for word in logic_words(text):
        if word.kind in ("negation", "exception"):
            begins = word.at if word.kind == "negation" else word.at + len(word.said)
            sentence = re.split(r"[.;!?]", text[begins:])[0]
            first = next((w for w in content(sentence) if w in nouns), None)
            if first is not None and first not in spoken:
                yield f'"{word.said}" is about "{first}", and the answer denies something else'
    yield from _denied_elsewhere(text, meaning)


_PRONOUN = re.compile(r"\b(?:it|its|there|them|they|that|this|these|those|one|ones|here|inside)\b")
"""Words that stand for things named elsewhere."""


def _denied_elsewhere(text: str, meaning: Meaning) -> Iterator[str]:
    """Things of which something is denied, and which no denial speaks of: "without the ketchup, the bowl …"."""
    words = [(w.said, text[w.at + len(w.said) :]) for w in logic_words(text) if w.kind in CHOOSING]
    parts = [said + re.split(r"[.,;:!?]| but | - ", rest.lower())[0] for said, rest in words]
    for fact in meaning.facts:
        for r in () if fact.holds else fact.others:
            if parts and not any(set(content(r.words)) & set(content(part)) or _PRONOUN.search(part) for part in parts):
                yield f'nothing is denied of "{r.words}"'
