"""From what a thing is made of to its model: what can be found out from its shape alone."""

from __future__ import annotations

from collections.abc import Mapping

from tamp.model.scene import SceneObject
from tamp.perception.object_model import ObjectModel, Skin
from tamp.perception.symmetry import Symmetry, resting_attitudes, symmetry_of


def modelled(
    thing: SceneObject, skins: Mapping[str, Skin], names: tuple[str, ...], source: str, turns: int | None = None
) -> ObjectModel:
    """The model of a thing that stands upright, with its skins. `turns` is its symmetry where that is told; what stays
    where it stands has none, and one attitude."""
    skin = skins[thing.parts[0].name]
    if not thing.movable:
        upright = thing.T_world_object[None, :3, :3]
        return ObjectModel(thing, dict(skins), upright, 1, symmetry_of(thing, skin, 1).axis, names, source)
    found: Symmetry = symmetry_of(thing, skin, turns)
    rests = resting_attitudes(thing, skin, found.turns)
    return ObjectModel(thing, dict(skins), rests, found.turns, found.axis, names, source)
