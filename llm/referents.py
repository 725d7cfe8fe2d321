"""Which things of a scene are meant by some words of an instruction.

A thing is meant when one of its phrases is among the words; of several things, those whose phrase takes up most of
them. Words that are left over tell how sure that is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from llm.phrases import Vocabulary
from llm.words import content, spellings

GENERIC = frozenset({"thing", "item", "object", "stuff", "everything", "anything", "something", "one", "all", "rest"})
"""Words for whatever there is."""
OTHER = frozenset({"other", "another", "remaining", "else"})
"""Words for what was not spoken of yet."""


@dataclass(frozen=True)
class Meant:
    """The `symbols` that words fit, all equally well, and the words `left` over that fit none of them."""

    symbols: tuple[str, ...]
    left: tuple[str, ...] = ()


def meant(words: str, candidates: Iterable[str], vocabulary: Vocabulary, spoken: Iterable[str] = ()) -> Meant:
    """What of some candidates the words fit; no symbols when they fit none.

    `spoken` are the symbols that were spoken of before, which "the other" is none of.
    """
    said = content(words)
    others = [w for w in said if w in OTHER]
    candidates = [s for s in candidates if not (others and s in set(spoken))]
    said = [w for w in said if w not in OTHER]
    nouns = [w for w in said if w not in GENERIC]
    if not nouns:
        return Meant(tuple(candidates))
    heard = Counter(said)
    fits = {s: told for s in candidates if (told := _longest(s, vocabulary, heard))}
    most = max(map(len, fits.values()), default=0)
    best = {s: told for s, told in fits.items() if len(told) == most}
    left = next((heard - Counter(told) for told in best.values()), heard)
    return Meant(tuple(best), tuple(w for w in left.elements() if w not in GENERIC))


def _longest(symbol: str, vocabulary: Vocabulary, heard: Counter[str]) -> tuple[str, ...]:
    """The most words of a phrase for a symbol that are all among those heard; () for none."""
    spelt = (told for p in vocabulary.calling(symbol) for told in spellings(p) if not Counter(told) - heard)
    return max(spelt, key=len, default=())
