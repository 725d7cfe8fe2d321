"""What a goal of a domain can say: its predicates in words, with the types of what they are said of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from llm.lexicon import BENEATH, CUES, PREPOSITIONS, RELATIVE_PLACES, TOP
from llm.own_verbs import beyond, naming_verbs, verb_pattern
from llm.own_words import own_words
from llm.phrases import Vocabulary
from llm.words import content, mentioned
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.state import WorldState
from tamp.pddl.reading import parse
from tamp.pddl.source import Source
from tamp.perception.relative_places import SIDES

_NEVER = r"\b\B"
"""Matches nothing."""


@dataclass(frozen=True)
class Form:
    """A predicate that a goal may use. `types`: per argument, the types of the operators that add it. `said` is what
    the domain's own words have for it.

    `family` is shared by the predicates that cannot hold together of one first argument; "" for none.
    A form that is not `in_domain` is of no predicate of the domain. It is said of a thing and means the
    place on that `side` of it, by the predicate `carrier`; without a side it is understood, so as to be refused.
    `verbs` are the stems of verbs that name the predicate, where no words for it are listed.
    """

    predicate: str
    types: tuple[frozenset[str], ...]
    family: str = ""
    in_domain: bool = True
    side: str | None = None
    carrier: str = ""
    said: str = ""
    verbs: frozenset[str] = frozenset()

    @property
    def words(self) -> str:
        """The predicate as English: "turned on"."""
        return self.said or self.predicate.replace("-", " ").replace("_", " ")

    def head(self, subject: str, verb: str = "is") -> str:
        """A clause up to its second argument: "the bowl is on the", "the stove is turned on"."""
        return f"the {subject} {verb} {self.words}{' the' if len(self.types) > 1 else ''}"

    @property
    def says_where(self) -> bool:
        """Whether it is known which place is meant: that is not so of "next to"."""
        return self.in_domain or self.side is not None


@dataclass(frozen=True)
class _Effects:
    """What operators add: types by predicate, one tuple an operator; the first of each; what is traded; the verbs that
    name each."""

    adds: dict[str, tuple[tuple[str, ...], ...]]
    purposes: frozenset[str]
    trades: tuple[tuple[str, str], ...]
    verbs: Mapping[str, frozenset[str]]


@cache
def _effects(text: str, path: Path) -> _Effects:
    adds: dict[str, list[tuple[str, ...]]] = {}
    trades: list[tuple[str, str]] = []
    purposes = set()
    named: list[tuple[str, list[str]]] = []
    for action in parse(Source(str(path), text)).actions:
        added = [e.fluent for e in action.effects if e.value.is_true()]
        gone = [e.fluent for e in action.effects if e.value.is_false()]
        purposes |= {f.fluent().name for f in added[:1]}
        named.append((action.name, [f.fluent().name for f in added]))
        for f in added:
            adds.setdefault(f.fluent().name, []).append(tuple(a.type.name for a in f.args))
            trades += [(f.fluent().name, g.fluent().name) for g in gone if f.args and f.args[:1] == g.args[:1]]
    types = {p: tuple(kinds) for p, kinds in adds.items()}
    return _Effects(types, frozenset(purposes), tuple(trades), naming_verbs(named))


def forms(domain: Domain, text: str = "") -> tuple[Form, ...]:
    """What a goal of this domain can say, in the order of its file.

    What an operator is for is the effect it lists first. What it only brings about besides ("the plate is
    clear") can be asked for by its own word, or by the operator's, in the instruction `text`.
    """
    effects, words = _effects(domain.text, domain.path), Counter(content(text))
    verbs = {p: effects.verbs.get(p, frozenset()) for p in effects.adds if p not in CUES}
    family, own = _families(effects.trades), own_words(domain).predicates
    return tuple(
        Form(
            name,
            tuple(map(frozenset, zip(*effects.adds[name], strict=True))),
            family.get(name, ""),
            said=own.get(name, ""),
            verbs=verbs.get(name, frozenset()),
        )
        for name in domain.predicates
        if name in effects.adds and domain.predicates[name].parameters
        if name in effects.purposes or mentioned(name.replace("-", " "), words) or names(verbs.get(name), text)
    )


def names(verbs: frozenset[str] | None, text: str) -> bool:
    """Whether a text has one of some verbs."""
    return bool(verbs) and re.search(verb_pattern(verbs or ()), text.lower()) is not None


def elsewhere(forms: Iterable[Form], text: str) -> str:
    """A text without the clauses in which a verb names one of some forms."""
    verbs = frozenset[str]().union(*(f.verbs for f in forms))
    return beyond(text, verb_pattern(verbs)) if verbs else text


def asked_by_verbs(every: tuple[Form, ...], text: str) -> tuple[Form, ...]:
    """The forms that the verbs of a text name, where nothing else is said in it; all of them where something is."""
    named = tuple(f for f in every if names(f.verbs, text))
    return every if not named or content(elsewhere(named, text)) else named


def _families(trades: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Predicates joined, directly or through others, by operators that take one for the other."""
    family: dict[str, str] = {}
    for a, b in trades:
        old, new = family.get(b, b), family.get(a, a)
        family = {p: new if f == old else f for p, f in family.items()} | {a: new, b: new}
    return family


def forms_beside(domain: Domain, known: tuple[Form, ...], state: WorldState, words: Vocabulary) -> tuple[Form, ...]:
    """Places beside things, which the domain has no predicate for, about whatever has a place."""
    placed = [f for f in known if len(f.types) == 2 and f.family]
    if not placed or not words.things:
        return ()
    first, said = placed[0], {f.words for f in known}
    rooms = [state.symbols[r] for r in words.beneath.values()]
    within = (f.predicate for f in placed for r in rooms if any(domain.is_a(r, kind) for kind in f.types[1]))
    carriers = dict.fromkeys((*SIDES, TOP), first.predicate) | {BENEATH: next(within, "")}
    return tuple(
        Form(place.replace(" ", "-"), first.types, first.family, False, side, carriers.get(str(side), ""))
        for place, side in RELATIVE_PLACES.items()
        if place not in said
    )


def asks(form: Form, text: str) -> Iterator[re.Match[str]]:
    """Where a text has a preposition for a form."""
    return re.finditer(PREPOSITIONS.get(form.predicate, _NEVER), text.lower())


def is_asked(form: Form, text: str) -> bool:
    """Whether a text has one."""
    return any(True for _ in asks(form, text))


def _asked(every: tuple[Form, ...], text: str) -> tuple[Form, ...]:
    """Those that a text may ask for: a preposition of another place than it names is not meant.

    Prepositions are a closed class, so that their words can be listed; what states are called cannot. Those of a verb
    that names another form are its own.
    """
    rest = elsewhere(every, text)
    cued = {f.predicate for f in every if is_asked(f, rest)}
    placed = {f.predicate for f in every if f.in_domain and len(f.types) > 1 and f.predicate in PREPOSITIONS}
    open_class = {f.predicate for f in every if f.in_domain and (f.predicate not in placed or not cued & placed)}
    return tuple(f for f in every if f.predicate in cued | open_class and f.says_where)


@dataclass(frozen=True)
class Sayable:
    """What can be said of a scene: every form, those that the words may ask for, and what each argument can be.

    `families` are forms of the domain that say where one thing is, so that one can stand for another: "in the bowl"
    is `on` where bowls have no inside.
    """

    forms: tuple[Form, ...]
    asked: tuple[Form, ...]
    symbols: dict[str, tuple[tuple[str, ...], ...]]
    words: Vocabulary
    state: WorldState

    @property
    def asks_beside(self) -> bool:
        """Whether the words may ask for a place on a side of a thing."""
        return any(f.side in SIDES for f in self.asked)

    def by_words(self, said: str) -> Form:
        """The form that is said in these words."""
        return next(f for f in self.forms if f.words == said)

    def related(self, form: Form) -> tuple[Form, ...]:
        """The form, and those of its family that take as many things."""
        alike = [f for f in self.forms if f.family == form.family != "" and len(f.types) == len(form.types) > 1]
        return (form, *(f for f in alike if f is not form and f.in_domain and form.in_domain))

    def argument(self, form: Form, n: int) -> tuple[str, ...]:
        """What argument `n` of a form, or of one of its family, can be."""
        return tuple(dict.fromkeys(s for f in self.related(form) for s in self.symbols[f.predicate][n]))

    def atom(self, form: Form, args: tuple[str, ...]) -> Atom | None:
        """What a form says of some symbols, in the domain's predicates; None when nothing there says it."""
        if form.in_domain:
            found = next((f for f in self.related(form) if self._fits(f, args)), None)
            return Atom(found.predicate, args) if found and self._can_be(args) else None
        place = self._place(form, args[1])
        known = place is not None and (place not in self.state.symbols or self._can_be((args[0], place)))
        return Atom(form.carrier, (args[0], str(place))) if form.carrier and known else None

    def _place(self, form: Form, thing: str) -> str | None:
        """The place on a side of a thing, under its board, or on top of it; None where there is no such."""
        if form.side == BENEATH:
            return self.words.beneath.get(thing)
        if form.side == TOP:
            return thing if thing in self.symbols[form.carrier][1] else self.words.above.get(thing)
        return f"{form.side}-{thing}" if form.side else None

    def _fits(self, form: Form, args: tuple[str, ...]) -> bool:
        return all(a in some for a, some in zip(args, self.symbols[form.predicate], strict=True))

    def _can_be(self, args: tuple[str, ...]) -> bool:
        """Whether a thing can be there: not in or on itself; what has an inside of its own is not stood on."""
        inside = self.words.inside
        own = {s: owner for owner, some in inside.items() for s in some}
        return len(set(args)) == len(args) and own.get(args[-1]) != args[0]


def sayable(domain: Domain, state: WorldState, words: Vocabulary, text: str) -> Sayable:
    """What an instruction `text` can ask for in a scene: of places beside things, those that it has a word for."""
    known = forms(domain, text)
    every = (*known, *forms_beside(domain, known, state, words))

    def of_types(kinds: frozenset[str]) -> tuple[str, ...]:
        return tuple(s for s, t in state.symbols.items() if any(domain.is_a(t, kind) for kind in kinds))

    def not_vessels(symbols: tuple[str, ...]) -> tuple[str, ...]:
        """What has an inside of its own that is always open is not stood on."""
        return tuple(s for s in symbols if not words.inside.get(s))

    symbols = {f.predicate: tuple(map(of_types, f.types)) for f in every}
    symbols |= {p: (first, *map(not_vessels, rest)) for p, (first, *rest) in symbols.items()}
    symbols |= {f.predicate: (symbols[f.predicate][0], words.things) for f in every if not f.in_domain}
    stood_on = [f.carrier for f in every if f.side == TOP]
    everywhere = tuple(dict.fromkeys((*(s for p in stood_on for s in symbols[p][1]), *words.above)))
    symbols |= {f.predicate: (symbols[f.predicate][0], everywhere) for f in every if f.side == TOP}
    return Sayable(every, _asked(asked_by_verbs(every, text), text), symbols, words, state)
