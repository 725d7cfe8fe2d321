"""The scene in words: which phrase means which symbol.

Every symbol gets a unique referring expression, and synonyms of it. Phrases that fit several symbols ("bowl"
with two bowls) are kept as well, with all that they fit: an answer that uses one is ambiguous, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import numpy as np

from llm.vocabulary.names import BOARDS, OwnWords, nouns, own_words, plain
from tamp.model.domain import Domain
from tamp.model.scene import Region, Scene, SceneObject
from tamp.model.state import WorldState
from tamp.perception.relations import things

_FILLER = frozenset({"region", "contain", "heating", "cook", "side", "site"})
"""Words of region names that tell a modeller something and a speaker nothing."""

_POSITIONS = {"top": ("top", "upper"), "bottom": ("bottom", "lower")}

BENEATH, TOP = "beneath", "top"
PLACES_IN_WORDS = {BENEATH: "under", TOP: "on top of"}
"""What the room beneath a thing's board, and the top of a thing, are called."""

LISTED = 40
"""Names in an inventory."""

Fits = dict[str, dict[str, None]]
"""The symbols that phrases fit, in order."""


@dataclass(frozen=True)
class SceneVocabulary:
    """`phrases`: text to the symbols it fits, in the scene's order.

    `name` is each symbol's own phrase, which fits nothing else of its type. `things` are the objects beside which
    something can be put; they have phrases too, those that are no symbols as well. `inside` are each object's own
    interiors that are always open, `beneath` the room under an object's board, `owner` the object that a place is of,
    `above` the topmost surface of the thing that an interior, or a board's room, is in. `belongs` are the places where
    an item is put away, the best first.
    """

    phrases: dict[str, tuple[str, ...]]
    name: dict[str, str]
    things: tuple[str, ...] = ()
    inside: dict[str, tuple[str, ...]] = field(default_factory=dict)
    beneath: dict[str, str] = field(default_factory=dict)
    owner: dict[str, str] = field(default_factory=dict)
    above: dict[str, str] = field(default_factory=dict)
    belongs: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def inventory(self) -> str:
        """What there is, for people: "it has: plate, black bowl"."""
        names = list(dict.fromkeys(self.name.values()))
        more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        return f"it has: {', '.join(names[:LISTED])}{more}"

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
    beside = things(scene)
    called: dict[str, list[SceneObject]] = {}
    for o in scene:
        for noun in nouns(o.category, own):
            called.setdefault(noun, []).append(o)
    named = frozenset(state.symbols) | frozenset(beside)
    fits: Fits = {}
    for o, texts in _unique_names(scene, state, called):
        for text in texts:
            _name_object(o, text, named, fits)
    for noun, group in called.items():
        for o in group if len(group) > 1 else ():
            _name_object(o, noun, named, fits)
    own_names = {text.lower(): symbol for text, symbol in (names or {}).items()}
    phrases = {text: tuple(some) for text, some in fits.items()} | {text: (s,) for text, s in own_names.items()}
    owner = {r.name: o.name for o, r in scene.regions()}
    name = {s: _own_name(s, state, phrases, s in owner) for s in (*state.symbols, *beside)}
    name |= {symbol: text for text, symbol in own_names.items() if symbol in name}
    phrases |= {text: (s,) for s, text in name.items() if text not in phrases}
    inside = {o.name: tuple(r.name for r in _open_interiors(o)) for o in scene}
    beneath = {o.name: layers[0].name for o in scene if (layers := _layers(o))}
    above = {s: top for o in scene for s, top in _tops(o).items()}
    belongs = _belongings(own, phrases, state)
    return SceneVocabulary(phrases, name, beside, inside, beneath, owner, above, belongs)


def _belongings(
    own: OwnWords | None, phrases: dict[str, tuple[str, ...]], state: WorldState
) -> dict[str, tuple[str, ...]]:
    """Where each symbol belongs, by what it is called, else by its type."""
    found: dict[str, tuple[str, ...]] = {}
    for text, places in own.belongs.items() if own else ():
        called = phrases.get(text) or tuple(s for s, kind in state.symbols.items() if plain(kind) == text)
        for s in called:
            found.setdefault(s, tuple(p for place in places for p in phrases.get(place, ())))
    return {s: places for s, places in found.items() if places}


def _unique_names(
    scene: Scene, state: WorldState, called: dict[str, list[SceneObject]]
) -> list[tuple[SceneObject, list[str]]]:
    """Each object with phrases that mean it only: nouns of its own, and where it is among its namesakes."""
    unique = {o.name: [n for n, group in called.items() if len(group) == 1 and group[0] is o] for o in scene}
    marks = {
        unique[o.name][0]: o for o in scene if unique[o.name] and (o.movable or o.category not in ("table", "floor"))
    }
    places: Fits = {}
    for o in scene:
        for text in unique[o.name]:
            _name_object(o, text, frozenset(state.symbols), places)
    for noun, group in called.items():
        for o in group if len(group) > 1 else []:
            forms = [*_supports(o, group, state, places), *templates(o, group, marks, scene)]
            unique[o.name] += [form.format(noun) for form in forms]
    return [(o, unique[o.name]) for o in scene]


def _supports(thing: SceneObject, group: list[SceneObject], state: WorldState, places: Fits) -> Iterator[str]:
    """ "{} on the stove": what carries or holds `thing`, and none of its group."""
    at = {
        o.name: {(a.predicate, a.args[1]) for a in state.atoms if len(a.args) == 2 and a.args[0] == o.name}
        for o in group
    }
    elsewhere = {place for o in group if o is not thing for place in at[o.name]}
    for predicate, symbol in sorted(at[thing.name] - elsewhere):
        for text, some in places.items():
            if symbol in some and not _rivals(symbol, some, state):
                yield f"{{}} {predicate.replace('-', ' ')} the {text}"


def _rivals(symbol: str, symbols: Iterable[str], state: WorldState) -> list[str]:
    """Others of the symbol's type."""
    kind = state.symbols.get(symbol)
    return [s for s in symbols if s != symbol and state.symbols.get(s) == kind]


def _name_object(o: SceneObject, text: str, named: frozenset[str], fits: Fits) -> None:
    """Enter `text` for the object, if it is `named` in goals, for the places on and in it, and the names of those
    places."""
    found = [(text, o.name)] if o.name in named else []
    board = _layers(o)[1:] if text.rsplit(maxsplit=1)[-1] in BOARDS else ()
    for r in o.regions:
        if not board or r in board:
            found.append((text, r.name))
        for place in _place_words(o, r):
            if r.kind == "interior":
                found.append((place, r.name))
            found.append((f"{place} of the {text}", r.name))
    for phrase, symbol in found:
        fits.setdefault(phrase, {})[symbol] = None


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
    whole = [t for t, some in phrases.items() if some == (symbol,)]
    alone = [t for t, some in phrases.items() if symbol in some and not _rivals(symbol, some, state)]
    full = [t for t in whole if " of the " in t] if is_place else []
    return (full or alone or whole or [symbol.replace("_", " ")])[0]


def vocabulary_of(state: WorldState, domain: Domain) -> SceneVocabulary:
    """Phrases for the symbols of a problem: `flood_story - story` is "flood story", and one of the stories; `serum -
    tube` is "serum", one of the tubes, and "serum tube".

    The domain's `words.toml` has more nouns.
    """
    fits: dict[str, list[str]] = {}
    things = own_words(domain).things
    for symbol, kind in state.symbols.items():
        called, nouns = tuple(_read(symbol)), tuple(_nouns(kind, domain))
        named = (*called, *nouns, *(f"{called[0]} {noun}" for noun in nouns if noun not in called))
        for phrase in dict.fromkeys(said for name in named for said in (name, *things.get(name, ()))):
            fits.setdefault(phrase, []).append(symbol)
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
        yield plain(kind)
        kind = domain.types.get(kind) or ""


NEXT_TO = 0.10
"""Metres of gap, seen from above, up to which a thing is next to another."""
CLEARLY = 0.03
"""Metres by which a relation must hold better of one thing than of the others."""
BESIDE_LINE = 0.05
"""Metres off the line between two things up to which a third is between them."""
CENTRE = 0.12
"""Metres from the middle of the table up to which a thing is at its centre."""
LONGEST_SPAN = 0.45
"""Metres between two things beyond which nothing is said to be between them."""

_ENDS = ((("front", 1), ("back", -1)), (("left", -1), ("right", 1)))
"""What the outermost things along world x and y are called, and on which side they are."""


def templates(
    thing: SceneObject, group: Sequence[SceneObject], marks: dict[str, SceneObject], scene: Scene
) -> list[str]:
    """Ways to single `thing` out of `group`, as texts with `{}` for the noun: "{} next to the stove".

    `marks` are the landmarks that a relation may refer to, by name. Best first.
    """
    others = [o for o in group if o is not thing]
    landmarks = {n: o for n, o in marks.items() if o not in group}
    out = [f"{adjective} {{}}" for adjective in _extremes(thing, others)]
    out += [f"{{}} next to the {n}" for n in _next_to(thing, others, landmarks)]
    out += [f"{{}} between the {a} and the {b}" for a, b in _between(thing, others, landmarks)]
    return out + (["{} in the middle of the table"] if _central(thing, others, scene) else [])


def gap(a: SceneObject, b: SceneObject) -> float:
    """Metres between two things' boxes, seen from above; 0 when they overlap."""
    (la, ha), (lb, hb) = a.bounds(), b.bounds()
    apart = np.maximum(0.0, np.maximum(la - hb, lb - ha))[:2]
    return float(np.linalg.norm(apart))


def _level(a: SceneObject, b: SceneObject) -> bool:
    """Whether two things share some height: neither stands on the other."""
    (la, ha), (lb, hb) = a.bounds(), b.bounds()
    return bool(min(ha[2], hb[2]) - max(la[2], lb[2]) > 0.3 * min(ha[2] - la[2], hb[2] - lb[2]))


def _next_to(thing: SceneObject, others: list[SceneObject], marks: dict[str, SceneObject]) -> list[str]:
    near = []
    for name, mark in marks.items():
        g = gap(thing, mark)
        if _level(thing, mark) and g <= NEXT_TO and all(gap(o, mark) > g + CLEARLY for o in others):
            near.append((g, name))
    return [name for _, name in sorted(near)]


def _between(thing: SceneObject, others: list[SceneObject], marks: dict[str, SceneObject]) -> list[tuple[str, str]]:
    """Pairs of landmarks that `thing`, and none of the others, stands between; the nearest first."""
    found = []
    for (name_a, a), (name_b, b) in combinations(marks.items(), 2):
        span = float(np.linalg.norm((b.position - a.position)[:2]))
        if not 0.05 < span <= LONGEST_SPAN:
            continue
        if _on_line(thing, a, b, BESIDE_LINE) and not any(_on_line(o, a, b, 2 * BESIDE_LINE) for o in others):
            found.append((span, name_a, name_b))
    return [(a, b) for _, a, b in sorted(found)]


def _on_line(thing: SceneObject, a: SceneObject, b: SceneObject, margin: float) -> bool:
    start, line = a.position[:2], (b.position - a.position)[:2]
    along = float((thing.position[:2] - start) @ line / (line @ line))
    off = float(np.linalg.norm(thing.position[:2] - start - along * line))
    return 0.2 < along < 0.8 and off < margin


def _central(thing: SceneObject, others: list[SceneObject], scene: Scene) -> bool:
    surfaces = [r for o, r in scene.regions() if r.kind == "surface" and not o.movable]
    if not surfaces:
        return False
    middle = max(surfaces, key=lambda r: float(np.prod(r.half_extent[:2]))).T_world_region[:2, 3]
    away = float(np.linalg.norm(thing.position[:2] - middle))
    return away < CENTRE and all(np.linalg.norm(o.position[:2] - middle) > away + CENTRE / 2 for o in others)


def _extremes(thing: SceneObject, others: list[SceneObject]) -> list[str]:
    """ "left" and the like, where `thing` is clearly the outermost or the middle one; first along the axis on which the
    group is spread most."""
    points = np.array([o.position[:2] for o in (thing, *others)])
    main, out = int(np.argmax(np.ptp(points, axis=0))), list[str]()
    for axis in (main, 1 - main):
        beyond = points[0, axis] - points[1:, axis]
        out += [end for end, sign in _ENDS[axis] if (sign * beyond > CLEARLY).all()]
        half = len(others) / 2
        if axis == main and others and (beyond > CLEARLY).sum() == half == (beyond < -CLEARLY).sum():
            out.append("middle")
    return out
