"""How well the words of an instruction fit the things of an answer, and what else they fit.

The measure is how many words that tell things apart are accounted for when every thing takes the words of one of
its phrases and no word serves twice. It never chooses a thing: it says that another fits as well, or better.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from llm.decoding import Clause
from llm.grammar import Language
from llm.phrases import Vocabulary
from llm.spatial_cues import cue, plain, right_after
from llm.words import content, mentioned, spellings, without
from tamp.model.atoms import Atom
from tamp.perception.relative_places import SIDES


@dataclass(frozen=True)
class Rival:
    """The answer `said` with another thing for one of its things, which the words fit as well, or better by `gain`.

    `symbol` is the thing in the answer, `other` the one in its place: `everywhere`, or in one atom only.
    """

    said: tuple[Atom, ...]
    symbol: str
    other: str
    gain: int
    everywhere: bool = True


def heard_in(text: str, allowed: Language, said: Iterable[Atom] = ()) -> Counter[str]:
    """The words that can stand for things: "to the right of" is a relation, and says nothing of a "right plate".

    But where something is put in a part of the caddy, "the right side of the caddy" tells which part.
    """
    said_plainly = plain(text)
    heard, owners = Counter(content(said_plainly)), {allowed.vocabulary.owner.get(s, "") for a in said for s in a.args}
    for f in allowed.forms:
        if f.side in SIDES:
            for found in re.finditer(cue(f), said_plainly):
                # Not "left side" alone: that may be the thing's own, "the left side bowl".
                after = right_after(said_plainly[found.end() :], allowed.vocabulary)
                own = after & owners or (after and after.isdisjoint(allowed.vocabulary.things))
                bare = not (after or found[0].endswith((" of", " from"))) or found[0].endswith("side")
                relation = " its " in found[0] or not (own or bare)
                heard = without(heard, found[0]) if relation else heard
    return heard


def narrowed(clauses: tuple[Clause, ...], text: str, allowed: Language) -> tuple[Clause, ...]:
    """Clauses that can mean several atoms, with those only that the words fit best; of equals, about the fewest things.

    So "the drawer" of one clause is the drawer of another.
    """
    out = list(clauses)
    for i, c in enumerate(clauses):
        if len(c.atoms) > 1 and not c.together:
            others = [a for k, o in enumerate(out) if k != i for a in o.meaning]
            fits = [_fit((*others, a), text, allowed) for a in c.atoms]
            out[i] = replace(c, atoms=tuple(a for a, n in zip(c.atoms, fits, strict=True) if n == max(fits)))
    return tuple(out)


def _fit(said: tuple[Atom, ...], text: str, allowed: Language) -> tuple[int, int]:
    """How many words an answer accounts for, and by how few things."""
    things = things_of(said, allowed.vocabulary)
    return coverage(things, allowed.vocabulary, heard_in(text, allowed, said)), -len(things)


def things_of(said: Iterable[Atom], words: Vocabulary) -> tuple[str, ...]:
    """What an answer is about, each once: a thing and a place of its own are one."""
    symbols = dict.fromkeys(s for a in said for s in a.args)
    return tuple(s for s in symbols if words.owner.get(s) not in symbols)


def coverage(symbols: tuple[str, ...], words: Vocabulary, heard: Counter[str], unnamed: int = 0) -> int:
    """The most words that the symbols can account for together, less `unnamed` for each that is left without any."""
    options = [_options(s, words, heard) for s in symbols]
    return _most(sorted(options, key=len), heard, unnamed)


def heard_as(symbol: str, words: Vocabulary, heard: Counter[str]) -> str:
    """The longest of a symbol's phrases that was heard, else its name."""
    return max((p for p in words.calling(symbol) if mentioned(p, heard)), key=len, default=words.name[symbol])


def _options(symbol: str, words: Vocabulary, heard: Counter[str]) -> list[tuple[str, ...]]:
    """The word lists of a symbol's phrases that were heard, longest first."""
    spelt = (told for p in words.calling(symbol) for told in spellings(p))
    lists = {tuple(sorted(told)) for told in spelt if not Counter(told) - heard}
    return sorted(lists, key=lambda told: (-len(told), told))


def _most(options: list[list[tuple[str, ...]]], heard: Counter[str], unnamed: int) -> int:
    if not options:
        return 0
    first, *rest = options
    best = _most(rest, heard, unnamed) - unnamed
    for told in first:
        needed = Counter(told)
        if not needed - heard:
            best = max(best, len(told) + _most(rest, heard - needed, unnamed))
    return best


def rivals(text: str, said: tuple[Atom, ...], allowed: Language) -> Iterator[Rival]:
    """Namesakes of the answer's things that the words fit at least as well in their place.

    In one atom of several that a thing is in, only such as they fit better.
    """
    words, heard = allowed.vocabulary, heard_in(text, allowed, said)
    mine = coverage(things_of(said, words), words, heard, unnamed=1)
    pairs = ((s, o) for s in things_of(said, words) for o in words.namesakes(s))
    for symbol, other in ((s, o) for s, o in pairs if s not in (words.owner.get(o), o) and words.owner.get(s) != o):
        uses = [i for i, a in enumerate(said) if symbol in a.args]
        for where in (uses, *([i] for i in uses if len(uses) > 1)):
            instead = tuple(_instead(a, symbol, other) if i in where else a for i, a in enumerate(said))
            known = where is uses and other in things_of(said, words)
            if known or not all(_sayable(instead[i], allowed) for i in where):
                continue
            gain = coverage(things_of(instead, words), words, heard, unnamed=1) - mine
            if (gain > 0 and singled_out(other, symbol, words, heard)) or (gain == 0 and where is uses):
                yield Rival(instead, symbol, other, gain, where is uses)
    if len(said) == 1 and _interchangeable(said[0], words, heard, allowed):
        swapped = Atom(said[0].predicate, said[0].args[::-1])
        yield Rival((swapped,), said[0].args[0], said[0].args[1], 0)


def singled_out(symbol: str, other: str, words: Vocabulary, heard: Counter[str]) -> bool:
    """Whether some words are for one thing and not for the other."""
    own = (p for p in words.calling(symbol) if other not in words.phrases[p])
    return any(not Counter(told) - heard for p in own for told in spellings(p))


def _instead(atom: Atom, symbol: str, other: str) -> Atom:
    return Atom(atom.predicate, tuple(other if s == symbol else s for s in atom.args))


def _sayable(atom: Atom, allowed: Language) -> bool:
    return atom in allowed.atoms[atom.predicate] and atom not in allowed.true


def _interchangeable(atom: Atom, words: Vocabulary, heard: Counter[str], allowed: Language) -> bool:
    """Whether nothing tells which of two namesakes goes onto the other: "one bowl on the other"."""
    if len(atom.args) != 2 or atom.args[1] not in words.namesakes(atom.args[0]):
        return False
    swapped = Atom(atom.predicate, atom.args[::-1])
    named = {p: some for p, some in words.fitting(frozenset(atom.args)).items() if mentioned(p, heard)}
    return _sayable(swapped, allowed) and not any(len(some) == 1 for some in named.values())
