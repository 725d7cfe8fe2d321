"""LIBERO's categories, and its robot, as models for the object library."""

from __future__ import annotations

import mujoco
import numpy as np

from tamp.backends.libero.categories import Category, source_hash
from tamp.backends.libero.panda import panda_mjcf
from tamp.backends.mujoco.model_objects import subtree
from tamp.perception.modelling import modelled, skins
from tamp.perception.object_model import ObjectModel, RobotSkin


def model_of(category: Category, names: tuple[str, ...], source: str) -> ObjectModel:
    """The model of a category that was loaded whole; `names` are what people call it, `source` is the hash of what it
    is made from."""
    model, thing = category.model, category.thing
    root = int(model.body(f"{thing.name}_main").id)
    parts = {root: thing.name} | {int(model.body(p.name).id): p.name for p in thing.parts[1:]}
    carrier = {root: root}
    for b in subtree(model, root)[1:]:
        carrier[b] = b if b in parts else carrier[int(model.body_parentid[b])]
    bodies = {name: [b for b, first in carrier.items() if first == part] for part, name in parts.items()}
    return modelled(thing, skins(model, category.data, bodies), names, source)


def panda_source() -> str:
    """A hash of the files that the robot's skin is made of."""
    return source_hash(panda_mjcf())


def panda_skin(source: str) -> RobotSkin:
    """The skin of each of the robot's bodies, mount and hand included, by its name, in its own frame."""
    model = mujoco.MjModel.from_xml_string(panda_mjcf())
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    seen = np.unique(model.geom_bodyid[model.geom_group == 1])
    return RobotSkin(skins(model, data, {model.body(b).name: [int(b)] for b in seen if b}), source)
