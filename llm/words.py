"""The words of a text in their basic form, and whether they bear out a phrase."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from llm.lexicon import ACTIONS, COLOURS, CONTAINERS, EMPTY_WORDS, NO_THING, OTHER_SPEECH, SAME_THING, SAME_WORD
from tamp.errors import InputError

LONGEST = 2_000
"""Characters of an instruction."""
_ARTICLES = "the|an?|my|your"
_ONE = "one"
_PLACE = {word: group.split()[0] for group in SAME_WORD for word in group.split()}
_THING = {word: group.split()[0] for group in SAME_THING for word in group.split()}
RELATIONS = frozenset({_PLACE["next"], _PLACE["between"]})
"""In their basic form the words that relate one thing of a phrase to another."""
_HAND = re.compile(r"\b(left|right)[ -]hand\b")
_SUFFIXES = ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x"), ("s", "")


_BEFORE_A_PLACE = r"\b(?:on|onto|in|into|inside|upon|to|at|over|of|under|behind|beside)"
_DETERMINERS = r"(?: (?:the|an?|my|your|that|this|its|top|of|very|one|any|either))*"


_TYPED = {
    ord(c): typed
    for some, typed in (("\u2018\u2019\u201b\u2032\u02bc", "'"), ("\u201c\u201d\u201e\u2033", '"'))
    for c in some
}
_TYPED |= {ord(c): "-" for c in "\u2010\u2011\u2012\u2013\u2014"}
"""What word processors make of quotes and dashes, and what is typed."""


def instruction(text: str) -> str:
    """The instruction with single spaces and typed quotes and dashes; InputError when it is empty or too long."""
    words = " ".join(text.translate(_TYPED).split())
    if not words:
        raise InputError('the instruction is empty; say for example: tamp solve "put the mug in the drawer"')
    if len(text) > LONGEST:
        raise InputError(f"the instruction has {len(text):,} characters; at most {LONGEST:,} are read")
    return words


def content(text: str) -> list[str]:
    """The words of a text that can tell things apart, or stand for such, in their basic form."""
    words = re.findall(r"[a-z0-9]+", _HAND.sub(r"\1", text.lower().replace("'s", "")))
    return [_basic(w) for w in words if w not in EMPTY_WORDS or w == _ONE]


def names_something(phrase: str) -> bool:
    """Whether a phrase has a word besides such as tell places: no "front of", no "there"."""
    return any(w not in _PLACE for w in content(phrase))


def mentioned(phrase: str, words: Counter[str]) -> bool:
    """Whether every word of `phrase` that tells things apart is among `words`."""
    return not Counter(content(phrase)) - words


def spellings(phrase: str) -> list[tuple[str, ...]]:
    """The words of `phrase` that tell things apart; the same with "one" in place of a noun, and without a relation.

    So "the bowl with the ramekin" is the one next to it, where people have other words for that.
    """
    told = content(phrase)
    nouns = [i for i, w in enumerate(told) if w not in _PLACE] if len(told) > 1 else []
    bare = [tuple(w for w in told if w not in RELATIONS)] if RELATIONS & set(told) else []
    return [tuple(told), *((*told[:i], _ONE, *told[i + 1 :]) for i in nouns), *bare]


def mentioned_in_part(phrases: Iterable[str], words: Counter[str]) -> bool:
    """Whether some noun of `phrases` is among `words`."""
    return any(w in words for p in phrases for w in content(p) if w not in _PLACE)


def without(words: Counter[str], phrase: str) -> Counter[str]:
    """`words` less those that `phrase` takes up."""
    return words - Counter(content(phrase))


def _basic(word: str) -> str:
    """Singular, and one word for one place or thing: "drawers" -> "drawer", "rightmost" -> "right"."""
    if word in _PLACE:
        return _PLACE[word]
    for end, singular in _SUFFIXES:
        if word.endswith(end) and not word.endswith("ss") and len(word) - len(end) > (2 if end == "s" else 1):
            word = word.removesuffix(end) + singular
            break
    word = word.removesuffix("ish") if word.removesuffix("ish") in COLOURS else _THING.get(word, word)
    # "cookies" and "caddies" lose an s only, so their singulars end alike here: "cooki", "caddi".
    return word.removesuffix("e") if word.endswith("ie") else word[:-1] + "i" if word.endswith("y") else word


def unused(text: str, reading: str) -> list[str]:
    """The words of a text, as they stand there, that can tell things apart and that a reading of it does not have."""
    speech, read = ACTIONS | OTHER_SPEECH, set(content(reading))
    words = [w for w in re.findall(r"[\w'-]+", text) if w.lower() not in speech]
    return [w for w in words if (basic := content(w)) and read.isdisjoint(basic)]


def absent(text: str, known: Iterable[str]) -> list[str]:
    """Things named with an article that no `known` word stands for: "banana" in "put the banana on the plate".

    A colour that nothing here has makes another thing of it: "green mug" where the mugs are red and white.
    """
    here = {basic for w in known for basic in (w, _basic(w))}
    plain = re.sub(rf"\b({'|'.join(sorted(CONTAINERS))})s? of (the )?", "", text.lower())
    marked = re.sub(rf"\b({_ARTICLES})\b", r". \1", plain)
    found = []
    for chunk in re.findall(rf"\b(?:{_ARTICLES})((?: [a-z-]+)+)", marked):
        words = _noun_phrase(chunk.split())
        parts = {basic for w in words for p in w.split("-") for basic in (p, _basic(p))}
        strange = parts & COLOURS - here if parts & here else parts and not parts & NO_THING
        if strange:
            found.append(" ".join(words))
    return found


def _noun_phrase(words: list[str]) -> list[str]:
    """The words up to one that begins something else: "left plate", of "left plate next to the stove"."""
    out: list[str] = []
    for w in words:
        if w in EMPTY_WORDS or (w in _PLACE and any(o not in _PLACE for o in out)):
            break
        out.append(w)
    return out


def leads_to(words: str, text: str) -> bool:
    """Whether a preposition stands before some words; the "of" in "one of the cups" is none."""
    return re.search(rf"(?<!one ){_BEFORE_A_PLACE}{_DETERMINERS} {re.escape(words)}\b", text) is not None
