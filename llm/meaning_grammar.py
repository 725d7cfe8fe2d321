"""What a model may write of an instruction about a scene, and how it writes it: clause by clause."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from llm.forms import Sayable
from llm.lexicon import word_set
from llm.logic_words import CHOOSING, COUNT, EVERY, is_involved, logic_words
from llm.meaning import EXCEPT, QUANTIFIERS, UNCLEAR, UNTOUCHED, read_referent
from llm.model import Completion, Model, Prompt
from llm.referents import Reader, is_beside
from llm.words import content, names_something

LONGEST = 12
"""Words of a noun phrase."""
CLAUSES = 8
"""Clauses of an answer."""
_NO_BEGINNING = (
    word_set("the a an both all any every each my your some this that these those of and or is are") | COUNT.keys()
)
"""Words that no description begins with: articles, numbers and the like are the quantifier's."""
_NOT_WITHIN = word_set("or but except excluding not never then don't onto into")
"""Words that no description holds: they are said by the form itself."""
_DENYING = frozenset({"negation", "exception"})
"""Kinds of words without which nothing is denied or excepted."""
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
    phrases: tuple[str, ...] = field(init=False)
    kinds: frozenset[str] = field(init=False)
    _meant: dict[str, frozenset[str]] = field(init=False)
    _one: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        symbols = tuple(dict.fromkeys((*self.can.state.symbols, *self.can.words.things)))
        meant = {p: self.reader.meant(p, symbols) for p in noun_phrases(self.text)}
        known = self._known_words()
        named = {p: m for p, m in meant.items() if m.symbols or (not is_beside(p) and _may_name(p, known))}
        self._meant = {p: frozenset(m.symbols) for p, m in named.items()}
        self._one = {p: m.symbols[0] for p, m in named.items() if len(m.symbols) == 1 and not m.left}
        self.phrases = tuple(self._meant)
        self.kinds = frozenset(w.kind for w in logic_words(self.text))

    def subjects(self, opening: bool = False) -> str:
        """A regular expression for the beginning of a clause, up to the verb; or for a whole one that is unclear.

        In the `opening` clause of what says "everything but the cup" it is of such a thing: a small model likes to
        write what is left out, and that it is not to be.
        """
        first = {s for f in self.can.asked for s in self.can.argument(f, 0)} | set(self.can.state.symbols)
        leaves_out = "exception" in self.kinds and any(w.said in EVERY for w in logic_words(self.text))
        thing = self._thing(self._fitting(first), excepting=opening and leaves_out)
        return f"({thing} (is|are) |{UNCLEAR}\\.)" if thing else f"{UNCLEAR}\\."

    def predicates(self, subject: str, ends: str) -> str:
        """A regular expression for what may be said of a subject, and what may come after that."""
        meant, said = self._meant.get(subject, frozenset()), list[str]()
        for form in self.can.asked:
            if not meant or meant & set(self.can.argument(form, 0)):
                others = [self._fitting(set(self.can.argument(form, n))) for n in range(1, len(form.types))]
                things = [self._thing([p for p in some if not self._is_same(p, subject)]) for some in others]
                if all(things):
                    said.append("".join([_one_of([form.words]), *(f" {t}" for t in things)]))
        negated = "" if self.kinds.isdisjoint(_DENYING) else "(not )?"
        every = [f"{negated}({'|'.join(said)})"] if said else []
        if not said or is_involved(self.text):
            every.append(UNTOUCHED)
        one = f"({'|'.join(every)})"
        if self.kinds.isdisjoint(CHOOSING):
            return f"{one}({ends.replace('; or|', '')})"
        return f"{one}( or {one}){{0,3}}({ends})"

    def taken_up(self, meaning: str) -> int:
        """How many words of the instruction that name things or states a meaning has."""
        return len(self._known_words() & set(content(self.text)) & set(content(meaning)))

    def _known_words(self) -> set[str]:
        """The words that name things and what can be said of them."""
        named = {w for p in self.can.words.words() for w in content(p)}
        return named | {w for f in self.can.asked for w in content(f.words)}

    def _is_same(self, phrase: str, subject: str) -> bool:
        """Whether two phrases are of one and the same thing."""
        return phrase == subject or (phrase in self._one and self._one[phrase] == self._one.get(subject))

    def _fitting(self, symbols: set[str]) -> list[str]:
        """Phrases that mean one of some symbols, or nothing that is known."""
        return [p for p in self.phrases if not self._meant[p] or self._meant[p] & symbols]

    def _thing(self, phrases: list[str], excepting: bool = False) -> str:
        quantifier = f"(({'|'.join(QUANTIFIERS)}) )?"
        without = f"{EXCEPT}{quantifier}({_one_of(self.phrases)})"
        if excepting:
            return f"\\[(everything|(all|every) ({_one_of(phrases)})){without}\\]" if phrases else ""
        can_except = "" if self.kinds.isdisjoint(_DENYING) else f"({without})?"
        return f"\\[{quantifier}({_one_of(phrases)}){can_except}\\]" if phrases else ""


def write_meaning(model: Model, prompt: Prompt, grammar: MeaningGrammar) -> Completion:
    """The meaning that a model writes, clause by clause, and its probability for it.

    A small model goes on when all is said, one likely word after the other. So of the whole meanings on its way, those
    that stop after a clause and the one that it came to, the likeliest counts that takes up most of what is named.
    """
    clauses, likely, stops = list[str](), 1.0, list[Completion]()
    while len(clauses) < CLAUSES:
        text = " ".join(clauses)
        lead = " " if text else ""
        first = model.complete(prompt, text, lead + grammar.subjects(opening=not clauses))
        said, likely = first.text.strip(), likely * first.probability
        if not said.endswith("."):
            subject = read_referent(said[1 : said.rindex("]")])
            after = model.complete(prompt, f"{text}{lead}{said}", " " + grammar.predicates(subject.words, _GOING_ON))
            said, likely = f"{said} {after.text.strip()}", likely * after.probability
        if _fact(said) in map(_fact, clauses):
            break
        clauses.append(said)
        whole = " ".join(clauses)
        if said.endswith("."):
            stops.append(Completion(whole, likely))
            break
        goes_on = _goes_on(model, prompt, whole)
        stops.append(Completion(f"{_fact(whole)}.", likely * (1.0 - goes_on) / goes_on))
    return max(stops, key=lambda stop: (grammar.taken_up(stop.text), stop.probability))


_LEAST = 1e-6
"""Probabilities below count as this."""
_GOING_ON = r"; then|; or|;|\."
_END = re.compile(r"\]?(?:; then|; or|;)$")


def _goes_on(model: Model, prompt: Prompt, text: str) -> float:
    """How likely a model goes on after the last clause of a text rather than stops there."""
    found = _END.search(text)
    assert found is not None
    after = model.complete(prompt, text[: found.start()], "\\]?(" + _GOING_ON + ")")
    return max(after.probability if not after.text.endswith(".") else 1.0 - after.probability, _LEAST)


def _fact(clause: str) -> str:
    """A clause without what joins it to the next."""
    return re.sub(r"(?:; then|; or|;|\.)$", "", clause)


def _may_name(phrase: str, known: set[str]) -> bool:
    """Whether a phrase that fits nothing may be another word for something: not where all its words are known."""
    return names_something(phrase) and bool(set(content(phrase)) - known)


def _one_of(texts: Iterable[str]) -> str:
    return "|".join(re.sub(r"\\([ '-])", r"\1", re.escape(t)) for t in texts)
