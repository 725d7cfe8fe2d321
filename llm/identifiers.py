"""A world that has names and no geometry, in words: identifiers are read as English, types are nouns."""

from __future__ import annotations

from collections.abc import Iterator

from llm.own_words import own_words
from llm.phrases import Vocabulary
from llm.reader.setting import plural
from tamp.model.domain import Domain
from tamp.model.state import WorldState


def vocabulary_of(state: WorldState, domain: Domain, names: dict[str, str] | None = None) -> Vocabulary:
    """Phrases for the symbols of a problem: `flood_story - story` is "flood story", and one of the stories; `serum -
    tube` is "serum", one of the tubes, and "serum tube".

    The domain's `words.toml` has more nouns; `names` are the problem's own words, phrase to symbol: they win.
    """
    fits: dict[str, list[str]] = {}
    things = own_words(domain).things
    for symbol, kind in state.symbols.items():
        called, nouns = tuple(_read(symbol)), tuple(_nouns(kind, domain))
        named = (*called, *nouns, *(f"{called[0]} {noun}" for noun in nouns if noun not in called))
        for phrase in dict.fromkeys(said for name in named for said in (name, *things.get(name, ()))):
            fits.setdefault(phrase, []).append(symbol)
    fits |= {said.lower(): [symbol] for said, symbol in (names or {}).items()}
    phrases = {said: tuple(some) for said, some in fits.items()}
    plurals = {plural(said): some for said, some in phrases.items() if len(some) > 1}
    own = {s: next(_read(s)) for s in state.symbols}
    return Vocabulary(phrases, plurals, own, kind=dict(state.symbols))


def _read(symbol: str) -> Iterator[str]:
    """What an identifier is called: all of its words, and the last ones alone."""
    words = symbol.lower().replace("-", "_").strip("_").split("_")
    yield " ".join(words)
    yield from (" ".join(words[i:]) for i in range(1, len(words)) if not words[i][0].isdigit())


def _nouns(kind: str, domain: Domain) -> Iterator[str]:
    """A type and those above it, but for `object`, which everything is."""
    while kind and kind != "object":
        yield kind.lower().replace("-", " ").replace("_", " ")
        kind = domain.types.get(kind) or ""
