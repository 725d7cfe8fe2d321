"""The skin of the Panda that LIBERO uses, with its hand and mount, from robosuite's own robot files."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from tamp.backends.libero.categories import source_hash
from tamp.backends.libero.panda import panda_mjcf
from tamp.perception.object_model import RobotSkin
from tamp.perception.skinning import skins


def panda_source() -> str:
    """A hash of the files that the skin is made of."""
    return source_hash(panda_mjcf())


def panda_skin(source: str) -> RobotSkin:
    """The skin of each body, by its name, in its own frame."""
    model = mujoco.MjModel.from_xml_string(panda_mjcf())
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return RobotSkin(skins(model, data, _seen(model)), source)


def _seen(model: Any) -> dict[str, list[int]]:
    """The bodies that have something to be seen."""
    bodies = np.unique(model.geom_bodyid[model.geom_group == 1])
    return {model.body(b).name: [int(b)] for b in bodies if b}
