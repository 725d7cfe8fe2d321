"""Things that the words do not name, name better, or name besides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from llm.reference import coverage, rivals
from llm.review.answer import PRONOUN, Answer, Objection, said_by
from llm.spatial_cues import led_away_from
from llm.words import content, mentioned_in_part


def unmentioned(answer: Answer) -> Iterator[Objection]:
    """Things in the answer that no word stands for, or only words that stand for a namesake in it."""
    words, every = answer.words, Counter(content(answer.text))
    unknown = {s for s in words.name if not mentioned_in_part(words.calling(s), every)}
    spare = _spare(answer)
    for symbol in answer.things:
        if symbol in unknown or symbol in spare:
            name = f"the {words.name[symbol]}"
            barred = frozenset({symbol, *unknown})
            yield Objection("unmentioned", f"The instruction does not say {name}.", barred=barred, strange=name)


def _spare(answer: Answer) -> set[str]:
    """Things that take up no word which their namesakes in the answer leave; the last ones of equals."""
    words = answer.words
    together = {s for c in answer.clauses if c.together for a in c.atoms for s in a.args}
    kept, spare = answer.things, set()
    for symbol in reversed(kept):
        rest = tuple(s for s in kept if s != symbol)
        namesakes = set(words.namesakes(symbol)) & set(rest)
        alike = any(words.kind.get(s) == words.kind.get(symbol) for s in namesakes)
        pronoun = _ANOTHER if symbol in answer.movable or alike else PRONOUN
        found = [m[0].lower() for m in pronoun.finditer(answer.text)]
        named = symbol in together or _is_put_there(symbol, answer)
        meant_otherwise = found and not (found == ["one"] and _one_is_needed(kept, answer))
        doubled = namesakes and not named and not meant_otherwise
        if doubled and answer.covers(rest) == answer.covers(kept):
            kept = rest
            spare.add(symbol)
    return spare


def _one_is_needed(things: tuple[str, ...], answer: Answer) -> bool:
    """Whether a "one" stands for a noun of some things: "the left one"."""
    return coverage(things, answer.words, answer.heard - Counter(["one"])) < answer.covers(things)


def _is_put_there(symbol: str, answer: Answer) -> bool:
    """Whether the answer puts something where the words say "on the …", and that fits the symbol."""
    place = any(symbol == c.atoms[0].args[1] for c in answer.clauses if len(c.atoms[0].args) > 1)
    return place and any(symbol in w.symbols for w in answer.wheres)


_ANOTHER = re.compile(r"\b(one|ones|other|another)\b", re.IGNORECASE)
"""With one of these a thing can be meant that has no noun of its own in the instruction."""


def better(answer: Answer) -> Iterator[Objection]:
    """Namesakes of a thing in the answer that the words fit better."""
    better = [r for r in rivals(answer.text, answer.said, answer.allowed) if r.gain > 0]
    if better and not any(c.together for c in answer.clauses):
        # The last of equals: a small model is right first, and then repeats itself.
        best = max(reversed(better), key=lambda r: r.gain)
        reason = f"Not the {answer.heard_as(best.symbol)}: the {answer.heard_as(best.other)}."
        if best.everywhere:
            yield Objection("misread thing", reason, barred=frozenset({best.symbol}))
        else:
            yield Objection("misread thing", reason, tuple(set(answer.said) - set(best.said)))


def not_moved(answer: Answer) -> Iterator[Objection]:
    """Things that can be moved, and that words speak of which nothing in the answer takes up.

    Not where something of the answer is taken from: that is said of it alone."""
    known = {*answer.things, *(s for thing in answer.things for s in answer.words.namesakes(thing)), *_left(answer)}
    taken = answer.covers(answer.things)
    missing = {s: n for s in answer.movable if s not in known and (n := answer.covers((*answer.things, s))) > taken}
    if missing:
        name = answer.words.name[max(missing, key=lambda s: missing[s])]
        stays = not any(said_by(c, answer.placing) for c in answer.clauses)
        least = len(answer.clauses) + 1 if stays else 1
        yield Objection("left out", f'It also says "{name}".', grave=False, least=least)


def moved_along(answer: Answer) -> Iterator[Objection]:
    """Things that the answer moves, and that are named only as where something else of it is taken from."""
    for symbol in _left(answer) & {c.atoms[0].args[0] for c in answer.clauses}:
        wrong = tuple(a for f in answer.moving for a in answer.allowed.atoms[f.predicate] if a.args[0] == symbol)
        reason = f"From the {answer.words.name[symbol]} something is taken, and it stays."
        yield Objection("misread thing", reason, wrong)


def _left(answer: Answer) -> set[str]:
    """Things that are named once, as where something of the answer is taken from."""
    under = {a.args[1] for a in answer.allowed.true if len(a.args) > 1 and a.args[0] in answer.things}
    said = Counter(content(answer.text))
    once = {s for s in under if all(said[w] < 2 for w in content(answer.words.name.get(s, s)))}
    return once & led_away_from(answer.text, answer.words)
