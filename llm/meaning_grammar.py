"""The regular expression that an answer has to match: a meaning of an instruction about a scene."""

from __future__ import annotations

import re
from collections.abc import Iterable

from llm.forms import Sayable
from llm.meaning import EXCEPT, QUANTIFIERS, UNCLEAR, UNTOUCHED

LONGEST = 12
"""Words of a noun phrase."""
CLAUSES = 8
"""Clauses of an answer."""
_NO_BEGINNING = frozenset("the a an both all any every each my your some this that these those of and or is are".split())
"""Words that no description begins with: articles and the like are the quantifier's."""
_NOT_WITHIN = frozenset("or but except excluding not never then don't".split())
"""Words that no description holds: they are said by the form itself."""
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


def noun_phrases(text: str) -> tuple[str, ...]:
    """What can be the words for a thing: runs of words of the instruction without a stop between them, longest first."""
    found, words = set[str](), list(_WORD.finditer(text.lower()))
    for i, first in enumerate(words):
        if first[0] in _NO_BEGINNING:
            continue
        for last in words[i : i + LONGEST]:
            said = text[first.start() : last.end()].lower()
            if last[0] in _NOT_WITHIN or re.search(r"[^\w\s'-]", said):
                break
            found.add(said)
    return tuple(sorted(found, key=lambda s: (-len(s), s)))


def meaning_pattern(text: str, can: Sayable) -> str:
    """The regular expression of every meaning that `text` can have."""
    phrases = noun_phrases(text)
    quantifier = f"(({'|'.join(QUANTIFIERS)}) )?"
    thing = f"\\[{quantifier}({_one_of(phrases)})({EXCEPT}{quantifier}({_one_of(phrases)}))?\\]"
    by_arity: dict[int, list[str]] = {1: [UNTOUCHED]}
    for form in can.forms:
        by_arity.setdefault(len(form.types), []).append(form.words)
    said = "|".join(f"({_one_of(words)}){f' {thing}' * (n - 1)}" for n, words in sorted(by_arity.items()))
    fact = f"{thing} (is|are) (not )?({said})( or (not )?({said})){{0,3}}"
    clause = f"({fact}|\\[{UNCLEAR}: ({_one_of(phrases)})\\])"
    return f"{clause}(; (then |or )?{clause}){{0,{CLAUSES - 1}}}\\."


def _one_of(texts: Iterable[str]) -> str:
    return "|".join(re.sub(r"\\([ '-])", r"\1", re.escape(t)) for t in texts)
