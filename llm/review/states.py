"""States that no word asks for, and such as are asked for and left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from llm.forms import Form
from llm.lexicon import CUES, HINTS
from llm.reference import singled_out
from llm.review.answer import Answer, Objection, cued
from llm.spatial_cues import affirmed, cue, plain, right_after


def uncalled(answer: Answer) -> Iterator[Objection]:
    """States, and what is to stay in the hand, which no word asks for; where it is known which words do."""
    for f in answer.allowed.forms:
        answered = len(f.types) == 1 and f.predicate in CUES and any(a.predicate == f.predicate for a in answer.said)
        hinted = re.search(HINTS.get(f.predicate, _NEVER), affirmed(answer.text))
        if answered and not hinted and not cued(f, answer.text):
            reason = f'The instruction does not say "{f.words}".'
            yield Objection("misread relation", reason, answer.allowed.atoms[f.predicate])
        elif answered and f in answer.moving:
            called = frozenset[str]().union(*_called(f, answer))
            wrong = tuple(a for a in answer.said if a.predicate == f.predicate and called.isdisjoint(a.args))
            if called and wrong:
                reason = f'It does not say "{f.words}" of the {answer.heard_as(wrong[0].args[0])}.'
                yield Objection("misread relation", reason, wrong)


def _called(form: Form, answer: Answer) -> list[frozenset[str]]:
    """What stands right after the words that ask for a form: "lift the bowl"."""
    text = plain(answer.text)
    return [right_after(text[found.end() :], answer.words) for found in re.finditer(cue(form), text)]


def left_out(answer: Answer) -> Iterator[Objection]:
    """What is asked for by its own verb and is not in the answer: "open the drawer and put the bowl in it".

    Grave when the answer has the opposite instead, which no word asks for. Of "open it, …, and shut it" the last
    counts: how it is in between is no goal.
    """
    states = [f for f in answer.allowed.forms if f.verbs or (len(f.types) == 1 and f not in answer.moving)]
    words = _ADJECTIVE.sub("", affirmed(answer.text))
    for f in (f for f in states if cued(f, words) and not any(a.predicate == f.predicate for a in answer.said)):
        opposite = [a for a in answer.said if answer.allowed.form(a.predicate).family == f.family != ""]
        others = [o for o in states if o is not f and o.family == f.family != ""]
        last = max((_last_cue(o, words) for o in others), default=-1)
        if not opposite or last < 0:
            wrong = tuple(a for o in others for a in answer.allowed.atoms[o.predicate])
            least = 1 if opposite else len(answer.clauses) + 1
            yield Objection("left out", f'It says "{f.words}".', wrong, grave=bool(opposite), least=least)
        elif _last_cue(f, words) > last:
            yield Objection("left out", f'In the end it is "{f.words}".', tuple(opposite), grave=False)
        elif any(_another(a.args[0], answer) for a in opposite):
            yield Objection("left out", f'It says "{f.words}".', grave=False, least=len(answer.clauses) + 1)


def _another(symbol: str, answer: Answer) -> bool:
    """Whether the words name another thing of the same name that the answer is not about."""
    others = (s for s in answer.words.namesakes(symbol) if not any(s in a.args for a in answer.said))
    return any(singled_out(other, symbol, answer.words, answer.heard) for other in others)


def _last_cue(form: Form, text: str) -> int:
    """Where the words ask for a form last; -1 when they do not."""
    return max((found.start() for found in re.finditer(cue(form), text)), default=-1)


_ADJECTIVE = re.compile(r"\b(the|an?|that is|already) (open(ed)?|closed|shut)\b")
"""Where a thing's state tells which one is meant."""
_NEVER = r"\b\B"
"""Matches nothing."""
