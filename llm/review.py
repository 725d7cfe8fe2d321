"""What the words say against an answer. They never choose a goal: they can only send an answer back.

An objection names what is wrong, for the model and for people, and which atoms are not to be said again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from llm.decoding import Clause
from llm.grammar import Form, Language
from llm.lexicon import CUES, HINTS
from llm.reference import coverage, heard_as, heard_in, rivals, singled_out, things_of
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


def objections(text: str, clauses: tuple[Clause, ...], allowed: Language) -> tuple[Objection, ...]:
    """Everything that the instruction `text` says against an answer, the gravest first."""
    said = tuple(a for c in clauses for a in c.meaning)
    found = [
        *_unmentioned(text, clauses, said, allowed),
        *_better(text, clauses, said, allowed),
        *_misread(text, clauses, allowed),
        *_uncalled(text, said, allowed),
        *_left_out(text, said, allowed),
        *_not_moved(text, said, allowed),
    ]
    return tuple(sorted(found, key=lambda o: not o.grave))


def _unmentioned(
    text: str, clauses: tuple[Clause, ...], said: tuple[Atom, ...], allowed: Language
) -> Iterator[Objection]:
    """Things in the answer that no word stands for, or only words that stand for a namesake in it."""
    words, heard = allowed.vocabulary, Counter(content(text))
    unknown = {s for s in words.name if not mentioned_in_part(words.calling(s), heard)}
    spare = _spare(text, clauses, said, allowed)
    for symbol in things_of(said, words):
        if symbol in unknown or symbol in spare:
            name = f"the {words.name[symbol]}"
            barred = frozenset({symbol, *unknown})
            yield Objection("unmentioned", f"The instruction does not say {name}.", barred=barred, strange=name)


def _spare(text: str, clauses: tuple[Clause, ...], said: tuple[Atom, ...], allowed: Language) -> set[str]:
    """Things that take up no word which their namesakes in the answer leave; the last ones of equals."""
    words, heard = allowed.vocabulary, heard_in(text, allowed)
    movable = {a.args[0] for f in allowed.forms if len(f.types) > 1 for a in allowed.atoms[f.predicate]}
    together = {s for c in clauses if c.together for a in c.atoms for s in a.args}
    kept, spare = things_of(said, words), set()
    for symbol in reversed(kept):
        rest = tuple(s for s in kept if s != symbol)
        namesakes = set(words.namesakes(symbol)) & set(rest)
        alike = any(words.kind.get(s) == words.kind.get(symbol) for s in namesakes)
        pronoun = _ANOTHER if symbol in movable or alike else _PRONOUN
        doubled = namesakes and symbol not in together and not pronoun.search(text)
        if doubled and coverage(rest, words, heard) == coverage(kept, words, heard):
            kept = rest
            spare.add(symbol)
    return spare


_ANOTHER = re.compile(r"\b(one|ones|other|another)\b", re.IGNORECASE)
"""With one of these a thing can be meant that has no noun of its own in the instruction."""
_PRONOUN = re.compile(r"\b(it|its|them|one|ones|other|another|there)\b", re.IGNORECASE)
"""The same of a place: "on top of it"."""


def _better(text: str, clauses: tuple[Clause, ...], said: tuple[Atom, ...], allowed: Language) -> Iterator[Objection]:
    """Namesakes of a thing in the answer that the words fit better."""
    better = [r for r in rivals(text, said, allowed) if r.gain > 0]
    if better and not any(c.together for c in clauses):
        # The last of equals: a small model is right first, and then repeats itself.
        best, heard = max(reversed(better), key=lambda r: r.gain), heard_in(text, allowed)
        not_this, this = (heard_as(s, allowed.vocabulary, heard) for s in (best.symbol, best.other))
        reason = f"Not the {not_this}: the {this}."
        if best.everywhere:
            yield Objection("misread thing", reason, barred=frozenset({best.symbol}))
        else:
            yield Objection("misread thing", reason, tuple(set(said) - set(best.said)))


def _misread(text: str, clauses: tuple[Clause, ...], allowed: Language) -> Iterator[Objection]:
    """Relations that the words do not ask for while they ask for another: "in" where they say "on top of"."""
    placing = [f for f in allowed.forms if len(f.types) > 1]
    words, heard = allowed.vocabulary, heard_in(text, allowed)
    things = things_of((a for c in clauses for a in c.meaning), words)
    # "Next to" in "the bowl next to the stove" tells which bowl.
    told = " ".join(heard_as(s, words, heard) for s in things)
    for c in clauses:
        form, atom = _said_by(c, placing), c.atoms[0]
        if form is None or _cued(form, text):
            continue
        cued = [f for f in placing if f is not form and _cued(f, text) and (f.in_domain or not _cued(f, told))]
        # "On" and "in" stand in many places of a sentence; "to the right of" tells more.
        others = [f for f in cued if f.side] or [f for f in cued if form.predicate == atom.predicate]
        if others and not any(_says_the_same(c, form, f, allowed) for f in others):
            reason = f'The instruction says "{others[0].words}", not "{form.words}".'
            instead = [form] if others[0].in_domain else [f for f in placing if f.in_domain or f is form]
            wrong = tuple(a for f in instead for a in allowed.atoms[f.predicate] if a.args[0] == atom.args[0])
            yield Objection("misread relation", reason, wrong, grave=False)


def _said_by(c: Clause, placing: list[Form]) -> Form | None:
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


def _uncalled(text: str, said: tuple[Atom, ...], allowed: Language) -> Iterator[Objection]:
    """States, and what is to stay in the hand, which no word asks for."""
    for f in allowed.forms:
        answered = len(f.types) == 1 and any(a.predicate == f.predicate for a in said)
        if answered and not _cued(f, text) and not re.search(HINTS.get(f.predicate, r"\b\B"), text.lower()):
            reason = f'The instruction does not say "{f.words}".'
            yield Objection("misread relation", reason, allowed.atoms[f.predicate])


def _left_out(text: str, said: tuple[Atom, ...], allowed: Language) -> Iterator[Objection]:
    """States that are asked for by their own verb and not in the answer: "open the drawer and put the bowl in it".

    Grave when the answer has the opposite instead, which no word asks for. Of "open it, …, and shut it" the last
    counts: how it is in between is no goal.
    """
    moved = {f.family for f in allowed.forms if len(f.types) > 1}
    states = [f for f in allowed.forms if len(f.types) == 1 and f.family not in moved]
    plain = _ADJECTIVE.sub("", text.lower())
    for f in (f for f in states if _cued(f, plain) and not any(a.predicate == f.predicate for a in said)):
        opposite = [a for a in said if allowed.form(a.predicate).family == f.family]
        others = [o for o in states if o is not f and o.family == f.family]
        last = max((_last_cue(o, plain) for o in others), default=-1)
        if not opposite or last < 0:
            wrong = tuple(a for o in others for a in allowed.atoms[o.predicate])
            yield Objection("left out", f'It says "{f.words}".', wrong, grave=bool(opposite), more=not opposite)
        elif _last_cue(f, plain) > last:
            yield Objection("left out", f'In the end it is "{f.words}".', tuple(opposite), grave=False)
        elif any(_another(a.args[0], said, text, allowed) for a in opposite):
            yield Objection("left out", f'It says "{f.words}".', grave=False, more=True)


def _another(symbol: str, said: tuple[Atom, ...], text: str, allowed: Language) -> bool:
    """Whether the words name another thing of the same kind that the answer is not about."""
    words, heard = allowed.vocabulary, heard_in(text, allowed)
    things = {s for a in said for s in a.args}
    return any(singled_out(other, symbol, words, heard) for other in words.namesakes(symbol) if other not in things)


def _not_moved(text: str, said: tuple[Atom, ...], allowed: Language) -> Iterator[Objection]:
    """Things that can be moved, and that words speak of which nothing in the answer takes up."""
    words, heard = allowed.vocabulary, heard_in(text, allowed)
    things = things_of(said, words)
    known = {*things, *(s for thing in things for s in words.namesakes(thing))}
    placed = dict.fromkeys(a.args[0] for f in allowed.forms if len(f.types) > 1 for a in allowed.atoms[f.predicate])
    taken = coverage(things, words, heard)
    for item in placed:
        if item not in known and coverage((*things, item), words, heard) > taken:
            yield Objection("left out", f'It also says "{words.name[item]}".', grave=False)
            return


def _last_cue(form: Form, text: str) -> int:
    """Where the words ask for a form last; -1 when they do not."""
    return max((found.start() for found in re.finditer(_cue(form), text)), default=-1)


_ADJECTIVE = re.compile(r"\b(the|an?|that is|already) (open(ed)?|closed|shut)\b")
"""Where a thing's state tells which one is meant."""


def _cued(form: Form, text: str) -> bool:
    """Whether the words have one of a form's cues."""
    return re.search(_cue(form), text.lower()) is not None


def _cue(form: Form) -> str:
    return CUES.get(form.predicate, rf"\b{re.escape(form.words)}\b")
