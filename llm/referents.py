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
_SIDE = re.compile(r"(?:front|back|left|right)(?:[ -]hand)?(?: side)? of\b|.*'s (?:front|back|left|right)(?: side)?$")
"""A place beside a thing, which is no thing."""


def is_beside(words: str) -> bool:
    """Whether words are of a place beside a thing: "front of the mug"."""
    return _SIDE.match(words) is not None


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
        candidates, other = tuple(candidates), any(w in OTHER for w in said)
        said = [w for w in said if w not in OTHER]
        bare = not [w for w in said if w not in GENERIC]
        if other:
            candidates = self._others(candidates, tuple(spoken), alike=bare)
        if bare:
            return Meant(candidates if said or other else ())
        if is_beside(words):
            return Meant(())
        heard = Counter(said)
        fits = {s: told for s in candidates if (told := self._longest(s, heard))}
        most = max(map(len, fits.values()), default=0)
        best = {s: told for s, told in fits.items() if len(told) == most}
        taken = Counter[str]()
        for told in best.values():
            taken |= Counter(told)
        return Meant(tuple(best), tuple(w for w in (heard - taken).elements() if w not in GENERIC))

    def _others(self, candidates: tuple[str, ...], spoken: tuple[str, ...], alike: bool) -> tuple[str, ...]:
        """Those of which nothing was said yet; where they are called "the other" alone, of things of the same name."""
        owned = {self.vocabulary.owner.get(s, s) for s in spoken}
        left = tuple(s for s in candidates if s not in spoken)
        namesakes = {o for s in spoken if s in candidates for o in self.vocabulary.namesakes(s)}
        same = tuple(s for s in left if s in namesakes) if alike else ()
        return same or tuple(s for s in left if s not in owned)

    def _longest(self, symbol: str, heard: Counter[str]) -> tuple[str, ...]:
        """The most words of a phrase for a symbol that are all among those heard; () for none."""
        if symbol not in self._spelt:
            spelt = {tuple(sorted(t)) for p in self.vocabulary.calling(symbol) for t in spellings(p)}
            self._spelt[symbol] = tuple(sorted(spelt, key=lambda t: (-len(t), t)))
        for told in self._spelt[symbol]:
            if all(w in heard for w in told) and not Counter(told) - heard and any(w not in GENERIC for w in told):
                return told
        return ()
