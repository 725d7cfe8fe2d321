"""The scene in words: which phrase means which symbol.

Every symbol gets a unique referring expression, and synonyms of it. Phrases that fit several symbols ("bowl"
with two bowls) are kept as well, with all that they fit: an answer that uses one is ambiguous, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from llm.vocabulary.names import BOARDS, OwnWords, nouns, own_words
from llm.vocabulary.relations import templates
from tamp.model.domain import Domain
from tamp.model.scene import Region, Scene, SceneObject
from tamp.model.state import WorldState
from tamp.perception.relative_places import SIDES, things

_FILLER = frozenset({"region", "contain", "heating", "cook", "side", "site"})
"""Words of region names that tell a modeller something and a speaker nothing."""

_POSITIONS = {"top": ("top", "upper"), "bottom": ("bottom", "lower")}

BENEATH, TOP = "beneath", "top"
SIDES_IN_WORDS = {
    "left-of": "to the left of",
    "right-of": "to the right of",
    "front-of": "to the front of",
    "behind": "behind",
    BENEATH: "under",
    TOP: "on top of",
}
"""What a place on a side of a thing (`tamp.perception.relative_places.SIDES`) is called, beneath its board, on top."""

LISTED = 40
"""Names in an inventory."""

Fits = dict[str, list[str]]


@dataclass(frozen=True)
class SceneVocabulary:
    """`phrases`: text to the symbols it fits, in the scene's order.

    `name` is each symbol's own phrase, which fits nothing else of its type. `things` are the objects beside which
    something can be put; they have phrases too, those that are no symbols as well. `inside` are each object's own
    interiors that are always open, `beneath` the room under an object's board, `owner` the object that a place is of,
    `above` the topmost surface of the thing that an interior, or a board's room, is in.
    """

    phrases: dict[str, tuple[str, ...]]
    name: dict[str, str]
    things: tuple[str, ...] = ()
    inside: dict[str, tuple[str, ...]] = field(default_factory=dict)
    beneath: dict[str, str] = field(default_factory=dict)
    owner: dict[str, str] = field(default_factory=dict)
    above: dict[str, str] = field(default_factory=dict)

    def inventory(self) -> str:
        """What there is, for people: "it has: plate, black bowl"."""
        names = list(dict.fromkeys(self.name.values()))
        more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        return f"it has: {', '.join(names[:LISTED])}{more}"

    def name_beside(self, symbol: str) -> str:
        """The words for a place beside a thing: "to the right of the plate" for `right-of-plate_1`."""
        side = next(s for s in SIDES if symbol.startswith(f"{s}-"))
        return f"{SIDES_IN_WORDS[side]} the {self.name[symbol.removeprefix(f'{side}-')]}"

    def namesakes(self, symbol: str) -> tuple[str, ...]:
        """Other symbols that some phrase for `symbol` fits as well."""
        return tuple(dict.fromkeys(s for all_ in self.phrases.values() if symbol in all_ for s in all_ if s != symbol))

    def calling(self, symbol: str) -> tuple[str, ...]:
        """Every phrase that fits `symbol`."""
        return tuple(text for text, all_ in self.phrases.items() if symbol in all_)


def vocabulary(
    scene: Scene, state: WorldState, names: dict[str, str] | None = None, own: OwnWords | None = None
) -> SceneVocabulary:
    """Phrases for the symbols of `state`. `names` are the scene's own words, phrase to symbol: they win; `own` are
    the domain's."""
    nouns_of = {o.name: nouns(o.category, own) for o in scene}
    called, beside = _called(scene, nouns_of), things(scene)
    named = frozenset(state.symbols) | frozenset(beside)
    unique = _unique_names(scene, state, called, nouns_of)
    fits: Fits = {}
    for o in scene:
        for text in unique[o.name]:
            _name_object(o, text, named, fits)
    for noun, group in called.items():
        for o in group if len(group) > 1 else ():
            _name_object(o, noun, named, fits)
    for text, symbol in (names or {}).items():
        fits[text.lower()] = [symbol]
    phrases = {text: tuple(all_) for text, all_ in fits.items()}
    owner = {r.name: o.name for o, r in scene.regions()}
    name = {s: _own_name(s, state, phrases, s in owner) for s in (*state.symbols, *beside)}
    name |= {symbol: text.lower() for text, symbol in (names or {}).items() if symbol in name}
    phrases |= {text: (s,) for s, text in name.items() if text not in phrases}
    inside = {o.name: tuple(r.name for r in _open_interiors(o)) for o in scene}
    beneath = {o.name: layers[0].name for o in scene if (layers := _layers(o))}
    above = {s: top for o in scene for s, top in _tops(o).items()}
    return SceneVocabulary(phrases, name, beside, inside, beneath, owner, above)


def _called(scene: Scene, nouns_of: dict[str, tuple[str, ...]]) -> dict[str, list[SceneObject]]:
    """Which objects each noun fits."""
    called: dict[str, list[SceneObject]] = {}
    for o in scene:
        for noun in nouns_of[o.name]:
            called.setdefault(noun, []).append(o)
    return called


def _unique_names(
    scene: Scene, state: WorldState, called: dict[str, list[SceneObject]], nouns_of: dict[str, tuple[str, ...]]
) -> dict[str, list[str]]:
    """Phrases that mean one object only, by object: nouns of its own, and where it is among its namesakes."""
    unique = {o.name: [n for n in nouns_of[o.name] if len(called[n]) == 1] for o in scene}
    marks = {unique[o.name][0]: o for o in scene if unique[o.name] and not _is_ground(o)}
    regions: Fits = {}
    for o in scene:
        for text in unique[o.name]:
            _name_object(o, text, frozenset(state.symbols), regions)
    for noun, group in called.items():
        for o in group if len(group) > 1 else []:
            forms = [*_supports(o, group, state, regions), *templates(o, group, marks, scene)]
            unique[o.name] += [form.format(noun) for form in forms]
    return unique


def _supports(thing: SceneObject, group: list[SceneObject], state: WorldState, regions: Fits) -> list[str]:
    """ "{} on the stove": what carries or holds `thing`, and none of its group."""

    def places(o: SceneObject) -> set[tuple[str, str]]:
        return {(a.predicate, a.args[1]) for a in state.atoms if len(a.args) == 2 and a.args[0] == o.name}

    elsewhere = set().union(*(places(o) for o in group if o is not thing))
    out = []
    for predicate, symbol in sorted(places(thing) - elsewhere):
        kind = state.symbols.get(symbol)
        for text, all_ in regions.items():
            if symbol in all_ and [s for s in all_ if state.symbols.get(s) == kind] == [symbol]:
                out.append(f"{{}} {predicate.replace('-', ' ')} the {text}")
    return out


def _name_object(o: SceneObject, text: str, named: frozenset[str], fits: Fits) -> None:
    """Enter `text` for the object, if it is `named` in goals, for the places on and in it, and the names of those
    places."""
    if o.name in named:
        _add(fits, text, o.name)
    board = _layers(o)[1:] if text.rsplit(maxsplit=1)[-1] in BOARDS else ()
    for r in o.regions:
        if not board or r in board:
            _add(fits, text, r.name)
        for place in _place_words(o, r):
            if r.kind == "interior":
                _add(fits, place, r.name)
            _add(fits, f"{place} of the {text}", r.name)


def _open_interiors(o: SceneObject) -> list[Region]:
    return [r for r in o.regions if r.kind == "interior" and r.door is None]


def _layers(o: SceneObject) -> tuple[Region, ...]:
    """The open interiors of a fixed thing that lie one over the other, from below; () when it has no two such."""
    rooms = sorted(_open_interiors(o), key=lambda r: float(r.T_world_region[2, 3]))

    def over(upper: Region, lower: Region) -> bool:
        away = np.abs(upper.T_world_region[:3, 3] - lower.T_world_region[:3, 3])
        half = upper.world_half_extent() + lower.world_half_extent()
        return bool(np.all(away[:2] < half[:2]) and away[2] >= 0.9 * half[2])

    stacked = len(rooms) > 1 and all(over(b, a) for a, b in pairwise(rooms))
    return tuple(rooms) if stacked and not o.movable else ()


def _tops(o: SceneObject) -> dict[str, str]:
    """The topmost surface of a thing, by the thing's name and that of each interior of it; {} when it has none."""
    surfaces = [r for r in o.regions if r.kind == "surface"]
    interiors = [r.name for r in o.regions if r.kind == "interior"]
    if not surfaces or not interiors:
        return {}
    top = max(surfaces, key=lambda r: float(r.T_world_region[2, 3]))
    return dict.fromkeys((o.name, *interiors), top.name)


def _place_words(o: SceneObject, r: Region) -> list[str]:
    """What a region is called apart from its object: "top drawer", "back compartment", "top"."""
    words = r.name.removeprefix(o.name).strip("_").split("_")
    where = [w for w in words if w not in _FILLER and not w.isdigit()]
    if r.kind == "surface":
        return [" ".join(where)] if where and len(o.regions) > 1 else []
    drawer = r.door is not None and o.part(r.door).kind == "drawer"
    if not drawer and not where:
        return []
    kind = "drawer" if drawer else "compartment"
    spellings = _POSITIONS.get(" ".join(where), (" ".join(where),))
    return [*(f"{w} {kind}".strip() for w in spellings), kind]


def _own_name(symbol: str, state: WorldState, phrases: dict[str, tuple[str, ...]], is_place: bool) -> str:
    """The first phrase that fits no other symbol of its type, of a place one that says of what; the identifier in
    words when none does."""
    kind = state.symbols.get(symbol)
    whole = [t for t, all_ in phrases.items() if all_ == (symbol,)]
    alone = [t for t, all_ in phrases.items() if symbol in all_ and not _rivals(symbol, kind, all_, state)]
    full = [t for t in whole if " of the " in t] if is_place else []
    return (full or alone or whole or [symbol.replace("_", " ")])[0]


def _rivals(symbol: str, kind: str | None, symbols: Iterable[str], state: WorldState) -> list[str]:
    return [s for s in symbols if s != symbol and state.symbols.get(s) == kind]


def _is_ground(o: SceneObject) -> bool:
    return not o.movable and o.category in ("table", "floor")


def _add(fits: Fits, text: str, symbol: str) -> None:
    if symbol not in fits.setdefault(text, []):
        fits[text].append(symbol)


def vocabulary_of(state: WorldState, domain: Domain, names: dict[str, str] | None = None) -> SceneVocabulary:
    """Phrases for the symbols of a problem: `flood_story - story` is "flood story", and one of the stories; `serum -
    tube` is "serum", one of the tubes, and "serum tube".

    The domain's `words.toml` has more nouns; `names` are the problem's own words, phrase to symbol: they win.
    """
    fits: dict[str, list[str]] = {}
    things = own_words(domain).things
    for symbol, kind in state.symbols.items():
        called, nouns = tuple(_read(symbol)), tuple(_nouns(kind, domain))
        named = (*called, *nouns, *(f"{called[0]} {noun}" for noun in nouns if noun not in called))
        for phrase in dict.fromkeys(said for name in named for said in (name, *things.get(name, ()))):
            fits.setdefault(phrase, []).append(symbol)
    fits |= {said.lower(): [symbol] for said, symbol in (names or {}).items()}
    phrases = {said: tuple(some) for said, some in fits.items()}
    return SceneVocabulary(phrases, {s: next(_read(s)) for s in state.symbols})


def _read(symbol: str) -> Iterator[str]:
    """What an identifier is called: all of its words, and the last ones alone."""
    words = symbol.lower().replace("-", "_").strip("_").split("_")
    yield " ".join(words)
    yield from (" ".join(words[i:]) for i in range(1, len(words)) if not words[i][0].isdigit())


def _nouns(kind: str, domain: Domain) -> Iterator[str]:
    """A type and those above it, but for `object`, which everything is."""
    while kind and kind != "object":
        yield kind.lower().replace("-", " ").replace("_", " ")
        kind = domain.types.get(kind) or ""
