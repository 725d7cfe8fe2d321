"""Which things of a scene are meant by some words of an instruction.

A thing is meant when one of its phrases is among the words; of several things, those whose phrase takes up most of
them. Words that are left over tell how sure that is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from llm.phrases import Vocabulary
from llm.words import content, spellings

GENERIC = frozenset({"thing", "item", "object", "stuff", "everything", "anything", "something", "one", "all", "rest"})
"""Words for whatever there is."""
OTHER = frozenset({"other", "another", "remaining", "else"})
"""Words for what was not spoken of yet."""
_SIDE = re.compile(r"(?:front|back|left|right)(?: side)? of\b")
"""Begins a place beside a thing, which is no thing."""


@dataclass(frozen=True)
class Meant:
    """The `symbols` that words fit, all equally well, and the words `left` over that fit none of them."""

    symbols: tuple[str, ...]
    left: tuple[str, ...] = ()


@dataclass
class Reader:
    """Reads descriptions with one vocabulary."""

    vocabulary: Vocabulary
    _spelt: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)

    def meant(self, words: str, candidates: Iterable[str], spoken: Iterable[str] = ()) -> Meant:
        """What of some candidates the words fit; no symbols when they fit none.

        `spoken` are the symbols that were spoken of before, which "the other" is none of.
        """
        said = content(words)
        if any(w in OTHER for w in said):
            candidates = [s for s in candidates if s not in set(spoken)]
        said = [w for w in said if w not in OTHER]
        if not [w for w in said if w not in GENERIC]:
            return Meant(tuple(candidates))
        if _SIDE.match(words):
            return Meant(())
        heard = Counter(said)
        fits = {s: told for s in candidates if (told := self._longest(s, heard))}
        most = max(map(len, fits.values()), default=0)
        best = {s: told for s, told in fits.items() if len(told) == most}
        left = next((heard - Counter(told) for told in best.values()), heard)
        return Meant(tuple(best), tuple(w for w in left.elements() if w not in GENERIC))

    def _longest(self, symbol: str, heard: Counter[str]) -> tuple[str, ...]:
        """The most words of a phrase for a symbol that are all among those heard; () for none."""
        if symbol not in self._spelt:
            spelt = {tuple(sorted(t)) for p in self.vocabulary.calling(symbol) for t in spellings(p)}
            self._spelt[symbol] = tuple(sorted(spelt, key=lambda t: (-len(t), t)))
        for told in self._spelt[symbol]:
            if all(w in heard for w in told) and not Counter(told) - heard and any(w not in GENERIC for w in told):
                return told
        return ()
