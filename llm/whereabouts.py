"""What the words of a refused instruction tell of where a thing may be that is not seen, and whether they forbid
anything."""

from __future__ import annotations

from collections import Counter

from llm.logic_words import logic_words
from llm.phrases import Vocabulary
from llm.words import content, mentioned
from tamp.errors import Refusal

FORBIDDING = frozenset({"negation", "condition"})
"""Kinds of words with which an instruction may say what is not to be done."""


def tell_whereabouts(refusal: Refusal, text: str, words: Vocabulary) -> None:
    """Note on a refusal for words that nothing seen fits: the symbols of the interiors that other words name, and
    whether things may be moved to search. Of any other refusal nothing."""
    if not refusal.lacks:
        return
    refusal.places = named_interiors(text, words)
    refusal.forbids = any(w.kind in FORBIDDING for w in logic_words(text))


def named_interiors(text: str, words: Vocabulary) -> tuple[str, ...]:
    """The interiors that a text names, by the phrases with most words: "the top drawer" is not any drawer."""
    said = Counter(content(text))
    fits = [(len(content(p)), some) for p, some in words.phrases.items() if mentioned(p, said)]
    inside = [(n, [s for s in some if words.kind.get(s) in ("drawer", "cupboard")]) for n, some in fits]
    most = max((n for n, some in inside if some), default=0)
    return tuple(dict.fromkeys(s for n, some in inside if n == most for s in some))
