"""Slips of the pen, put right before anything reads the instruction: only towards words that the scene has, and
such as instructions are made of.

No word of logic is taken for a slip: neither "mustn't" nor "mustnt" is "must". A word that English has is left alone,
unless swapping its letters makes it a thing's name ("the white blow").
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from llm.lexicon import ACTIONS, COLOURS, EMPTY_WORDS, OTHER_SPEECH, PLACE_IDIOMS, RELATIVE_PLACES, SAME_WORD
from llm.logic_words import logic_words
from tamp.errors import Refusal

SHORTEST = 3
"""Letters of a word that is looked at."""
ALIKE = 0.72
"""Least `difflib` ratio of a slip and the word that is meant."""
ALIKE_IN_FOUR = 0.85
"""The same for a slip of four letters: one may be missing."""
_WORD = r"\b[A-Za-z]+\b(?!'t)"
"""A word by itself: the "mustn" of "mustn't" is no slip of "must"."""


def mended(text: str, known: Iterable[str], others: Iterable[str] = ()) -> str:
    """`text` with slips of the pen put right, and places in a learner's English. `known` are the words that it may be
    about, besides places; `others` words that it may have besides, for which no word that English has is taken."""
    things = _words((*known, *SAME_WORD, *RELATIVE_PLACES))
    every = things | _words((*others, *_inflected(ACTIONS), *OTHER_SPEECH, *COLOURS, *EMPTY_WORDS))

    def mend(found: re.Match[str]) -> str:
        word = found[0].lower()
        if len(word) < SHORTEST or word in every or word.removesuffix("s") in every or logic_words(word):
            return found[0]
        if word[-1] == word[-2] and word[:-1] in EMPTY_WORDS | COLOURS:
            return word[:-1]
        return _nearest(word, every if _is_foreign(word) else things) or found[0]

    for said, meant in PLACE_IDIOMS:
        text = re.sub(said, meant, text, flags=re.IGNORECASE)
    return re.sub(_WORD, mend, text)


def refuse_foreign(text: str, known: Iterable[str]) -> None:
    """Refusal of a text in another language than English, as one is of which English does not have at least half the
    words, and two; `known` are words that it may have all the same."""
    here = _words(known)
    every = [w for w in re.findall(r"[^\W\d_]+", text) if len(w) > 1]
    strange = [w for w in every if w.lower() not in here and _is_foreign(w.lower())]
    if len(strange) >= max(2, len(every) / 2):
        named = ", ".join(f'"{w}"' for w in dict.fromkeys(strange))
        raise Refusal(f"only English is understood; not English: {named}", "language")


def _words(phrases: Iterable[str]) -> frozenset[str]:
    return frozenset(w for p in phrases for w in re.findall(r"[a-z]+", p.lower()) if len(w) >= SHORTEST)


def _inflected(verbs: Iterable[str]) -> Iterator[str]:
    """Verbs, and what ends in "ed" and "ing"."""
    for verb in verbs:
        yield from (verb, f"{verb.removesuffix('e')}ed", f"{verb.removesuffix('e')}ing")


def _nearest(word: str, words: frozenset[str]) -> str | None:
    """The word of `words` that `word` was meant to be; None when there is none or several."""
    swapped = [w for w in words if w[0] == word[0] and sorted(w) == sorted(word)]
    if len(swapped) == 1 and (len(word) > SHORTEST or _is_foreign(word)):
        return swapped[0]
    if len(word) == SHORTEST or not _is_foreign(word):
        return None
    near = difflib.get_close_matches(word, words, 1, ALIKE if len(word) > SHORTEST + 1 else ALIKE_IN_FOUR)
    return near[0] if near else None


def _is_foreign(word: str) -> bool:
    """Whether English does not have it."""
    return not _dictionary().known([word])


@cache
def _dictionary() -> Any:
    from spellchecker import SpellChecker

    return SpellChecker(language="en", distance=1)
