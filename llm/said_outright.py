"""Facts that an instruction asks for and has no word besides: nothing in it could deny them.

"Stir the tea and weigh it", where stirring and weighing are what a domain is for; "the tea is stirred", the words of
the fact itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from llm.forms import Form
from llm.own_verbs import clauses, is_imperative, verb_pattern

_MANNERS = "please"


def said_outright(text: str, facts: Sequence[str], forms: Iterable[Form]) -> frozenset[str]:
    """Those of the `facts`, which are in words of the `forms`, that a text states or orders by a verb of their own;
    none where it has a word that neither a fact nor such an order has."""
    if "?" in text:
        return frozenset()
    known = [f for f in forms if any(_of(f, fact) for fact in facts)]
    ordered, stated = set[Form](), list[list[str]]()
    for clause in clauses(text):
        named = {f for f in known if f.verbs and is_imperative(clause, verb_pattern(f.verbs))}
        ordered |= named
        # "The tea is stirred and the cup is weighed" is one clause where "and" may join things.
        stated += [] if named else [w for part in re.split(r"\band\b", clause) if (w := _words(part))]
    if not all(any(_is_within(said, _words(fact)) for fact in facts) for said in stated):
        return frozenset()
    return frozenset(
        fact for fact in facts for f in known if _of(f, fact) and (f in ordered or _states(stated, fact, f))
    )


def _states(stated: list[list[str]], fact: str, form: Form) -> bool:
    """Whether some words state a fact: no word but its own, the predicate's among them, and what it ends with."""
    due, predicate = _words(fact), set(_words(form.words))
    return any(_is_within(said, due) and predicate <= set(said) and said[-1] == due[-1] for said in stated)


def _is_within(said: list[str], fact: list[str]) -> bool:
    """Whether words are among those of a fact, in their order: "bowl on plate", "the black bowl is on the plate"."""
    left = iter(fact)
    return all(word in left for word in said)


def _of(form: Form, fact: str) -> bool:
    """Whether a fact is in the words of a form."""
    return re.search(rf" (?:is|are) {re.escape(form.words)}(?: |$)", fact) is not None


def _words(text: str) -> list[str]:
    """The words of a text in small letters; of one thing or several are the same."""
    return ["is" if w == "are" else w for w in re.findall(r"[\w'-]+", text.lower()) if w != _MANNERS]
