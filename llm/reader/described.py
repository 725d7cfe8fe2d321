"""A scene, or a problem without geometry, as the setting that a reader is shown, and back: names to symbols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from llm.forms import Form, Sayable
from llm.phrases import Vocabulary
from llm.reader.setting import THING, Member, Setting, Signature, plural
from tamp.model.domain import Domain

MARKS = 4
"""Ways to single a thing out among its namesakes that are listed with it."""


@dataclass(frozen=True, eq=False)
class Described:
    """`setting`, the `symbols` that each of its names stands for, and the form that each of its predicates is."""

    setting: Setting
    symbols: dict[str, tuple[str, ...]]
    forms: dict[str, Form]


def described(domain: Domain, can: Sayable, now: str = "") -> Described:
    """What can be said of a scene, as a setting. A thing and the one place on or in it that is called alike are one."""
    forms = _sayable(can)
    symbols = _symbols(can.words, can.state.symbols)
    name_of = {s: name for name, some in symbols.items() for s in some}
    known = {t for f in forms.values() for kinds in f.types for t in kinds}
    members = tuple(
        Member(
            name, tuple(_facts(some, name_of, can, forms)), _types(some, known, domain, can), _group(name, some, can)
        )
        for name, some in symbols.items()
    )
    signatures = tuple(Signature(words, _argument_types(form)) for words, form in forms.items())
    return Described(Setting(members, signatures, now=now), symbols, forms)


def _sayable(can: Sayable) -> dict[str, Form]:
    """The forms that can be said of something here, by their words; one for each side of things."""
    possible = [f for f in can.forms if all(can.symbols[f.predicate])]
    sides = {f.side: f for f in reversed(possible) if f.side}
    return {f.words: f for f in possible if f.side is None or sides[f.side] is f}


def _symbols(words: Vocabulary, kinds: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """Names that are unique, with the symbols that each stands for."""
    found: dict[str, list[str]] = {}
    for symbol in dict.fromkeys((*kinds, *words.things)):
        owner = words.owner.get(symbol, symbol)
        on_top = owner not in kinds and words.above.get(owner) == symbol
        found.setdefault(_plain(words.name[owner if on_top else symbol], words, symbol), []).append(symbol)
    return {name: tuple(some) for name, some in found.items()}


def _plain(name: str, words: Vocabulary, symbol: str) -> str:
    """A name that a program can hold: "white yellow mug", of a thing "between the cup and the plate" another phrase."""
    alone = [p for p, all_ in words.phrases.items() if all_ == (symbol,) and " and " not in p]
    if " between " in name:
        name = next(iter(alone), symbol.replace("_", " "))
    return name.replace(" and ", " ")


def _types(some: Iterable[str], known: set[str], domain: Domain, can: Sayable) -> frozenset[str]:
    kinds = {can.state.symbols[s] for s in some if s in can.state.symbols}
    return frozenset(t for t in known for kind in kinds if domain.is_a(kind, t)) or frozenset({THING})


def _argument_types(form: Form) -> tuple[frozenset[str], ...]:
    return form.types if form.in_domain else (form.types[0], frozenset({THING}))


def _group(name: str, some: tuple[str, ...], can: Sayable) -> str:
    """The plural of what a thing is called apart from what tells it from others."""
    part = any(s in can.words.owner and can.words.owner[s] not in some for s in some)
    called = [p for s in some for p in can.words.calling(s) if name.endswith(p) or name.startswith(p)]
    head = name if part else min(called, key=len, default=name)
    return plural(head.partition(" of the ")[0].split()[-1])


def _facts(some: tuple[str, ...], name_of: dict[str, str], can: Sayable, forms: dict[str, Form]) -> Iterator[str]:
    words = {f.predicate: said for said, f in forms.items() if f.in_domain}
    owner = next((o for s in some if (o := can.words.owner.get(s)) in name_of and o not in some), None)
    if owner is not None:
        yield f"of {name_of[owner]}"
    for a in sorted(can.state.atoms, key=str):
        if a.predicate in words and a.args[0] in some and all(s in name_of for s in a.args):
            yield " ".join((words[a.predicate], *(name_of[s] for s in a.args[1:])))
    yield from _marks(some, name_of, can)


def _marks(some: tuple[str, ...], name_of: dict[str, str], can: Sayable) -> Iterator[str]:
    """Where a thing is among its namesakes: "left", "next to the plate"."""
    symbol = some[0]
    rivals = can.words.namesakes(symbol)
    if not rivals or symbol in can.words.owner:
        return
    nouns = [p for p in can.words.calling(symbol) if len(can.words.phrases[p]) > 1]
    alone = [p for p in can.words.calling(symbol) if can.words.phrases[p] == (symbol,) and p != name_of[symbol]]
    told = tuple(f"{f.words} " for f in can.forms if f.in_domain)  # where a thing is, its facts say
    marks = dict.fromkeys(p.replace(n, "").strip() for n in sorted(nouns, key=len)[-1:] for p in alone if n in p)
    yield from [m for m in marks if m and not m.startswith(told) and m not in name_of[symbol]][:MARKS]
