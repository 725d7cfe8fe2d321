"""Where the words say that things are, or go: a relation, and right after it a thing; right before it, if need be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from llm.forms import Form
from llm.lexicon import ACTIONS, CUES, PREPOSITIONS
from llm.own_verbs import clauses_of, verb_pattern
from llm.phrases import Vocabulary
from llm.words import RELATIONS, content, spellings

_NO_PLACE = re.compile(
    r"\b(turn|switch)(ed|ing)?( the \w+)? (on|off)\b|\b(was|were|been|being) left\b(?! (of|side|hand))"
)
"""Where "on" and "left" say nothing about a place."""
_NEGATED = re.compile(r"\b(don'?t|do not|never|not to|without|no need to) \w+")
_GENITIVE = re.compile(
    r"\b((?:the |its )?(?:(?!the|its|on|in|to|at|of)[a-z-]+ ){0,2}[a-z-]+)'s "
    r"(?:(\w+)(?:[ -]hand)? side|(front|left|right|back)$)\b"
)
"""The plate's left side; its front, where the words end."""
_TO = re.compile(r"\b(to|at|for|over)\b")
_AWAY = re.compile(r"\b(?:off|out|from|away)\b(?: (?:of|from)\b)?")
"""The words that lead away from a place. English has few, and makes no new ones."""
_ADJECTIVE = re.compile(r"top (?!of)")
"""Where "top" tells one of several drawers."""
_END = re.compile(r"[.,;:!?|]|\b(it|them|there|which|where|is|are)\b")
"""Where a noun phrase has come to its end, or there is none."""
_VERB = "|".join(sorted(ACTIONS | {"put", "set", "bring"}))
_AFTERWARDS = re.compile(rf" *(you |please |must |should )*({_VERB})\b")
"""What comes after "the basket inside", where the relation stands behind its thing. Not the end: "push it in"."""


@dataclass(frozen=True)
class Where:
    """A relation, and the symbols that the longest phrase right after it fits: "on", and whatever "the stove" is.

    `form` is None for a word like "to", which tells no relation.
    """

    form: Form | None
    symbols: frozenset[str]


def wheres(text: str, forms: Iterable[Form], words: Vocabulary) -> tuple[Where, ...]:
    """Every relation of an instruction that has a thing right after it."""
    return tuple(_wheres(plain(text), forms, words))


def plain(text: str) -> str:
    """An instruction in small letters, in which "on" and "left" speak of places, and "the left side of" precedes."""
    return _GENITIVE.sub(lambda m: f"{m[2] or m[3]} side of {m[1]}", _NO_PLACE.sub(" ", affirmed(text)))


def affirmed(text: str) -> str:
    """An instruction in small letters, without what is not to be done: "and don't shut it"."""
    return _NEGATED.sub(" ", text.lower())


def _wheres(text: str, forms: Iterable[Form], words: Vocabulary) -> Iterator[Where]:
    # "In front of the mug" first, so that "in" is not found in it; before both "into" of "pour".
    for f in sorted(forms, key=lambda f: (not f.verbs, not f.side)):
        for found in list(_relations(f, text)):
            rest = text[found.end() :]
            symbols = frozenset[str]() if _ADJECTIVE.match(found[0] + rest) else right_after(rest, words)
            if not symbols and f.in_domain and _AFTERWARDS.match(rest):
                symbols = _right_before(text[: found.start()], words)
            if symbols:
                yield Where(f, symbols)
            text = text[: found.start()] + "|" * len(found[0]) + text[found.end() :]
    yield from (Where(None, symbols) for m in _TO.finditer(text) if (symbols := right_after(text[m.end() :], words)))


def _relations(form: Form, text: str) -> Iterator[re.Match[str]]:
    """Where a text has a form's relation: its cues; of a verb, the prepositions in its clauses that are its own."""
    if not form.verbs:
        yield from re.finditer(cue(form), text)
        return
    last = form.words.split()[-1]
    alike = next((p for p in PREPOSITIONS.values() if re.search(p, last)), rf"\b{re.escape(last)}\b")
    for begin, end in clauses_of(text, verb_pattern(form.verbs)):
        yield from re.compile(alike).finditer(text, begin, end)


def cue(form: Form) -> str:
    """A regular expression for the words that ask for a form."""
    own = rf"\b{re.escape(form.words)}\b"
    return CUES.get(form.predicate, rf"{own}|{verb_pattern(form.verbs)}" if form.verbs else own)


def right_after(text: str, words: Vocabulary) -> frozenset[str]:
    """The symbols that the longest phrase at the beginning of `text` fits."""
    said = _known(_END.split(text, maxsplit=1)[0], words)
    return _longest(words, lambda n: said[:n])


def _right_before(text: str, words: Vocabulary) -> frozenset[str]:
    """The symbols that the longest phrase at the end of `text` fits."""
    said = content(_END.split(text)[-1])
    return _longest(words, lambda n: said[-n:])


def led_away_from(text: str, words: Vocabulary) -> frozenset[str]:
    """The symbols from which an instruction leads away: "off the plate"."""
    said = plain(text)
    return frozenset().union(*(right_after(said[m.end() :], words) for m in _AWAY.finditer(said)))


def joined(text: str, words: Vocabulary) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """The symbols of what "and" joins: "the milk and the mug"."""
    said = plain(text)
    for m in re.finditer(r"\band (?:the|a|an|this|that|my|your)\b", said):  # no verb begins another clause
        yield _right_before(said[: m.start()], words), right_after(said[m.end() :], words)


def _known(text: str, words: Vocabulary) -> list[str]:
    """The first words of `text` that phrases have, and no other: "white one" of "the plain white one, then"."""
    every = {basic for w in words.words() for basic in content(w)} | {"one"}
    begun = dropwhile(lambda w: w not in every, content(text))
    return list(takewhile(lambda w: w in every, begun))


def _longest(words: Vocabulary, said: Callable[[int], list[str]]) -> frozenset[str]:
    """The symbols that the longest of those phrases fits that are the n words `said`."""
    best, found = 0, set[str]()
    for phrase, symbols in words.phrases.items():
        for told in spellings(phrase):
            if len(told) >= best and _are_said(told, said(len(told))):
                found = set(symbols) | (found if len(told) == best else set())
                best = len(told)
    return frozenset(found)


def _are_said(told: tuple[str, ...], said: list[str]) -> bool:
    """Whether words are those of a phrase: in any order, "cabinet's top", but not around a relation."""
    return list(told) == said if RELATIONS & set(told) else sorted(told) == sorted(said)


def mentions(symbols: Iterable[str], text: str, words: Vocabulary) -> dict[str, int]:
    """Where an instruction names each of some symbols, as the number of the word; longer phrases take theirs first."""
    said, out, taken = content(plain(text)), dict[str, int](), set[int]()
    for at, symbol in sorted(_windows(symbols, said, words), key=lambda found: -len(found[0])):
        if symbol not in out and taken.isdisjoint(at):
            out[symbol] = at[0]
            taken |= set(at)
    return out


def _windows(symbols: Iterable[str], said: list[str], words: Vocabulary) -> Iterator[tuple[range, str]]:
    """Where some phrase of a symbol stands."""
    for symbol in symbols:
        for told in {t for p in words.calling(symbol) for t in spellings(p) if t}:
            for i in range(len(said) - len(told) + 1):
                if _are_said(told, said[i : i + len(told)]):
                    yield range(i, i + len(told)), symbol
