"""LIBERO's classes as models for the object library: all of them at once, whatever a task is about."""

from __future__ import annotations

from typing import Any

from tamp.backends.libero.categories import Category
from tamp.backends.mujoco.objects import subtree
from tamp.perception.modelling import modelled
from tamp.perception.object_model import ObjectModel
from tamp.perception.skinning import skins


def model_of(category: Category, names: tuple[str, ...], source: str) -> ObjectModel:
    """The model of a category that was loaded whole; `names` are what people call it, `source` is the hash of what it
    is made from."""
    model, data, thing = category.model, category.data, category.thing
    root = thing.parts[0]
    bodies = {p.name: [_body(model, p.name, category)] for p in thing.parts}
    taken = {b for ids in bodies.values() for b in ids}
    for b in subtree(model, bodies[root.name][0]):
        if b not in taken:
            bodies[_carrier(model, b, bodies) or root.name].append(b)
    found = skins(model, data, bodies)
    return modelled(thing, found, names, source)


def _body(model: Any, part: str, category: Category) -> int:
    if part == category.thing.name:
        return int(model.body(f"{part}_main").id)
    return int(model.body(part).id)


def _carrier(model: Any, body: int, bodies: dict[str, list[int]]) -> str | None:
    """The part whose first body carries a body."""
    first = {ids[0]: name for name, ids in bodies.items()}
    while body:
        body = int(model.body_parentid[body])
        if body in first:
            return first[body]
    return None
