"""Verbs by which a domain's own predicates are asked for: "wipe the table" asks for `(wiped ?s)`.

Which verb names which predicate is read from the domain: an operator is called by what it does, and what it does is the
effect that is called alike, or the one that it lists first. Everything else is regular English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

from llm.lexicon import EMPTY_WORDS

_DETERMINERS = ["the", "a", "an", "my", "your", "this", "that", "its", "of", "some", "no"]
"""After one of them a word is a noun or an adjective: "the press", "the stacked bowls"."""
_NO_NOUN = "".join(rf"(?<!\b{d} )" for d in _DETERMINERS)
_CLAUSE = re.compile(r"[.,;:!?]|\b(?:and|then|but|before|after|while)\b(?! (?:the|an?|my|your|its|both|all)\b)")
"""Where a clause ends: not within "the bowl and the mug"."""
_NOUN = re.compile(r"\b(?:the|an?|my|your|its|it|them|on|in|into|onto|to|from|at|of)\b(?! *$)")
"""What begins a noun phrase, or stands for one."""
_VOWELS = "aeiou"


def verb_stem(word: str) -> str:
    """What a regular verb's forms have in common, without what is only spelling: "wip" of "wiped"."""
    for end in ("ied", "ies"):
        if word.endswith(end) and len(word) > len(end) + 1:
            return word.removesuffix(end) + "y"
    for end in ("ing", "ed", "es", "s"):
        bare = word.removesuffix(end)
        if bare != word and len(bare) > 2 and not word.endswith("ss") and any(c in _VOWELS + "y" for c in bare):
            word = bare
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "slfz":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def naming_verbs(effects: Iterable[tuple[str, list[str]]]) -> Mapping[str, frozenset[str]]:
    """Stems of the verbs that name each predicate which an operator is for, from the names of operators with the
    predicates that they add, the first one first. A verb that would name several names none."""
    named: dict[str, set[str]] = {}
    for operator, added in effects:
        for predicate in [p for p in added if _first(p) == _first(operator)] or added[:1]:
            named.setdefault(_first(predicate), set()).add(predicate)
            named.setdefault(_first(operator), set()).add(predicate)
    stems = {stem: next(iter(some)) for stem, some in named.items() if stem and len(some) == 1}
    return {p: frozenset(s for s, of in stems.items() if of == p) for p in set(stems.values())}


def _first(name: str) -> str:
    word = re.split("[-_]", name.lower())[0]
    return "" if word in EMPTY_WORDS else verb_stem(word)


def verb_pattern(stems: Iterable[str]) -> str:
    """A regular expression for the forms of verbs with these stems, where they are no nouns or adjectives."""
    return rf"{_NO_NOUN}\b(?:{'|'.join(sorted(map(_inflected, stems)))})\b"


def _inflected(stem: str) -> str:
    if stem.endswith("y"):
        return rf"{re.escape(stem[:-1])}(?:y|ys|yed|ying|ies|ied)"
    return rf"{re.escape(stem)}{re.escape(stem[-1])}?(?:e|es|ed|s|ing|en)?"


def clauses(text: str) -> list[str]:
    """The clauses of a text in small letters, without what joins them."""
    return [c.strip() for c in _CLAUSE.split(text.lower()) if c.strip()]


def clauses_of(text: str, verbs: str) -> list[tuple[int, int]]:
    """Where the clauses of a text in small letters begin and end that open with a verb which a regular expression is
    for, or with "could you" and that. In "the bowl on the stove and the plate wiped" it is too late to own the rest.
    """
    stops = [(0, 0), *((m.start(), m.end()) for m in _CLAUSE.finditer(text)), (len(text), len(text))]
    spans = [(a[1], b[0]) for a, b in pairwise(stops)]
    found = [(begin, end, re.search(verbs, text[begin:end])) for begin, end in spans]
    return [(begin, end) for begin, end, verb in found if verb and not _NOUN.search(text, begin, begin + verb.start())]


def beyond(text: str, verbs: str) -> str:
    """A text in small letters without the clauses whose verb is one of those that a regular expression is for: their
    prepositions are that verb's, "pour it into the bowl", and ask for no other place."""
    rest = text.lower()
    for begin, end in reversed(clauses_of(rest, verbs)):
        rest = f"{rest[:begin]}, {rest[end:]}"
    return rest


def is_imperative(text: str, verbs: str) -> bool:
    """Whether a text is one clause that begins with a verb that a regular expression is for, "please" or not: who says
    "press the stove" asks for it, and there is nothing else in it that could deny that."""
    said = text.lower().strip().rstrip(".! ")
    begun = re.match(rf"(?:please,? )?(?:{verbs})", said)
    if begun is None or _CLAUSE.search(said[begun.end() :]):
        return False
    verb = begun.group().split()[-1]
    return verb_stem(verb) == verb or not verb.endswith(("ing", "ed"))  # "weighing the mug" orders nothing
