"""What the words say against an answer. They never choose a goal: they can only send an answer back.

An objection names what is wrong, for the model and for people, and which atoms are not to be said again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from llm.decoding import Clause
from llm.grammar import Form, Language
from llm.lexicon import CUES, HINTS
from llm.phrases import Vocabulary
from llm.reference import coverage, heard_as, heard_in, rivals, singled_out, things_of
from llm.whereto import Where, affirmed, cue, plain, right_after, wheres
from llm.words import content, mentioned_in_part
from tamp.atoms import Atom


@dataclass(frozen=True)
class Objection:
    """Why an answer does not stand: `kind` for counting, `reason` for the model, and what not to say again.

    That are the atoms `wrong` and whatever is about a symbol of `barred`. With `grave` ones left there is no
    goal; others can be lived with. `strange` is the thing in the answer that the words do not name. `more` asks for
    a clause more.
    """

    kind: str
    reason: str
    wrong: tuple[Atom, ...] = ()
    barred: frozenset[str] = frozenset()
    grave: bool = True
    strange: str = ""
    more: bool = False

    def is_about(self, atom: Atom) -> bool:
        """Whether this speaks against an atom."""
        return atom in self.wrong or not self.barred.isdisjoint(atom.args)


@dataclass(frozen=True)
class _Answer:
    """An answer beside the instruction, and what all checks ask of them."""

    text: str
    clauses: tuple[Clause, ...]
    allowed: Language

    @cached_property
    def said(self) -> tuple[Atom, ...]:
        """What is asked for."""
        return tuple(a for c in self.clauses for a in c.meaning)

    @cached_property
    def words(self) -> Vocabulary:
        """The scene in words."""
        return self.allowed.vocabulary

    @cached_property
    def heard(self) -> Counter[str]:
        """The instruction's words that can stand for things."""
        return heard_in(self.text, self.allowed, self.said)

    @cached_property
    def things(self) -> tuple[str, ...]:
        """What the answer is about."""
        return things_of(self.said, self.words)

    @cached_property
    def placing(self) -> tuple[Form, ...]:
        """The forms that say where something is."""
        return tuple(f for f in self.allowed.forms if len(f.types) > 1)

    @cached_property
    def wheres(self) -> tuple[Where, ...]:
        """Where the words say that things are, or go."""
        return wheres(self.text, self.placing, self.words)

    @cached_property
    def movable(self) -> tuple[str, ...]:
        """What can be put somewhere."""
        return tuple(dict.fromkeys(a.args[0] for f in self.placing for a in self.allowed.atoms[f.predicate]))

    def covers(self, things: tuple[str, ...]) -> int:
        """How many words some things account for."""
        return coverage(things, self.words, self.heard)

    def heard_as(self, symbol: str) -> str:
        """The words for a thing."""
        return heard_as(symbol, self.words, self.heard)


def objections(text: str, clauses: tuple[Clause, ...], allowed: Language) -> tuple[Objection, ...]:
    """Everything that the instruction `text` says against an answer, the gravest first."""
    answer = _Answer(text, clauses, allowed)
    checks = (_unmentioned, _better, _misread, _elsewhere, _uncalled, _left_out, _not_moved)
    return tuple(sorted((o for check in checks for o in check(answer)), key=lambda o: not o.grave))


def _unmentioned(answer: _Answer) -> Iterator[Objection]:
    """Things in the answer that no word stands for, or only words that stand for a namesake in it."""
    words, every = answer.words, Counter(content(answer.text))
    unknown = {s for s in words.name if not mentioned_in_part(words.calling(s), every)}
    spare = _spare(answer)
    for symbol in answer.things:
        if symbol in unknown or symbol in spare:
            name = f"the {words.name[symbol]}"
            barred = frozenset({symbol, *unknown})
            yield Objection("unmentioned", f"The instruction does not say {name}.", barred=barred, strange=name)


def _spare(answer: _Answer) -> set[str]:
    """Things that take up no word which their namesakes in the answer leave; the last ones of equals."""
    words = answer.words
    together = {s for c in answer.clauses if c.together for a in c.atoms for s in a.args}
    kept, spare = answer.things, set()
    for symbol in reversed(kept):
        rest = tuple(s for s in kept if s != symbol)
        namesakes = set(words.namesakes(symbol)) & set(rest)
        alike = any(words.kind.get(s) == words.kind.get(symbol) for s in namesakes)
        pronoun = _ANOTHER if symbol in answer.movable or alike else _PRONOUN
        found = [m[0].lower() for m in pronoun.finditer(answer.text)]
        named = symbol in together or _is_put_there(symbol, answer)
        meant_otherwise = found and not (found == ["one"] and _one_is_needed(kept, answer))
        doubled = namesakes and not named and not meant_otherwise
        if doubled and answer.covers(rest) == answer.covers(kept):
            kept = rest
            spare.add(symbol)
    return spare


def _one_is_needed(things: tuple[str, ...], answer: _Answer) -> bool:
    """Whether a "one" stands for a noun of some things: "the left one"."""
    return coverage(things, answer.words, answer.heard - Counter(["one"])) < answer.covers(things)


def _is_put_there(symbol: str, answer: _Answer) -> bool:
    """Whether the answer puts something where the words say "on the …", and that fits the symbol."""
    place = any(symbol == c.atoms[0].args[1] for c in answer.clauses if len(c.atoms[0].args) > 1)
    return place and any(symbol in w.symbols for w in answer.wheres)


_ANOTHER = re.compile(r"\b(one|ones|other|another)\b", re.IGNORECASE)
"""With one of these a thing can be meant that has no noun of its own in the instruction."""
_PRONOUN = re.compile(r"\b(it|its|them|one|ones|other|another|there)\b", re.IGNORECASE)
"""The same of a place: "on top of it"."""


def _better(answer: _Answer) -> Iterator[Objection]:
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


def _misread(answer: _Answer) -> Iterator[Objection]:
    """Relations that the words do not ask for while they ask for another: "in" where they say "on top of"."""
    # "Next to" in "the bowl next to the stove" tells which bowl.
    told = " ".join(map(answer.heard_as, answer.things))
    asked = [f for f in answer.placing if _cued(f, answer.text) and (f.in_domain or not _cued(f, told))]
    for c in answer.clauses:
        form, atom = _said_by(c, answer.placing), c.atoms[0]
        if form is None or _cued(form, answer.text):
            continue
        # "On" and "in" stand in many places of a sentence; "to the right of" tells more.
        others = [f for f in asked if f.side] or [f for f in asked if form.predicate == atom.predicate]
        if others and not any(_says_the_same(c, form, f, answer.allowed) for f in others):
            reason = f'The instruction says "{others[0].words}", not "{form.words}".'
            instead = [form] if others[0].in_domain else [f for f in answer.placing if f.in_domain or f is form]
            wrong = tuple(a for f in instead for a in answer.allowed.atoms[f.predicate] if a.args[0] == atom.args[0])
            yield Objection("misread relation", reason, wrong, grave=False)


def _elsewhere(answer: _Answer) -> Iterator[Objection]:
    """Places that the words name right after a relation, "on the stove", when nothing in the answer is put there.

    Not when something of the answer is there already: that tells which one is meant.
    """
    families = {f.family for f in answer.placing}
    for c in (c for c in answer.clauses if answer.allowed.form(c.atoms[0].predicate).family in families):
        item, *place = c.atoms[0].args
        there = any(_puts_there(c, w, answer) for w in answer.wheres)
        ground = all(answer.words.owner.get(p, p) not in answer.words.things for p in place)
        for w in (w for w in answer.wheres if not any(_puts_there(o, w, answer) for o in answer.clauses)):
            missed = not there or item in w.symbols or (w.form and w.form.side and ground)
            if w.form and missed and _can_go((item, *place), w.form, w.symbols, answer):
                named = next(answer.heard_as(s) for s in answer.words.name if s in w.symbols)
                wrong = (*c.atoms, *_not_there(item, w.symbols, answer))
                yield Objection("misread relation", f"It says: {w.form.words} the {named}.", wrong, grave=False)
                break


def _puts_there(c: Clause, where: Where, answer: _Answer) -> bool:
    """Whether a clause puts something where the words say that something is put."""
    form = _said_by(c, answer.placing)
    if form is None or c.atoms[0].args[-1] not in where.symbols:
        return False
    return where.form is None or (where.form.in_domain, where.form.side) == (form.in_domain, form.side)


def _not_there(item: str, places: frozenset[str], answer: _Answer) -> tuple[Atom, ...]:
    """All ways to put a thing anywhere else than in some places; anywhere, when it is one of them itself."""
    families = {f.family for f in answer.placing}
    forms = [f for f in answer.allowed.forms if f.family in families]
    about = [a for f in forms for a in answer.allowed.atoms[f.predicate] if a.args[0] == item]
    return tuple(a for a in about if item in places or a.args[-1] not in places)


def _can_go(args: tuple[str, ...], form: Form, places: frozenset[str], answer: _Answer) -> bool:
    """Whether one of some things can be put somewhere, and none is there, nor told apart by that."""
    if not form.in_domain and _cued(form, " ".join(map(answer.heard_as, args))):
        return False
    forms = [f for f in answer.placing if f.in_domain] if form.in_domain else [form]
    every = (a for f in forms for a in answer.allowed.atoms[f.predicate])
    atoms = [a for a in every if a.args[0] in args and a.args[1] in places]
    true = {a.args for a in answer.allowed.true if any(a.predicate == f.predicate for f in answer.placing)}
    return bool(atoms) and not any((item, place) in true for item in args for place in places)


def _said_by(c: Clause, placing: tuple[Form, ...]) -> Form | None:
    """The form in whose words a clause is."""
    matching = [f for f in placing if re.search(rf" (is|are) {re.escape(f.words)} the ", c.text)]
    return max(matching, key=lambda f: len(f.words), default=None)


def _says_the_same(c: Clause, form: Form, other: Form, allowed: Language) -> bool:
    """Whether a clause can be said with the `other` form too: "on the tray", "in the tray"."""
    vessels = {place for own in allowed.vocabulary.inside.values() for place in own}
    if other.in_domain and c.atoms[0].args[1] not in vessels:
        return False
    subject, _, _ = c.text.partition(f" {form.words} the ")
    head = f"{subject} {other.words} the"
    if head not in allowed.heads():
        return False
    meant = allowed.meant(c.atoms[0])
    return any(allowed.meant(a) == meant for atoms in allowed.tails(head).values() for a in atoms)


def _uncalled(answer: _Answer) -> Iterator[Objection]:
    """States, and what is to stay in the hand, which no word asks for; where it is known which words do."""
    for f in answer.allowed.forms:
        answered = len(f.types) == 1 and f.predicate in CUES and any(a.predicate == f.predicate for a in answer.said)
        hinted = re.search(HINTS.get(f.predicate, _NEVER), affirmed(answer.text))
        if answered and not hinted and not _cued(f, answer.text):
            reason = f'The instruction does not say "{f.words}".'
            yield Objection("misread relation", reason, answer.allowed.atoms[f.predicate])
        elif answered and f.family in {p.family for p in answer.placing}:
            called = frozenset[str]().union(*_called(f, answer))
            wrong = tuple(a for a in answer.said if a.predicate == f.predicate and called.isdisjoint(a.args))
            if called and wrong:
                reason = f'It does not say "{f.words}" of the {answer.heard_as(wrong[0].args[0])}.'
                yield Objection("misread relation", reason, wrong)


def _called(form: Form, answer: _Answer) -> list[frozenset[str]]:
    """What stands right after the words that ask for a form: "lift the bowl"."""
    text = plain(answer.text)
    return [right_after(text[found.end() :], answer.words) for found in re.finditer(cue(form), text)]


def _left_out(answer: _Answer) -> Iterator[Objection]:
    """States that are asked for by their own verb and not in the answer: "open the drawer and put the bowl in it".

    Grave when the answer has the opposite instead, which no word asks for. Of "open it, …, and shut it" the last
    counts: how it is in between is no goal.
    """
    moved = {f.family for f in answer.placing}
    states = [f for f in answer.allowed.forms if len(f.types) == 1 and f.family not in moved]
    words = _ADJECTIVE.sub("", affirmed(answer.text))
    for f in (f for f in states if _cued(f, words) and not any(a.predicate == f.predicate for a in answer.said)):
        opposite = [a for a in answer.said if answer.allowed.form(a.predicate).family == f.family]
        others = [o for o in states if o is not f and o.family == f.family]
        last = max((_last_cue(o, words) for o in others), default=-1)
        if not opposite or last < 0:
            wrong = tuple(a for o in others for a in answer.allowed.atoms[o.predicate])
            yield Objection("left out", f'It says "{f.words}".', wrong, grave=bool(opposite), more=not opposite)
        elif _last_cue(f, words) > last:
            yield Objection("left out", f'In the end it is "{f.words}".', tuple(opposite), grave=False)
        elif any(_another(a.args[0], answer) for a in opposite):
            yield Objection("left out", f'It says "{f.words}".', grave=False, more=True)


def _another(symbol: str, answer: _Answer) -> bool:
    """Whether the words name another thing of the same name that the answer is not about."""
    others = (s for s in answer.words.namesakes(symbol) if not any(s in a.args for a in answer.said))
    return any(singled_out(other, symbol, answer.words, answer.heard) for other in others)


def _not_moved(answer: _Answer) -> Iterator[Objection]:
    """Things that can be moved, and that words speak of which nothing in the answer takes up."""
    known = {*answer.things, *(s for thing in answer.things for s in answer.words.namesakes(thing))}
    taken = answer.covers(answer.things)
    missing = {s: n for s in answer.movable if s not in known and (n := answer.covers((*answer.things, s))) > taken}
    if missing:
        name = answer.words.name[max(missing, key=lambda s: missing[s])]
        stays = not any(_said_by(c, answer.placing) for c in answer.clauses)
        yield Objection("left out", f'It also says "{name}".', grave=False, more=stays)


_ADJECTIVE = re.compile(r"\b(the|an?|that is|already) (open(ed)?|closed|shut)\b")
"""Where a thing's state tells which one is meant."""
_NEVER = r"\b\B"
"""Matches nothing."""


def _last_cue(form: Form, text: str) -> int:
    """Where the words ask for a form last; -1 when they do not."""
    return max((found.start() for found in re.finditer(cue(form), text)), default=-1)


def _cued(form: Form, text: str) -> bool:
    """Whether the words have one of a form's cues."""
    return re.search(cue(form), affirmed(text)) is not None


