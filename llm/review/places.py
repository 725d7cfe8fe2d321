"""Places and relations that the words do not ask for while they ask for others."""

from __future__ import annotations

from collections.abc import Iterator

from llm.decoding import Clause
from llm.forms import Form
from llm.grammar import Language
from llm.review.answer import PRONOUN, Answer, Objection, cued, said_by
from llm.spatial_cues import Where, joined, mentions
from tamp.model.atoms import Atom


def misread(answer: Answer) -> Iterator[Objection]:
    """Relations that the words do not ask for while they ask for another: "in" where they say "on top of"."""
    # "Next to" in "the bowl next to the stove" tells which bowl.
    told = " ".join(map(answer.heard_as, answer.things))
    asked = [f for f in answer.placing if answer.asks(f) and (f.in_domain or not cued(f, told))]
    for c in answer.clauses:
        form, atom = said_by(c, answer.placing), c.atoms[0]
        # "Beside the plate, on its right" tells which side "beside" is.
        told_better = form and not form.in_domain and not form.side and any(f.side for f in asked)
        if form is None or (answer.asks(form) and not told_better):
            continue
        # "On" and "in" stand in many places of a sentence; "to the right of" tells more.
        others = [f for f in asked if f.side] or [f for f in asked if form.predicate == atom.predicate]
        if others and not any(_says_the_same(c, form, f, answer.allowed) for f in others):
            reason = f'The instruction says "{others[0].words}", not "{form.words}".'
            instead = [form] if others[0].in_domain else [f for f in answer.placing if f.in_domain or f is form]
            wrong = tuple(a for f in instead for a in answer.allowed.atoms[f.predicate] if a.args[0] == atom.args[0])
            yield Objection("misread relation", reason, wrong, grave=False)


def elsewhere(answer: Answer) -> Iterator[Objection]:
    """Places that the words name right after a relation, "on the stove", when nothing in the answer is put there.

    Not when something of the answer is there already: that tells which one is meant.
    """
    for c in (c for c in answer.clauses if answer.allowed.form(c.atoms[0].predicate) in answer.moving):
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


def _puts_there(c: Clause, where: Where, answer: Answer) -> bool:
    """Whether a clause puts something where the words say that something is put."""
    form = said_by(c, answer.placing)
    if form is None or c.atoms[0].args[-1] not in where.symbols:
        return False
    return where.form is None or (where.form.in_domain, where.form.side) == (form.in_domain, form.side)


def _not_there(item: str, places: frozenset[str], answer: Answer) -> tuple[Atom, ...]:
    """All ways to put a thing anywhere else than in some places; anywhere, when it is one of them itself."""
    about = [a for f in answer.moving for a in answer.allowed.atoms[f.predicate] if a.args[0] == item]
    return tuple(a for a in about if item in places or a.args[-1] not in places)


def _can_go(args: tuple[str, ...], form: Form, places: frozenset[str], answer: Answer) -> bool:
    """Whether one of some things can be put somewhere, and none is there, nor told apart by that."""
    if not form.in_domain and cued(form, " ".join(map(answer.heard_as, args))):
        return False
    forms = [f for f in answer.placing if f.in_domain] if form.in_domain else [form]
    every = (a for f in forms for a in answer.allowed.atoms[f.predicate])
    atoms = [a for a in every if a.args[0] in args and a.args[1] in places]
    true = {a.args for a in answer.allowed.true if any(a.predicate == f.predicate for f in answer.placing)}
    return bool(atoms) and not any((item, place) in true for item in args for place in places)


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


def crossed(answer: Answer) -> Iterator[Objection]:
    """Two things in two places, the other way round than the words have them, pair by pair."""
    pairs = [c.atoms[0].args for c in answer.clauses if said_by(c, answer.placing) and not c.together]
    symbols = {s for args in pairs for s in args}
    named = mentions(symbols, answer.text, answer.words)
    if len(pairs) != 2 or len(named) < 4:
        return
    items, order = {item for item, _ in pairs}, sorted(named, key=lambda s: named[s])
    in_pairs = [s in items for s in order] in ([True, False] * 2, [False, True] * 2)
    if in_pairs and set(pairs[0]) not in (set(order[:2]), set(order[2:])):
        wrong = tuple(c.atoms[0] for c in answer.clauses if len(c.atoms[0].args) > 1)
        yield Objection("misread thing", "The other way round.", wrong, grave=False, least=2)


def coordinated(answer: Answer) -> Iterator[Objection]:
    """One thing put on another that the words name beside it: "swap the milk and the mug" says the same of both."""
    if PRONOUN.search(answer.text):  # "the plate and the bowl on it"
        return
    pairs = list(joined(answer.text, answer.words))
    for c in (c for c in answer.clauses if said_by(c, answer.placing) and not c.together):
        item, place = c.atoms[0].args[0], c.atoms[0].args[-1]
        if any((item in a and place in b) or (item in b and place in a) for a, b in pairs):
            wrong = tuple(
                x for f in answer.placing for x in answer.allowed.atoms[f.predicate] if {*x.args} == {item, place}
            )
            yield Objection("misread relation", "It says the same of both things.", wrong)
