"""What the words name, place and order, and a meaning does otherwise. `llm.meaning_checks` has the words of logic."""

from __future__ import annotations

import re
from collections.abc import Iterator

from llm.expansion import Expanded
from llm.forms import Sayable, asks, is_asked
from llm.lexicon import TOP
from llm.logic_words import is_involved
from llm.meaning import UNTOUCHED, Meaning
from llm.phrases import is_part
from llm.referents import OTHER
from llm.words import content, leads_to, names_something

_NOUN_PHRASE = re.compile(
    r"\b(?:the|an?|my|your) ((?:[a-z-]+ )?(?!is\b|are\b|goes\b|has\b)[a-z-]+)"
    r"(?=[.,;!?]|$| (?:on|in|into|onto|to|from|at|with|and|by)\b)"
)
"""What an article stands before, and a stop or a preposition after: a thing, in an instruction without subtleties."""


def unsaid_places(text: str, meaning: Meaning, can: Sayable, names: frozenset[str]) -> Iterator[str]:
    """Places beside things that the words ask for, and the meaning does not and tells no thing by."""
    said = {can.by_words(f.words).side for f in meaning.facts if f.words != UNTOUCHED}
    told = [r.words for r in meaning.referents]
    for form in can.forms:
        if form.in_domain or form.side in said - {None}:
            continue
        if not any(is_asked(form, words) or (form.side == TOP and "top" in words) for words in told):
            named = (text[m.end() :].split()[:4] for m in asks(form, text) if not m[0].endswith("side"))
            if any(names & set(content(" ".join(words))) for words in named):
                yield f'it also says "{form.words}"' + ("" if form.says_where else ", not which place that is")


def turned_round(text: str, meaning: Meaning) -> Iterator[str]:
    """Facts with a place that nothing leads to, of a thing that something does: "the butter in the bowl" and not the
    bowl in the butter."""
    said = text.lower()
    for fact in meaning.facts:
        place = fact.others[0].words if fact.others else ""
        if place and place in said and leads_to(fact.subject.words, said) and not leads_to(place, said):
            yield f'"{fact.subject.words}" is the place, not "{place}"'


def out_of_order(text: str, meaning: Meaning) -> Iterator[str]:
    """What comes after something in words and before it in the meaning, and the other way round."""
    about = [(n, set(content(f.subject.words))) for n, c in enumerate(meaning.clauses) for f in c.facts]
    for found in re.finditer(r"\b(after|before) ((?:(?! but | then )[^.,;:!?])+)", text.lower()):
        named = set(content(found[2]))
        own, rest = [n for n, s in about if s & named], [n for n, s in about if not s & named]
        if own and rest:
            wrong = max(own) > min(rest) if found[1] == "after" else min(own) < max(rest)
            if wrong:
                yield f'"{found[0].strip()}" is out of order'


def no_other(text: str, meaning: Meaning) -> Iterator[str]:
    """ "The other", of which nothing is said."""
    said = re.search(r"\bthe other(?: one)?\b", text.lower())
    if said and not any(set(content(r.words)) & OTHER for r in meaning.referents):
        yield 'nothing is said of "the other"'


def nouns(can: Sayable) -> frozenset[str]:
    """Words that alone name something of the scene; not what all stands on."""
    ground = {s for s in can.state.symbols if can.words.is_ground(s)}
    named = (content(p) for p, symbols in can.words.phrases.items() if not set(symbols) <= ground)
    return frozenset(told[0] for told in named if len(told) == 1)


def left_out(text: str, meaning: Meaning, expanded: Expanded, can: Sayable, names: frozenset[str]) -> Iterator[str]:
    """Nouns of the scene that the instruction has and no part of the meaning; a drawer stands for its cabinet too."""
    owner = can.words.owner
    taken = {w for r in meaning.referents for w in content(r.words)} | expanded.told
    about = {owner.get(s, s) for some in expanded.read.values() for s in some}
    for word in dict.fromkeys(content(text)):
        if word in names and word not in taken:
            means = {owner.get(s, s) for p, some in can.words.phrases.items() if content(p) == [word] for s in some}
            if is_part(word) or not means or not means <= about:
                yield f'it also says "{word}"'
    if not is_involved(text):
        known = names | {w for p in can.words.words() for w in content(p)}
        for found in _NOUN_PHRASE.finditer(text.lower()):
            if names_something(found[1]) and not (known | taken) & set(content(found[1])):
                yield f'it also says "{found[1]}"'
