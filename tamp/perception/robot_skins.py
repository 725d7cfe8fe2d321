"""The skin of any robot, from the shapes of its description: what cameras see of it, where nothing else is known.

Made in a few seconds and kept beside the library of objects, since a robot looks the same in every scene.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import mujoco

from motion.robot import RobotDescription
from tamp.errors import InputError
from tamp.perception.library import made_with, objects_folder
from tamp.perception.model_files import Entry, read, write
from tamp.perception.object_model import RobotSkin
from tamp.perception.skinning import skins

BODIES = "bodies"
"""Folder of the skins beside the library's own."""


def skin_of_robot(robot: RobotDescription, folder: Path | None = None) -> RobotSkin:
    """The skin of each body of a robot, by its name, in its own frame: kept in a folder, by default the library's, or
    made anew. Drawing needs OSMesa. InputError where the folder takes no file."""
    source = hashlib.sha256(robot.mjcf.encode()).hexdigest()
    path = (folder or objects_folder()) / BODIES / f"{source[:16]}.npz"
    recipe = made_with()
    if path.exists():
        with contextlib.suppress(InputError):  # damaged: made anew
            kept = read(path)
            if isinstance(kept.model, RobotSkin) and kept.model.source == source and kept.made_with == recipe:
                return kept.model
    model = mujoco.MjModel.from_xml_string(robot.mjcf)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    made = RobotSkin(skins(model, data, {model.body(b).name: [b] for b in range(1, model.nbody)}), source)
    write(path, Entry(made, recipe))
    return made
