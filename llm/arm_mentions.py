"""Where an instruction to an arm speaks of the places and things of its world."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from llm.arm_words import words
from llm.lexicon import nouns
from tamp.errors import Refusal

_TOKEN = re.compile(r"[^\W_]+")
_ARTICLES = frozenset({"the", "a", "an", "my", "your"})
_VERBS = frozenset({"drop", "pick", "park", "rest", "stop", "hold"})
"""Words that mean such a place only after an article: "the drop", but not "drop down"."""
_ORDINARY = words(
    "above over on in at under below near by to of from up down go move lift touch wait approach come back then and"
    " pose position point place tool arm robot left right next first second third nearest closest"
    " mm cm sec seconds min minute minutes"
)
"""Words that instructions use anyhow: alone they do not mean a place that has them in its name."""


@dataclass(frozen=True)
class Mention:
    """A place, or a thing by its label, and the words of the instruction for it."""

    what: str
    is_thing: bool
    said: str


@dataclass(frozen=True)
class _Word:
    text: str
    begin: int
    end: int


def mark_mentions(text: str, names: Sequence[str], labels: Sequence[str]) -> tuple[str, tuple[Mention, ...]]:
    """The text, in lower case, with `@2` for the third mention; and the mentions.

    What is called by its whole name is that; else a part of a name will do: "the bin" for bin_drop, "the glass" for
    a wine glass. Refusal when such a part is of several.
    """
    text = re.sub("[@#&]", " ", text.lower())
    spoken = [_Word(m[0], *m.span()) for m in _TOKEN.finditer(text)]
    known = [(n, False) for n in names] + [(label, True) for label in labels]
    out, found, at, n = [], list[Mention](), 0, 0
    while n < len(spoken):
        size, meant = _whole(spoken[n:], known) or (0, None)
        if meant is None and not (spoken[n].text in _VERBS and (not n or spoken[n - 1].text not in _ARTICLES)):
            size, meant = _part(spoken[n:], known) or (0, None)
        if meant is None:
            n += 1
            continue
        said = text[spoken[n].begin : spoken[n + size - 1].end]
        out += [text[at : spoken[n].begin], f"@{len(found)}"]
        found.append(Mention(*meant, said))
        at, n = spoken[n + size - 1].end, n + size
    return "".join([*out, text[at:]]), tuple(found)


Known = tuple[str, bool]


def _whole(spoken: list[_Word], known: list[Known]) -> tuple[int, Known] | None:
    """How many words are the whole of a name, the longest one, with articles among them."""
    fits = [(size, k) for k in known for way in _ways(k) if (size := _said(way, spoken))]
    return max(fits, key=lambda fit: fit[0], default=None)


def _ways(known: Known) -> list[list[str]]:
    """The ways to say a name in whole."""
    what, is_thing = known
    return [words_of(way) for way in ((what, *nouns(what)) if is_thing else (what,)) if words_of(way)]


def _said(words: list[str], spoken: list[_Word]) -> int:
    """How many of the spoken words say `words`; 0 when they do not."""
    n = 0
    for i, word in enumerate(words):
        while i and n < len(spoken) and spoken[n].text in _ARTICLES:
            n += 1
        if n == len(spoken) or not _same(spoken[n].text, word):
            return 0
        n += 1
    return n


def _part(spoken: list[_Word], known: list[Known]) -> tuple[int, Known] | None:
    """How many words are a part of one name. Refusal when they are of several."""
    sizes = {k: _run(spoken, _parts(k)) for k in known}
    longest = max(sizes.values(), default=0)
    meant = [k for k, size in sizes.items() if size == longest > 0]
    if len(meant) > 1:
        said = " ".join(w.text for w in spoken[:longest])
        raise Refusal(f"{said!r} can be {' or '.join(what for what, _ in meant)}: say which", "ambiguous")
    return (longest, meant[0]) if meant else None


def _parts(known: Known) -> frozenset[str]:
    """Words that alone mean a name: any that tells of a place, and the last of a label."""
    what, is_thing = known
    words = words_of(what)
    some = words[-1:] if is_thing else words
    return frozenset(w for w in some if w not in _ORDINARY and not w.isdigit() and (len(w) > 1 or not w.isascii()))


def _run(spoken: list[_Word], parts: Iterable[str]) -> int:
    for n, word in enumerate(spoken):
        if not any(_same(word.text, part) for part in parts):
            return n
    return len(spoken)


def _same(said: str, word: str) -> bool:
    return said in (word, f"{word}s", f"{word}es")


def words_of(name: str) -> list[str]:
    """The words of a name as it is written in a world file."""
    return _TOKEN.findall(name.lower())
