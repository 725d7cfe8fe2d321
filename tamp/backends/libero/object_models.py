"""LIBERO's classes as models for the object library: all of them at once, whatever a task is about."""

from __future__ import annotations

import hashlib
from typing import Any

import mujoco
import numpy as np

from tamp.backends.libero.categories import Category
from tamp.backends.libero.objects import subtree
from tamp.perception.object_model import ObjectModel
from tamp.perception.skinning import skins
from tamp.perception.symmetry import resting_attitudes, turns_of


def model_of(category: Category) -> ObjectModel:
    """The model of a category that was loaded whole."""
    model, data, thing = category.model, category.data, category.thing
    root = thing.parts[0]
    bodies = {p.name: [_body(model, p.name, category)] for p in thing.parts}
    taken = {b for ids in bodies.values() for b in ids}
    for b in subtree(model, bodies[root.name][0]):
        if b not in taken:
            bodies[_carrier(model, b, bodies) or root.name].append(b)
    found = skins(model, data, bodies, _configurations(model, category, bodies))
    return ObjectModel(
        thing=thing,
        skins=found,
        rests=np.array([thing.T_world_object[:3, :3]]) if category.fixed else resting_attitudes(thing, found[root.name]),
        turns=1 if category.fixed else turns_of(thing, found[root.name]),
        names=(category.name.replace("_", " "),),
        source=hashlib.sha256(model_bytes(model)).hexdigest(),
    )


def model_bytes(model: Any) -> bytes:
    """The compiled model, for its hash."""
    size = mujoco.mj_sizeModel(model)
    buffer = np.empty(size, dtype=np.uint8)
    mujoco.mj_saveModel(model, None, buffer)
    return buffer.tobytes()


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


def _configurations(model: Any, category: Category, bodies: dict[str, list[int]]) -> list[dict[int, float]]:
    """Joint addresses and values: as made, and each drawer, door and knob at its other end."""
    out: list[dict[int, float]] = [{}]
    for part in category.thing.parts:
        if part.joint is not None:
            j = int(model.body_jntadr[bodies[part.name][0]])
            far = max(part.joint.limits, key=lambda v: abs(v - part.joint.value))  # type: ignore[union-attr]
            out.append({int(model.jnt_qposadr[j]): far})
    return out
