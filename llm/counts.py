"""So many things of a kind that the scene has: "two cups", beside how many there are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from llm.determiners import LISTED, OF
from llm.logic_words import COUNT, logic_words
from llm.phrases import Vocabulary
from llm.words import content
from tamp.errors import Refusal

_WORD = re.compile(r"[\w'-]+")
LONGEST = 6
"""Words of a kind's name."""


@dataclass(frozen=True)
class Count:
    """So `many` of a kind, as it was `said`, and all `symbols` of that kind; with `all_of_them` there are no more."""

    said: str
    many: int
    symbols: tuple[str, ...]
    all_of_them: bool = False

    def is_taken_up(self, about: set[str], words: Vocabulary) -> bool:
        """Whether as many of the kind are among the symbols that an answer is `about`."""
        owners = about | {words.owner.get(s, s) for s in about}
        return len(owners & set(self.symbols)) == self.many


def counts(text: str, words: Vocabulary) -> Iterator[Count]:
    """Every number of an instruction before a kind's name; not of a list, "both the cup and the jar"."""
    for word in logic_words(text):
        if word.kind != "quantity" or word.said not in COUNT:
            continue
        begin = word.at + len(word.said)
        found = re.match(rf"{OF}\s+", text[begin:].lower())
        following = _WORD.finditer(text.lower(), begin + (found.end() if found else 0))
        said = list(takewhile(lambda w: content(w[0]), following))[:LONGEST]
        for last in reversed(said):
            name = text[said[0].start() : last.end()].lower()
            if (symbols := _called(name, words)) and not re.search(r"[.,;:!?]", name):
                if not LISTED.match(text.lower(), last.end()):
                    yield Count(text[word.at : last.end()], COUNT[word.said], symbols, word.said == "both")
                break


def refuse_more_than_there_are(text: str, words: Vocabulary) -> None:
    """Refusal of more things of a kind than the scene has, and of "both" where it has more; says which there are."""
    for count in counts(text, words):
        there = len(count.symbols)
        if there < count.many or (count.all_of_them and there > count.many):
            names = ", ".join(words.name.get(s, s) for s in count.symbols)
            raise Refusal(
                f'"{count.said}": there {"is" if there == 1 else "are"} {there} in the scene: {names}', "quantity"
            )


def _called(name: str, words: Vocabulary) -> tuple[str, ...]:
    """All that a name is for; of a thing and its places the thing."""
    told = content(name)
    found = dict.fromkeys(s for p, some in words.phrases.items() if told and content(p) == told for s in some)
    return tuple(s for s in found if words.owner.get(s) not in found)
