"""Slips of the pen, put right before anything reads the instruction: only towards words that the scene has.

A word that English has is left alone, unless swapping its letters makes it a thing's name ("the white blow").
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from llm.lexicon import RELATIVE_PLACES, SAME_WORD

SHORTEST = 3
"""Letters of a word that is looked at."""
ALIKE = 0.72
"""Least `difflib` ratio of a slip and the word that is meant, for words of five letters and more."""


def mended(text: str, known: Iterable[str]) -> str:
    """`text` with slips of the pen put right. `known` are the words that it may be about, besides places."""
    every = (*known, *SAME_WORD, *RELATIVE_PLACES)
    words = frozenset(w for k in every for w in re.findall(r"[a-z]+", k.lower()) if len(w) >= SHORTEST)

    def mend(found: re.Match[str]) -> str:
        word = found[0].lower()
        if len(word) < SHORTEST or word in words or word.removesuffix("s") in words:
            return found[0]
        return _nearest(word, words) or found[0]

    return re.sub(r"[A-Za-z]+", mend, text)


def _nearest(word: str, words: frozenset[str]) -> str | None:
    """The word of `words` that `word` was meant to be; None when there is none or several."""
    swapped = [w for w in words if w[0] == word[0] and sorted(w) == sorted(word)]
    if len(swapped) == 1 and (len(word) > SHORTEST or not _is_english(word)):
        return swapped[0]
    near = difflib.get_close_matches(word, words, 2, ALIKE) if len(word) > 4 else []
    return near[0] if near and not _is_english(word) else None


def _is_english(word: str) -> bool:
    return bool(_dictionary().known([word]))


@cache
def _dictionary() -> Any:
    from spellchecker import SpellChecker

    return SpellChecker(language="en", distance=1)
