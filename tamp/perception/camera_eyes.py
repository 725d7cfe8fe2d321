"""Eyes for a policy: cameras, and the library of known objects, which is the same for every task."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from motion.robot import RobotDescription
from tamp.model.backend import Observation
from tamp.model.scene import Perceiver
from tamp.perception.library import load, objects_folder, read_index
from tamp.perception.object_model import RobotSkin

Look = Callable[[], Observation]
"""Gives what is observed now, with images."""
Eyes = Callable[[Look, RobotDescription], Perceiver]
"""Makes a perceiver from how to look, and from the robot that is in the images."""


def check_eyes(folder: Path | None = None) -> None:
    """InputError, naming the command that helps, where the library of objects is not there or not complete."""
    read_index(folder or objects_folder())


def camera_eyes(folder: Path | None = None, skin: RobotSkin | None = None) -> Eyes:
    """Eyes with the library in a folder, by default the user's, for a robot with a `skin`, by default the Panda's.
    InputError where the library was not built."""
    from tamp.perception.camera import CameraPerceiver
    from tamp.perception.candidates import candidates

    library = load(folder)
    known = candidates(library.values())

    def made(look: Look, robot: RobotDescription) -> Perceiver:
        return CameraPerceiver(look, library, robot, known=known, skin=skin)

    return made
