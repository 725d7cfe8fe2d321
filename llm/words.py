"""Whether an instruction's words bear out a phrase. Only checks what the model answered; never answers."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable

from llm.lexicon import EMPTY_WORDS, SAME_WORD
from tamp.errors import InputError

LONGEST = 2_000
"""Characters of an instruction."""
_PLACE = {word: group.split()[0] for group in SAME_WORD for word in group.split()}
_SUFFIXES = ("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("xes", "x"), ("s", "")


def instruction(text: str) -> str:
    """The instruction with single spaces; InputError when it is empty or too long."""
    words = " ".join(text.split())
    if not words:
        raise InputError('the instruction is empty; say for example: tamp solve "put the mug in the drawer"')
    if len(text) > LONGEST:
        raise InputError(f"the instruction has {len(text):,} characters; at most {LONGEST:,} are read")
    return words


def content(text: str) -> list[str]:
    """The words of a text that can tell things apart, in their basic form."""
    words = re.findall(r"[a-z0-9]+", text.lower().replace("'s", ""))
    return [_basic(w) for w in words if w not in EMPTY_WORDS]


def mentioned(phrase: str, words: Counter[str]) -> bool:
    """Whether every word of `phrase` that tells things apart is among `words`, misspelt perhaps."""
    return not Counter(_known(w, words) for w in content(phrase)) - words


def mentioned_in_part(phrases: Iterable[str], words: Counter[str]) -> bool:
    """Whether some noun of `phrases` is among `words`."""
    return any(_known(w, words) in words for p in phrases for w in content(p) if w not in _PLACE)


def without(words: Counter[str], phrase: str) -> Counter[str]:
    """`words` less those that `phrase` takes up."""
    return words - Counter(_known(w, words) for w in content(phrase))


def _basic(word: str) -> str:
    """Singular, and one word for one place: "drawers" -> "drawer", "rightmost" -> "right"."""
    if word in _PLACE:
        return _PLACE[word]
    for end, singular in _SUFFIXES:
        if word.endswith(end) and not word.endswith("ss") and len(word) > len(end) + 2:
            return word.removesuffix(end) + singular
    return word


def _known(word: str, words: Counter[str]) -> str:
    """The word of `words` that `word` is, allowing for one slip of the pen in a long word; else itself."""
    if word in words or len(word) < 5 or word in _PLACE:
        return word
    near = difflib.get_close_matches(word, [w for w in words if w not in _PLACE and len(w) > 3], 1, 0.8)
    return near[0] if near else word
