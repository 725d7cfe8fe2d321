"""What a goal of a domain can say: its predicates in words, with the types of what they are said of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from llm.vocabulary.names import own_words, plain
from llm.vocabulary.phrases import BENEATH, PLACES_IN_WORDS, TOP, SceneVocabulary
from tamp.files.source import Source
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.state import WorldState
from tamp.pddl.reading import parse
from tamp.perception.relations import SIDES, seen

AWAY = "put-away"
BELONGING = "belonging"
"""What is said where things belong somewhere, and the type of such things."""


@dataclass(frozen=True)
class Form:
    """A predicate that a goal may use. `types`: per argument, the types of the operators that add it. `said` is what
    the domain's own words have for it.

    `family` is shared by the predicates that cannot hold together of one first argument; "" for none. Its operators
    take those `after` which it comes.
    A form `of_things` relates them to other things, not to places. With a `side` it is of no predicate of the domain,
    and means the place on that side of a thing, by the predicate `carrier`.
    """

    predicate: str
    types: tuple[frozenset[str], ...]
    family: str = ""
    of_things: bool = False
    side: str | None = None
    carrier: str = ""
    said: str = ""
    after: frozenset[str] = frozenset()

    @property
    def words(self) -> str:
        """The predicate as English: "turned on"."""
        return self.said or plain(self.predicate)


@cache
def _effects(text: str, path: Path) -> tuple[dict[str, list[tuple[str, ...]]], list[tuple[str, str]]]:
    """What operators add: types by predicate, one tuple an operator; and (new, old): what is traded for what."""
    adds: dict[str, list[tuple[str, ...]]] = {}
    trades: list[tuple[str, str]] = []
    for action in parse(Source(str(path), text)).actions:
        gone = [e.fluent for e in action.effects if e.value.is_false()]
        for f in (e.fluent for e in action.effects if e.value.is_true()):
            adds.setdefault(f.fluent().name, []).append(tuple(a.type.name for a in f.args))
            trades += [(f.fluent().name, g.fluent().name) for g in gone if f.args and f.args[:1] == g.args[:1]]
    return adds, trades


def forms(domain: Domain) -> tuple[Form, ...]:
    """What a goal of this domain can say, in the order of its file: what its operators add, but for what its
    `words.toml` has no words for ("")."""
    adds, trades = _effects(domain.text, domain.path)
    family, own = _families(trades), own_words(domain).predicates
    related = seen(domain)
    return tuple(
        Form(
            name,
            tuple(map(frozenset, zip(*kinds, strict=True))),
            family.get(name, ""),
            of_things=name in related,
            said=own.get(name, ""),
            after=frozenset(old for new, old in trades if new == name),
        )
        for name in domain.predicates
        if (kinds := adds.get(name)) and domain.predicates[name].parameters and own.get(name) != ""
    )


def _families(trades: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Predicates joined, directly or through others, by operators that take one for the other."""
    family: dict[str, str] = {}
    for a, b in trades:
        old, new = family.get(b, b), family.get(a, a)
        family = {p: new if f == old else f for p, f in family.items()} | {a: new, b: new}
    return family


def _forms_beside(
    domain: Domain, known: tuple[Form, ...], state: WorldState, words: SceneVocabulary
) -> tuple[Form, ...]:
    """Places under and on things, which the domain has no predicate for, about whatever has a place; and where things
    belong."""
    placed = [f for f in known if len(f.types) == 2 and f.family and not f.of_things]
    if not placed:
        return ()
    first, said = placed[0], {f.words for f in known}
    away = Form(AWAY, (frozenset({BELONGING}),), side=AWAY, carrier=first.predicate)
    rooms = [state.symbols[r] for r in words.beneath.values()]
    within = (f.predicate for f in placed for r in rooms if any(domain.is_a(r, kind) for kind in f.types[1]))
    carriers = {TOP: first.predicate, BENEATH: next(within, "")}
    sides = (
        Form(place.replace(" ", "-"), first.types, first.family, True, side, carriers[side])
        for side, place in PLACES_IN_WORDS.items()
        if place not in said and carriers[side] and words.things
    )
    return (*sides, *[away] * bool(words.belongs))


@dataclass(frozen=True)
class Sayable:
    """What can be said of a scene: every form, and what each argument can be."""

    forms: tuple[Form, ...]
    symbols: dict[str, tuple[tuple[str, ...], ...]]
    words: SceneVocabulary
    state: WorldState

    def related(self, form: Form) -> tuple[Form, ...]:
        """The form, and those of its family that take as many things: "in the bowl" is `on` where bowls have no
        inside."""
        alike = [f for f in self.forms if f.family == form.family != "" and len(f.types) == len(form.types) > 1]
        return (form, *(f for f in alike if f is not form and not (f.of_things or form.of_things)))

    def argument(self, form: Form, n: int) -> tuple[str, ...]:
        """What argument `n` of a form, or of one of its family, can be."""
        return tuple(dict.fromkeys(s for f in self.related(form) for s in self.symbols[f.predicate][n]))

    def atom(self, form: Form, args: tuple[str, ...]) -> Atom | None:
        """What a form says of some symbols, in the domain's predicates; None when nothing there says it."""
        if form.side == AWAY:
            carrier = next(f for f in self.forms if f.predicate == form.carrier)
            ways = (self.atom(carrier, (args[0], place)) for place in self.words.belongs.get(args[0], ()))
            return next(filter(None, ways), None)
        if not form.side:
            for f in self.related(form):
                if all(a in some for a, some in zip(args, self.symbols[f.predicate], strict=True)):
                    return Atom(f.predicate, args) if self._can_be(args) else None
            return None
        place = self._place(form, args[1])
        known = place is not None and (place not in self.state.symbols or self._can_be((args[0], place)))
        return Atom(form.carrier, (args[0], str(place))) if form.carrier and known else None

    def _place(self, form: Form, thing: str) -> str | None:
        """The place on a side of a thing, under its board, or on top of it; None where there is no such."""
        if form.side == BENEATH:
            return self.words.beneath.get(thing)
        if form.side == TOP:
            return thing if thing in self.symbols[form.carrier][1] else self.words.above.get(thing)
        return None

    def _can_be(self, args: tuple[str, ...]) -> bool:
        """Whether a thing can be there: not in or on itself, nor in its own inside."""
        return len(set(args)) == len(args) and args[-1] not in self.words.inside.get(args[0], ())


def sayable(domain: Domain, state: WorldState, words: SceneVocabulary) -> Sayable:
    """What an instruction can ask for in a scene."""
    known = forms(domain)
    further = seen(domain) - {*SIDES}  # after what models were taught
    every = tuple(sorted((*known, *_forms_beside(domain, known, state, words)), key=lambda f: f.predicate in further))

    def fitting(kinds: frozenset[str]) -> tuple[str, ...]:
        return tuple(s for s, t in state.symbols.items() if any(domain.is_a(t, kind) for kind in kinds))

    symbols: dict[str, tuple[tuple[str, ...], ...]] = {}
    for f in every:
        first, *rest = map(fitting, f.types)
        # What has an inside of its own that is always open is not stood on.
        symbols[f.predicate] = (first, *(tuple(s for s in some if not words.inside.get(s)) for some in rest))
    symbols |= {AWAY: (tuple(words.belongs),)} if words.belongs else {}
    for f in (f for f in every if f.of_things and f.types):
        symbols[f.predicate] = (symbols[f.predicate][0], *(words.things for _ in f.types[1:]))
    for f in every:
        if f.side == TOP:
            everywhere = dict.fromkeys((*symbols[f.carrier][1], *words.above))
            symbols[f.predicate] = (symbols[f.predicate][0], tuple(everywhere))
    return Sayable(every, symbols, words, state)
