"""Relations between things that stand on one level place: left of, next to, between and so on.

Each has one definition: the areas, seen from above, in which the middle of a thing may be, given how large it is and
the boxes around what it is related to. It holds where the middle is in one of them, by a tolerance, and is brought
about by a spot in them, by a margin. Image left and right of the agent view are world -y and +y, front is +x.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from motion.poses import Array
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.formula import Literal, Not
from tamp.model.goal import Goal
from tamp.model.scene import Region, Scene, SceneObject, contains
from tamp.model.state import WANTED, WorldState

GAP = 0.02
"""Metres between a thing and what is put next to it, where there is a choice."""
NEXT_TO, NEAR = 0.10, 0.25
"""Metres between the boxes around two things, along each axis, up to which one is next to the other, or near it."""
ACROSS = 0.035
"""Least metres that the middle of what is on one side of a thing may be off the thing's own middle."""
BESIDE_LINE = 0.05
"""Metres off the line between two things up to which a third is between them."""
TOLERANCE = 0.01
"""Metres by which what is seen may miss its area, and what is placed has to be inside, as far as there is room."""
UNDER = 0.03
"""Metres below the bottom of a thing at which the place that it stands on may be."""
LOWER = 0.004
"""Metres by which the bottom of what carries a thing is at least below its own."""
GRID = 7
"""Spots along each side of an area."""

RESTS_ON, STACKED = "rests-on", "stacked"
Box = tuple[Array, Array]
"""Lower and upper corner (3,), (3,)."""


@dataclass(frozen=True, eq=False)
class Area:
    """A rectangle, seen from above: middle (2,), half-extents (2,) along the unit vector `along` (2,) and across it,
    and the `best` spot (2,) in it; metres, world frame."""

    middle: Array
    half: Array
    best: Array
    along: Array

    def has(self, p: Array, slack: float) -> bool:
        """Whether a point (2,) is in it, made `slack` metres wider; where it is narrow, its middle always is."""
        d = p - self.middle
        off = np.abs([d @ self.along, d @ (-self.along[1], self.along[0])])
        return bool(np.all(off <= np.maximum(self.half + slack, 0.002)))

    def spots(self) -> Iterator[Array]:
        """Points (2,) all over it."""
        yield self.best
        across = np.array([-self.along[1], self.along[0]])
        for x, y in itertools.product(np.linspace(-1.0, 1.0, GRID), repeat=2):
            yield self.middle + x * self.half[0] * self.along + y * self.half[1] * across


Areas = Callable[[Array, tuple[Box, ...]], list[Area]]
"""Of half-extents (2,) of a thing and the boxes of what it is related to."""


def _strip(axis: int, sign: int, gap: float, across: Callable[[Array, Array], Array]) -> Areas:
    """On one side of a box, up to `gap` from it; `across` has how far to either side, by half-extents of both."""

    def areas(half: Array, boxes: tuple[Box, ...]) -> list[Area]:
        low, high = (corner[:2] for corner in boxes[0])
        face = (high if sign > 0 else low)[axis] + sign * half[axis]
        best, middle, size = 0.5 * (low + high), 0.5 * (low + high), np.zeros(2)
        best[axis], middle[axis] = face + sign * GAP, face + sign * 0.5 * gap
        size[axis], size[1 - axis] = 0.5 * gap, across(0.5 * (high - low), half)[1 - axis]
        return [Area(middle, size, best, np.array([1.0, 0.0]))]

    return areas


def _around(gap: float) -> Areas:
    """On any side of a box, up to `gap` from it, corners too."""
    sides = [_strip(axis, sign, gap, lambda a, b: a + b + gap) for axis in (0, 1) for sign in (1, -1)]
    return lambda half, boxes: [area for side in sides for area in side(half, boxes)]


def _between(half: Array, boxes: tuple[Box, ...]) -> list[Area]:
    """On the line between two boxes, clear of both."""
    (p, a), (q, b) = ((0.5 * (low + high)[:2], 0.5 * (high - low)[:2]) for low, high in boxes)
    span = float(np.linalg.norm(q - p))
    if span < 1e-6:
        return []
    along = (q - p) / span
    reach = [float(np.linalg.norm(some * along)) for some in (a, b, half)]  # as if they were round
    free = 0.5 * (span - reach[0] - reach[1]) - reach[2]
    middle = p + along * (reach[0] + reach[2] + free)
    return [Area(middle, np.array([free, BESIDE_LINE]), middle, along)] if free > -TOLERANCE else []


def _width(a: Array, b: Array) -> Array:
    return np.maximum(a, ACROSS)


RELATIONS: dict[str, Areas] = {
    "left-of": _strip(1, -1, NEXT_TO, _width),
    "right-of": _strip(1, 1, NEXT_TO, _width),
    "in-front-of": _strip(0, 1, NEXT_TO, _width),
    "behind": _strip(0, -1, NEXT_TO, _width),
    "next-to": _around(NEXT_TO),
    "near": _around(NEAR),
    "between": _between,
}
SIDES = tuple(RELATIONS)[:4]


def known(domain: Domain) -> frozenset[str]:
    """The relations that a domain means as they are here: those with a predicate for what is wanted of them."""
    return frozenset(name for name in RELATIONS if WANTED + name in domain.predicates)


def seen(domain: Domain) -> frozenset[str]:
    """The predicates of a domain that are seen here; none in a domain that has none for what rests on what."""
    return known(domain) | ({RESTS_ON, STACKED} & domain.predicates.keys() if RESTS_ON in domain.predicates else set())


@dataclass(frozen=True, eq=False)
class Support:
    """What a thing stands on, at last, and the box around it and what is under it there."""

    place: Region
    box: Box


def standing(name: str, scene: Scene) -> Support | None:
    """What an object stands on, through other things; None where it is no level place."""
    thing = scene.object(name)
    low, high = thing.bounds()
    while (below := _item_under(thing, scene)) is not None:
        thing, (least, most) = below, below.bounds()
        low, high = np.minimum(low, least), np.maximum(high, most)
    place = _place_under(thing, scene)
    return None if place is None else Support(place, (low, high))


def _item_under(thing: SceneObject, scene: Scene) -> SceneObject | None:
    """The next item that carries a thing, by the boxes around them."""
    low, high = thing.bounds()
    middle, found = 0.5 * (low + high), list[SceneObject]()
    for o in scene:
        under, over = o.bounds()
        around = bool(np.all(under[:2] < middle[:2]) and np.all(middle[:2] < over[:2]))
        if o.movable and o is not thing and around and under[2] + LOWER + scene.blur < low[2] < over[2] + UNDER:
            found.append(o)
    return max(found, key=lambda o: float(o.bounds()[0][2]), default=None)


def things(scene: Scene) -> tuple[str, ...]:
    """The objects that stand on something level, so that there is room around them."""
    return tuple(o.name for o in scene if standing(o.name, scene) is not None)


def _place_under(thing: SceneObject, scene: Scene) -> Region | None:
    """The inside that a thing stands in, else the largest level surface that it stands on."""
    low, high = thing.bounds()
    middle, found = 0.5 * (low + high), list[Region]()
    for o, r in scene.regions():
        if o is thing or abs(r.T_world_region[2, 2]) < 0.9:
            continue
        floor = r.T_world_region[2, 3] - (r.half_extent[2] if r.kind == "interior" else 0.0)
        over = contains(r, middle, UNDER) if r.kind == "interior" else _over(middle[:2], r)
        if over and abs(low[2] - floor) < UNDER:
            found.append(r)
    return max(found, key=lambda r: (r.kind == "interior", float(np.prod(r.half_extent[:2]))), default=None)


def _over(p: Array, region: Region) -> bool:
    """Whether a point (2,) is over a region's rectangle, seen from above."""
    return bool(np.all(np.abs(p - region.T_world_region[:2, 3]) < region.world_half_extent()[:2]))


def holds(atom: Atom, scene: Scene, slack: float = TOLERANCE) -> bool:
    """Whether a relation holds in a scene, by a tolerance in metres."""
    stand = [standing(name, scene) for name in atom.args]
    boxes = tuple(s.box for s in stand if s is not None)
    if len(boxes) < len(stand) or len({s.place.name for s in stand if s is not None}) > 1:
        return False
    return _met(atom.predicate, (scene.object(atom.args[0]).bounds(), *boxes[1:]), slack)


def _met(relation: str, boxes: tuple[Box, ...], slack: float) -> bool:
    low, high = (corner[:2] for corner in boxes[0])
    found = RELATIONS[relation](0.5 * (high - low), boxes[1:])
    return any(area.has(0.5 * (low + high), slack) for area in found)


def areas(atom: Atom, half: Array, scene: Scene) -> list[Area]:
    """Where the middle of the first thing may be, with half-extents (2,), for a relation to hold; none where one of the
    others stands on no level place."""
    stand = [standing(name, scene) for name in atom.args[1:]]
    boxes = tuple(s.box for s in stand if s is not None)
    return RELATIONS[atom.predicate](half, boxes) if len(boxes) == len(stand) else []


@dataclass(frozen=True, eq=False)
class Wish:
    """A relation that is to hold, or is `denied`, of an item that is put where the others stand, with the boxes around
    these and what is under them."""

    atom: Atom
    denied: bool
    boxes: dict[str, Box]

    def met(self, item: str, box: Box) -> bool:
        """Whether it is as it should be, by a margin, where the item fills a box."""
        boxes = tuple(box if name == item else self.boxes[name] for name in self.atom.args)
        return _met(self.atom.predicate, boxes, TOLERANCE if self.denied else -TOLERANCE) != self.denied


def wishes(literals: Iterable[Literal], item: str, place: str, scene: Scene) -> tuple[Wish, ...]:
    """Those of some literals that matter where an item is put on a place: whose other things stand there, and which
    say something of the item, or deny it of another one."""
    found = []
    for literal in literals:
        atom = literal.atom if isinstance(literal, Not) else literal
        about = atom.args if isinstance(literal, Not) else atom.args[:1]
        if atom.predicate in RELATIONS and item in about:
            stand = {name: standing(name, scene) for name in atom.args if name != item}
            boxes = {name: s.box for name, s in stand.items() if s is not None and s.place.name == place}
            found += [Wish(atom, isinstance(literal, Not), boxes)] if len(boxes) == len(stand) else []
    return tuple(found)


def in_words(wanted: Iterable[Wish]) -> str:
    """What is wanted of a place, to follow what it is wanted for: " right of plate_1 and not next to bowl_1"."""
    words = {w: f"{w.atom.predicate.replace('-', ' ')} {' and '.join(w.boxes)}" for w in wanted}
    said = [f"not {text}" if w.denied else text for w, text in words.items()]
    return f" {' and '.join(said)}" if said else ""


def spots(wanted: Iterable[Wish], half: Array) -> list[Array]:
    """Points (2,) in the areas of all that is to hold of an item with half-extents (2,), the best first."""
    asked = [(w.atom, tuple(w.boxes[name] for name in w.atom.args[1:])) for w in wanted if not w.denied]
    each = [RELATIONS[atom.predicate](half, boxes) for atom, boxes in asked]
    points = [p for some in each for area in some for p in area.spots()]
    fit = [p for p in points if all(any(area.has(p, 0.0) for area in some) for some in each)]
    cost = [sum(min(float(np.linalg.norm(p - area.best)) for area in some) for some in each) for p in fit]
    return [fit[i] for i in np.argsort(cost, kind="stable")]


def observed(state: WorldState, scene: Scene, asked: Iterable[Atom], domain: Domain) -> frozenset[Atom]:
    """What rests on what and is stacked, and those of the atoms that are `asked` for that hold, of a domain's own."""
    mine = seen(domain)
    rests, there = rests_on(state, scene) if RESTS_ON in mine else frozenset[Atom](), {o.name for o in scene}
    stacked = {Atom(STACKED, pair) for a in rests for pair in (a.args, a.args[::-1]) if there.issuperset(pair)}
    some = (a for a in asked if a.predicate in RELATIONS and there.issuperset(a.args))
    held = {a for a in some if holds(a, scene, TOLERANCE + scene.blur)}
    return frozenset(a for a in (*rests, *stacked, *held) if a.predicate in mine)


def rests_on(state: WorldState, scene: Scene) -> frozenset[Atom]:
    """What is on or in what, directly or on other things, as atoms; of what cannot be carried where it stands."""
    direct = {(a.args[0], a.args[1]) for a in state.atoms if a.predicate in ("on", "in")}
    fixed = [o.name for o in scene if not o.movable and o.name in state.symbols]
    direct |= {(name, stand.place.name) for name in fixed if (stand := standing(name, scene)) is not None}
    reached = direct
    while more := {(a, c) for a, b in reached for b2, c in direct if b == b2} - reached:
        reached = reached | more
    return frozenset(Atom(RESTS_ON, pair) for pair in reached)


def check(goal: Goal, scene: Scene, domain: Domain) -> None:
    """Refusal for a relation to something that is not to be moved with no room for what is put there."""
    parts = [p for p in goal.parts if isinstance(p, Atom)]
    moved, there, mine = {a.args[0] for a in parts if a.args}, {o.name for o in scene}, known(domain)
    for a in parts:
        if a.predicate not in mine or not there.issuperset(a.args) or moved.intersection(a.args[1:]):
            continue
        stand, half = [standing(name, scene) for name in a.args[1:]], 0.5 * scene.object(a.args[0]).extent[:2]
        about = f"there is no room for {a.args[0]} {a.predicate.replace('-', ' ')} {' and '.join(a.args[1:])}: "
        places = {s.place.name: s.place for s in stand if s is not None}
        if None in stand or len(places) > 1 or holds(a, scene):
            continue  # what it is related to has to be moved first, or nothing
        (place,), found = places.values(), areas(a, half, scene)
        if not found:
            (low, high), (under, over) = (s.box for s in stand if s is not None)
            gap = float(np.linalg.norm(np.maximum(0.0, np.maximum(low - over, under - high))[:2]))
            apart = f"they are {100 * gap:.0f} cm apart, it is {200 * half.min():.0f} cm wide"
            raise Refusal(f"{about}{apart}", "no room")
        if not any(_over(p, place) for area in found for p in area.spots()):
            raise Refusal(f"{about}it is at the edge of {place.name}", "no room")
