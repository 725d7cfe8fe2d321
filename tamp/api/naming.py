"""What an instruction can call the things in a scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tamp.api import language

if TYPE_CHECKING:
    from tamp.api.scenes import LoadedScene, Seen


@dataclass(frozen=True)
class Names:
    """`phrases` with the symbols that each fits; what each symbol is `called` so that nothing else fits; and the places
    `beside` things, symbol to words."""

    phrases: Mapping[str, list[str]]
    called: Mapping[str, str]
    beside: Mapping[str, str]


def names_in(scene: LoadedScene, seen: Seen) -> Names:
    """The names of what is seen in a scene, sorted."""
    from tamp.perception import relative_places

    words = language.vocabulary(seen, scene)
    return Names(
        {phrase: list(symbols) for phrase, symbols in sorted(words.phrases.items())},
        {symbol: words.name[symbol] for symbol in sorted(seen.state.symbols)},
        {s: words.name_beside(s) for s in sorted(relative_places.symbols(words.things))},
    )
