"""Numbers, poses and kinds of solids as files of models have them."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from motion.poses import Array, to_quat
from motion.shapes import Kind

SOLIDS: dict[int, Kind] = {
    int(mujoco.mjtGeom.mjGEOM_BOX): "box",
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): "cylinder",
    int(mujoco.mjtGeom.mjGEOM_SPHERE): "sphere",
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): "capsule",
}
"""What MuJoCo's geoms with a volume are called here."""


def numbers(values: ArrayLike) -> str:
    """Numbers as XML attributes have them, none rounded."""
    return " ".join(repr(float(v)) for v in np.asarray(values).ravel())


def placed(T: Array) -> dict[str, str]:
    """A pose (4, 4) as MJCF has it."""
    return {"pos": numbers(T[:3, 3]), "quat": numbers(to_quat(T[:3, :3]))}
