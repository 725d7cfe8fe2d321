"""What thing is meant by words that the scene has no phrase for: the model is asked of each thing that it may be.

"The soup dish" may be the bowl, "the whisky" is nothing that is there. Whether somebody who says the one can mean the
other is a question that a small model answers better than which of all things is meant. Each is asked by itself; the
odds of all, and even odds that it is none of them, make the probability of the likeliest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from llm.model import Model, Prompt
from llm.phrases import Vocabulary
from llm.words import content, mentioned

TASK = "Can somebody who says the first mean the second?"
EXAMPLES: tuple[tuple[str, str, bool], ...] = (
    ("heating", "radiator", True),
    ("flute", "rope", False),
    ("navy cloth", "blue towel", True),
    ("saw", "hammer", False),
    ("fiddle", "violin", True),
    ("small seat", "stool", True),
    ("guitar", "drum", False),
    ("wooden case", "crate", True),
    ("glove", "scarf", False),
    ("banner", "boots", False),
    ("thing against the rain", "umbrella", True),
    ("apple", "cushion", False),
)
"""Words, a thing, and whether they can mean it. Invented, far from any benchmark's wording."""
POSSIBLE = 0.3
"""Probability below which nothing there is what the words mean."""
CERTAIN = 1e-3
"""Odds are taken no further than this share."""


@dataclass(frozen=True)
class Guess:
    """What some words were taken to mean, and how likely that is; no `symbols` where nothing fits them."""

    words: str
    symbols: tuple[str, ...]
    called: str
    probability: float


@dataclass
class Namer:
    """Asks what some words of one instruction mean; each question once."""

    model: Model
    vocabulary: Vocabulary
    text: str
    guesses: dict[tuple[str, tuple[str, ...]], Guess] = field(default_factory=dict)
    _asked: dict[tuple[str, str], float] = field(default_factory=dict)

    def choose(self, words: str, candidates: Iterable[str], several: bool = False) -> Guess:
        """Which of some symbols the words mean; `several`: which kind of thing there is more than one of."""
        known = tuple(s for s in self.unspoken(words, candidates))
        options = self._several(known) if several else self._options(known)
        key = words, tuple(options)
        if key not in self.guesses:
            self.guesses[key] = self._guess(words, options)
        return self.guesses[key]

    def _options(self, symbols: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        """What to ask about: a thing that has several places among the symbols counts as one, by its own name."""
        words, parts = self.vocabulary, dict[str, list[str]]()
        for s in symbols:
            parts.setdefault(words.owner.get(s, s), []).append(s)
        names = {o: words.name[o if len(some) > 1 and o in words.name else some[0]] for o, some in parts.items()}
        return {names[o]: tuple(some) for o, some in parts.items()}

    def _several(self, symbols: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        return {p: some for p, some in self.vocabulary.plural.items() if set(some) <= set(symbols)}

    def unspoken(self, words: str, candidates: Iterable[str]) -> Iterable[str]:
        """Those that the rest of the instruction does not call by a name of their own: another word, another thing."""
        rest = Counter(content(self.text)) - Counter(content(words))
        own = (p for p, symbols in self.vocabulary.phrases.items() if len(symbols) == 1 and mentioned(p, rest))
        spoken = {self.vocabulary.phrases[p][0] for p in own}
        return (s for s in dict.fromkeys(candidates) if s in self.vocabulary.name and s not in spoken)

    def _guess(self, words: str, options: dict[str, tuple[str, ...]]) -> Guess:
        odds = {name: (p := self._can_mean(words, name)) / (1.0 - p) for name in options}
        best = max(odds, key=lambda name: odds[name], default="")
        likely = odds.get(best, 0.0) / (1.0 + sum(odds.values()))
        return Guess(words, options[best] if likely >= POSSIBLE else (), best, likely)

    def _can_mean(self, words: str, name: str) -> float:
        if (words, name) not in self._asked:
            answer = self.model.complete(naming_prompt(words, name), "", "(yes|no)")
            yes = answer.probability if answer.text.strip() == "yes" else 1.0 - answer.probability
            self._asked[words, name] = min(max(yes, CERTAIN), 1.0 - CERTAIN)
        return self._asked[words, name]


def naming_prompt(words: str, name: str) -> Prompt:
    """The chat that asks whether `words` can mean what is called `name`."""
    shown = tuple((f'"{said}": {thing}?', "yes" if is_so else "no") for said, thing, is_so in EXAMPLES)
    return Prompt(TASK, shown, f'"{words}": {name}?')
