"""What a model may write of an instruction about a scene, and how it writes it: clause by clause."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from llm.forms import Sayable
from llm.lexicon import word_set
from llm.meaning import EXCEPT, QUANTIFIERS, UNCLEAR, UNTOUCHED, read_referent
from llm.model import Completion, Model, Prompt
from llm.referents import Reader

LONGEST = 12
"""Words of a noun phrase."""
CLAUSES = 8
"""Clauses of an answer."""
_NO_BEGINNING = word_set("the a an both all any every each my your some this that these those of and or is are")
"""Words that no description begins with: articles and the like are the quantifier's."""
_NOT_WITHIN = word_set("or but except excluding not never then don't")
"""Words that no description holds: they are said by the form itself."""
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


def noun_phrases(text: str) -> tuple[str, ...]:
    """What can be the words for a thing: runs of words without a stop between them, longest first."""
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


@dataclass
class MeaningGrammar:
    """What may be said of an instruction about a scene, step by step: a subject, then what is said of it."""

    text: str
    can: Sayable
    reader: Reader
    phrases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        known = tuple(dict.fromkeys((*self.can.state.symbols, *self.can.words.things)))
        self.phrases = noun_phrases(self.text)
        self._meant = {p: frozenset(self.reader.meant(p, known).symbols) for p in self.phrases}

    def subjects(self) -> str:
        """A regular expression for the beginning of a clause, up to the verb; or for a whole one that is unclear."""
        first = {s for f in self.can.forms for s in self.can.argument(f, 0)} | set(self.can.state.symbols)
        thing = self._thing(self._fitting(first))
        return f"({thing} (is|are) |\\[{UNCLEAR}: ({_one_of(self.phrases)})\\])"

    def predicates(self, subject: str, ends: str) -> str:
        """A regular expression for what may be said of a subject, and what may come after that."""
        meant, said = self._meant.get(subject, frozenset()), list[str]()
        for form in self.can.forms:
            if not meant or meant & set(self.can.argument(form, 0)):
                others = [self._fitting(set(self.can.argument(form, n))) for n in range(1, len(form.types))]
                things = [self._thing([p for p in some if p != subject]) for some in others]
                if all(things):
                    said.append("".join([_one_of([form.words]), *(f" {t}" for t in things)]))
        one = f"((not )?({'|'.join(said)})|{UNTOUCHED})" if said else UNTOUCHED
        return f"{one}( or {one}){{0,3}}({ends})"

    def _fitting(self, symbols: set[str]) -> list[str]:
        """Phrases that mean one of some symbols, or nothing that is known."""
        return [p for p in self.phrases if not self._meant[p] or self._meant[p] & symbols]

    def _thing(self, phrases: list[str]) -> str:
        quantifier = f"(({'|'.join(QUANTIFIERS)}) )?"
        without = f"({EXCEPT}{quantifier}({_one_of(self.phrases)}))?"
        return f"\\[{quantifier}({_one_of(phrases)}){without}\\]" if phrases else ""


def write_meaning(model: Model, prompt: Prompt, grammar: MeaningGrammar) -> Completion:
    """The meaning that a model writes, clause by clause, and its probability for it."""
    text, likely = "", 1.0
    for n in range(CLAUSES):
        lead = " " if text else ""
        first = model.complete(prompt, text, lead + grammar.subjects())
        text, likely = f"{text}{lead}{first.text.strip()}", likely * first.probability
        ends = r"\." if n + 1 == CLAUSES else r"; then|; or|;|\."
        if text.endswith("]"):
            after = model.complete(prompt, text, f"({ends})")
        else:
            subject = read_referent(text[text.rindex("[") + 1 : text.rindex("]")])
            after = model.complete(prompt, text, " " + grammar.predicates(subject.words, ends))
            text += " "
        text, likely = text + after.text.strip(), likely * after.probability
        if text.endswith("."):
            break
    return Completion(text, likely)


def _one_of(texts: Iterable[str]) -> str:
    return "|".join(re.sub(r"\\([ '-])", r"\1", re.escape(t)) for t in texts)
