"""The answer language: what a goal can say in this scene, in phrases, derived from the domain file.

A predicate can be a goal when some operator adds it to something that can be named; its arguments have the
types of those operators. Predicates that operators trade for one another about the same thing (`open` for
`closed`; `holding` for `on`) exclude each other, and so does the same one twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, replace

from llm.forms import Form, asked_by_verbs, forms, forms_beside
from llm.lexicon import BENEATH, TOP
from llm.phrases import Vocabulary, is_part
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.state import WorldState
from tamp.perception.relative_places import SIDES

MAX_CLAUSES = 3


@dataclass(frozen=True)
class Language:
    """Every clause that may be said: `atoms` in the scene's order, by the form that says them.

    A phrase that fits several things means those of which the clause is not `true` already: "the drawer is
    closed" is about the open one. One that still fits several cannot be said, unless `shared`: then the
    clause means one of several atoms.
    """

    forms: tuple[Form, ...]
    atoms: dict[str, tuple[Atom, ...]]
    vocabulary: Vocabulary
    true: frozenset[Atom]
    shared: bool = False

    def form(self, predicate: str) -> Form:
        """The form of a predicate."""
        return next(f for f in self.forms if f.predicate == predicate)

    def meant(self, said: Atom) -> Atom | None:
        """What is said, in the domain's predicates: "the cup is behind the pot" is `(on cup behind-pot)`.

        None when nothing in the domain says it.
        """
        form = self.form(said.predicate)
        if form.in_domain:
            return said
        item, thing = said.args
        place = self.vocabulary.beneath.get(thing) if form.side == BENEATH else f"{form.side}-{thing}"
        return Atom(form.carrier, (item, place)) if form.carrier and form.side and place else None

    def said(self, meant: Atom) -> Atom:
        """The opposite of `meant`."""
        beside = (a for f in self.forms if f.side in SIDES for a in self.atoms[f.predicate])
        return next((a for a in beside if self.meant(a) == meant), meant)

    def without(self, said: Iterable[Atom]) -> Language:
        """What may be said next: nothing twice, and nothing that contradicts what was said."""
        said = set(said)
        taken = {(self.form(a.predicate).family, a.args[0]) for a in said}
        owner = {place: thing for thing, own in self.vocabulary.inside.items() for place in own}
        pairs = [a.args for a in said if len(a.args) == 2 and self.form(a.predicate).family]
        carriers = {item: owner.get(place, place) for item, place in pairs}

        def free(a: Atom, family: str) -> bool:
            if a in said or (family and (family, a.args[0]) in taken):
                return False
            place = owner.get(a.args[-1], a.args[-1])
            return not family or a.args[0] not in _chain(place, carriers) or len(a.args) == 1

        atoms = {f.predicate: tuple(a for a in self.atoms[f.predicate] if free(a, f.family)) for f in self.forms}
        return replace(self, atoms=atoms)

    def excluding(self, wrong: Set[Atom], barred: Set[str]) -> Language:
        """What may be said apart from some atoms and what is about some symbols."""

        def left(a: Atom) -> bool:
            return a not in wrong and barred.isdisjoint(a.args)

        return replace(self, atoms={p: tuple(filter(left, some)) for p, some in self.atoms.items()})

    def heads(self) -> dict[str, tuple[Atom, ...]]:
        """First halves of clauses, "the black bowl is on the", and what each may mean."""
        out: dict[str, tuple[Atom, ...]] = {}
        for f in self.forms:
            atoms = self._sayable(f)
            by_subject: dict[str, list[Atom]] = {}
            for a in atoms:
                by_subject.setdefault(a.args[0], []).append(a)
            for text, some in self.vocabulary.fitting(frozenset(by_subject)).items():
                pending = [s for s in some if not self.true.issuperset(by_subject[s])] or some
                if len(pending) == 1 or self.shared:
                    out[f.head(text)] = tuple(a for s in pending for a in by_subject[s])
            for text, all_ in self.vocabulary.plural.items():
                if by_subject.keys() >= set(all_):
                    out[f.head(text, "are")] = tuple(a for s in all_ for a in by_subject[s])
        return out

    def tails(self, head: str) -> dict[str, tuple[Atom, ...]]:
        """Second halves for a first half: "plate". Empty when the head says it all."""
        form = next(f for f in self.forms if head.endswith((f.head("", "is")[4:], f.head("", "are")[4:])))
        meant = self.heads()[head]
        if len(form.types) == 1:
            return {}
        own = tuple(a for a in meant if a.predicate == form.predicate)
        other = tuple(a for a in meant if a.predicate != form.predicate)
        proper = self.vocabulary.fitting(frozenset(a.args[1] for a in own))
        loose = {t: atoms for t, atoms in self._tails(other, form).items() if t not in proper and not is_part(t)}
        said = loose | self._tails(own, form)
        return said if said or self.shared else replace(self, shared=True).tails(head)

    def _tails(self, meant: tuple[Atom, ...], form: Form) -> dict[str, tuple[Atom, ...]]:
        fitting = self.vocabulary.fitting(frozenset(a.args[1] for a in meant))
        return {
            text: tuple(a for a in meant if a.args[1] in some)
            for text, some in fitting.items()
            if len(some) == 1 or self.shared or not (form.in_domain or form.side)
        }

    def _sayable(self, form: Form) -> tuple[Atom, ...]:
        """The atoms of a form, and those of its family: "in the bowl" is `on` where bowls have no inside."""
        related = [
            f
            for f in self.forms
            if form.family == f.family != "" and len(form.types) == len(f.types) == 2 and form.in_domain == f.in_domain
        ]
        others = tuple(a for f in related if f is not form for a in self.atoms[f.predicate])
        return self.atoms[form.predicate] + (others if form.in_domain else ())


def _chain(symbol: str, carriers: dict[str, str]) -> list[str]:
    """`symbol`, what carries it, what carries that, and so on."""
    chain = [symbol]
    while chain[-1] in carriers and carriers[chain[-1]] not in chain:
        chain.append(carriers[chain[-1]])
    return chain


def language(domain: Domain, state: WorldState, vocabulary: Vocabulary, text: str, *, again: bool = False) -> Language:
    """The clauses about the symbols of `state` that the instruction `text` may ask for.

    Where things are already is left out, as a small model likes to repeat it, and so are phrases that fit
    several things, as it likes to be vague; `again` leaves both in.
    """
    known = tuple(f for f in forms(domain, text) if len(f.types) <= 2)
    beside = (f for f in forms_beside(domain, known, state, vocabulary) if f.side != TOP)
    found = asked_by_verbs((*known, *beside), text)
    symbols = {f.predicate: _symbols(f, domain, state, vocabulary) for f in found}
    offered = _offered(vocabulary, domain, state, again)
    atoms = {p: tuple(a for a in _ground(p, kinds) if offered(a)) for p, kinds in symbols.items()}
    return Language(found, atoms, vocabulary.of_several(text), state.atoms, shared=again)


def _offered(vocabulary: Vocabulary, domain: Domain, state: WorldState, again: bool) -> Callable[[Atom], bool]:
    """Whether an atom can be asked for. What has an inside of its own is not stood on, and is not in itself."""
    inside = {s: owner for owner, own in vocabulary.inside.items() for s in own}

    def offered(a: Atom) -> bool:
        if len(a.args) == 1:
            return True
        item, place = a.args
        vessel = place in state.symbols and place in inside.values() and a.predicate in domain.predicates
        return not vessel and inside.get(place) != item and (again or a not in state.atoms)

    return offered


def _symbols(form: Form, domain: Domain, state: WorldState, vocabulary: Vocabulary) -> list[list[str]]:
    """What each argument of a form can be: symbols of its types; beside what, any thing that stands somewhere."""
    symbols = state.symbols.items()
    typed = [[s for s, t in symbols if any(domain.is_a(t, kind) for kind in kinds)] for kinds in form.types]
    return typed if form.in_domain else [typed[0], list(vocabulary.things)]


def _ground(predicate: str, symbols: list[list[str]]) -> list[Atom]:
    if len(symbols) == 1:
        return [Atom(predicate, (s,)) for s in symbols[0]]
    return [Atom(predicate, (a, b)) for a in symbols[0] for b in symbols[1] if a != b]


def pattern(texts: Iterable[str], ends: str = "") -> str:
    """A regular expression for one of `texts`, then one character of `ends` if any."""
    options = "|".join(re.escape(t).replace("\\ ", " ") for t in sorted(texts))
    return f"({options})" + (f"[{re.escape(ends)}]" if ends else "")
