"""Places beside a thing: "to the right of the plate", from its geometry and the size of what is put there.

Left, right, front and back are the agent view's: image right is world +y, front is world +x. Such a place is a
surface region of whatever the thing stands on, with a symbol of its own: `right-of-plate_1`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from motion.poses import Array, pose
from tamp.errors import Refusal
from tamp.model.atoms import Atom
from tamp.model.domain import Domain
from tamp.model.goal import Goal, parse_goal
from tamp.model.scene import Perceiver, Region, Scene, SceneObject
from tamp.model.state import WorldState

if TYPE_CHECKING:
    from tamp.model.backend import Observation

SIDES: dict[str, tuple[int, int]] = {"front-of": (0, 1), "behind": (0, -1), "right-of": (1, 1), "left-of": (1, -1)}
"""The beginning of a symbol to the world axis (x 0, y 1) that the side is along, and its sign."""
GAP = 0.02
"""Metres between a thing and what is put beside it."""
ALONG, ACROSS = 0.025, 0.035
"""Half-extents, in metres, of the rectangle in which the origin of what is put there has to be."""
UNDER = 0.03
"""Metres below the bottom of a thing at which the surface that it stands on may be."""


@dataclass(frozen=True)
class RelativePlace:
    """The place on one side of the object `thing`; `room` is how far what is put there reaches out, in metres."""

    side: str
    thing: str
    room: float

    @property
    def symbol(self) -> str:
        """Its name in a goal."""
        return f"{self.side}-{self.thing}"


def things(scene: Scene) -> tuple[str, ...]:
    """The objects that stand on something, so that there are places beside them."""
    return tuple(o.name for o in scene if _support(o, scene) is not None)


def symbols(things: Iterable[str]) -> dict[str, str]:
    """Every place beside some things that a goal can name, with its type."""
    return {f"{side}-{thing}": "surface" for thing in things for side in SIDES}


def places(atoms: Iterable[Atom], scene: Scene) -> tuple[RelativePlace, ...]:
    """The places that some atoms, `(on plate_1 front-of-stove_1)`, speak of.

    Raises Refusal for one that is not over what its thing stands on.
    """
    found: dict[str, RelativePlace] = {}
    for a in atoms:
        for item, symbol in itertools.pairwise(a.args):
            side = next((s for s in SIDES if symbol.startswith(f"{s}-")), None)
            if side is not None and (thing := symbol.removeprefix(f"{side}-")) in things(scene):
                place = RelativePlace(side, thing, 0.5 * float(scene.object(item).extent[SIDES[side][0]]))
                if _region(place, scene) is None:
                    where = f"{side.replace('-', ' ')} {thing}"
                    raise Refusal(f"there is no room for {item} {where}: it is at the edge", "no room")
                found.setdefault(symbol, place)
    return tuple(found.values())


def with_places(scene: Scene, wanted: Iterable[RelativePlace]) -> Scene:
    """The scene with those places as regions of what their things stand on; without those that are not there."""
    for place in wanted:
        if (found := _region(place, scene)) is not None:
            owner, region = found
            changed = replace(owner, regions=(*owner.regions, region))
            scene = replace(scene, objects=tuple(changed if o.name == owner.name else o for o in scene.objects))
    return scene


@dataclass(frozen=True)
class PlacesBeside:
    """A perceiver that adds places beside things to what another one sees."""

    perceiver: Perceiver
    places: tuple[RelativePlace, ...]

    def perceive(self) -> Scene:
        """The scene now, the places where the things stand now."""
        return with_places(self.perceiver.perceive(), self.places)

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period."""
        self.perceiver.felt(observation)


def _region(place: RelativePlace, scene: Scene) -> tuple[SceneObject, Region] | None:
    """The rectangle in which an origin is to be, and the object that it belongs to."""
    thing = scene.object(place.thing)
    if (support := _support(thing, scene)) is None:
        return None
    owner, under = support
    axis, sign = SIDES[place.side]
    low, high = thing.bounds()
    centre = np.append(0.5 * (low + high)[:2], under.T_world_region[2, 3])
    centre[axis] = (high if sign > 0 else low)[axis] + sign * (GAP + place.room)
    half = np.array([ACROSS, ACROSS, under.half_extent[2]])
    half[axis] = ALONG
    return (owner, Region(place.symbol, "surface", pose(centre), half, under.part)) if _within(centre, under) else None


def _support(thing: SceneObject, scene: Scene) -> tuple[SceneObject, Region] | None:
    """The level surface that a thing stands on, with the object that it belongs to."""
    low, high = thing.bounds()
    centre = 0.5 * (low + high)
    found = []
    for o, r in scene.regions():
        if o is thing or r.kind != "surface" or abs(r.T_world_region[2, 2]) < 0.9:
            continue
        if _within(centre, r) and abs(low[2] - r.T_world_region[2, 3]) < UNDER:
            found.append((o, r))
    return max(found, key=lambda f: float(np.prod(f[1].half_extent[:2])), default=None)


def _within(p_world: Array, region: Region) -> bool:
    """Whether a point (3,) is over a region's rectangle, seen from above."""
    return bool(np.all(np.abs(p_world - region.T_world_region[:3, 3])[:2] < region.world_half_extent()[:2]))


def goals_in(
    scene: Scene, state: WorldState, domain: Domain, texts: Iterable[str], untouched: Iterable[str] = ()
) -> tuple[Goal, ...]:
    """The goals, one after the other, that PDDL `texts` say about a scene and the places beside its things; quantifiers
    are about the things alone. InputError with the column of what is wrong."""
    known, untouched = state.known_to(domain).symbols, tuple(untouched)
    every = known | symbols(things(scene))
    return tuple(parse_goal(t, domain, every, ranged=known, untouched=untouched) for t in texts)
