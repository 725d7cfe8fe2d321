"""Eyes for a policy: cameras, and the library of known objects, which is the same for every task."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

from motion.robot import RobotDescription
from tamp.errors import InputError
from tamp.model.scene import Perceiver
from tamp.perception.library import load, objects_folder, read_index
from tamp.policy.policy import Eyes, Look

_CAMERA = "tamp.perception.camera"


def check_eyes(folder: Path | None = None) -> None:
    """InputError, naming the command that helps, where the library of objects is not there or not complete."""
    if importlib.util.find_spec(_CAMERA) is None:
        raise InputError("--perception camera is not built yet; valid: oracle")
    read_index(folder or objects_folder())


def camera_eyes(folder: Path | None = None) -> Eyes:
    """Eyes with the library in a folder, by default the user's. InputError where that was not built."""
    check_eyes(folder)
    library = load(folder)

    def made(look: Look, robot: RobotDescription) -> Perceiver:
        perceiver: Perceiver = importlib.import_module(_CAMERA).CameraPerceiver(look, library, robot)
        return perceiver

    return made
