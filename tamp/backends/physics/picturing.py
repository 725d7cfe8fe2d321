"""Pictures of a table for a page that is looked at while a run goes on: drawn from where everything is."""

from __future__ import annotations

import contextlib
import ctypes.util
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tamp.backends.libero.environment import LiberoEnvironment
from tamp.backends.libero.oracle import OraclePerceiver
from tamp.backends.physics.photographer import Photographer, Stage, staged
from tamp.backends.physics.table import Arrangement
from tamp.runs.pictures import FOLDER, INDEX, NICENESS, Pictures, index, put
from tamp.worker_process import Cancelled

SIZE = (240, 240)
"""Height and width in pixels."""
QUALITY = 80
MISSING = "no pictures on the page: they need OSMesa: apt-get install libosmesa6"


class Studio:
    """Draws, and writes the pictures into a run's folder."""

    def __init__(self, stage: Stage, folder: Path, cancelled: Cancelled) -> None:
        os.environ.setdefault("LP_NUM_THREADS", "0")  # Mesa draws in this thread, and takes no other core
        self._photographer = Photographer(stage, SIZE)
        self._folder, self._number = folder / FOLDER, 0
        os.nice(NICENESS)

    def take(self, now: Arrangement) -> None:
        """Write a picture of each camera."""
        import imageio.v3 as imageio

        cameras = {}
        for seen in self._photographer.images(now):
            file = f"{seen.camera}.jpg"
            put(self._folder, file, imageio.imwrite("<bytes>", seen.colour, extension=".jpg", quality=QUALITY))
            K = [round(float(seen.K[i, k]), 3) for i, k in ((0, 0), (1, 1), (0, 2), (1, 2))]
            told = {"file": file, "size": list(SIZE), "K": K}
            cameras[seen.camera] = told | {"T_world_camera": seen.T_world_camera[:3].round(5).ravel().tolist()}
        self._number += 1
        put(self._folder, INDEX, index(self._number, cameras))


def can_draw(say: Callable[[str], None]) -> bool:
    """Whether there is what draws without a display; it is said where there is not."""
    if ctypes.util.find_library("OSMesa") is None:
        say(MISSING)
        return False
    return True


def pictures_of(
    stage: Stage, arrangement: Callable[[], Arrangement], folder: Path, say: Callable[[str], None]
) -> Pictures:
    """Pictures of a stage."""
    return Pictures(partial(Studio, stage, folder), arrangement, say)


@contextlib.contextmanager
def pictured(
    environment: LiberoEnvironment, folder: Path, say: Callable[[str], None], on: bool = True
) -> Iterator[None]:
    """Pictures of LIBERO's simulator as long as this lasts, where they are wanted, `on`."""
    if not (on and can_draw(say)):
        yield
        return
    stage = staged(environment, OraclePerceiver(environment).perceive(), environment.robot_model(), own=True)
    pictures = pictures_of(stage, _arrangement(environment, stage), folder, say)
    environment.after.append(pictures.step)
    try:
        yield
    finally:
        environment.after.remove(pictures.step)
        pictures.close()


def _arrangement(environment: LiberoEnvironment, stage: Stage) -> Callable[[], Arrangement]:
    """Says where everything is in LIBERO's simulator."""
    model, data = environment.sim.model._model, environment.sim.data._data
    robot = environment.domain.robots[0]
    joints = list(robot._ref_joint_pos_indexes)
    fingers = list(robot._ref_gripper_joint_pos_indexes)
    at: dict[str, Any] = {part: int(model.jnt_qposadr[model.joint(name).id]) for part, name in stage.parts.items()}

    def now() -> Arrangement:
        poses = {name: environment.pose_of(name) for name in stage.things}
        parts = {part: float(data.qpos[n]) for part, n in at.items()}
        return Arrangement(poses, {"": parts}, np.array(data.qpos[joints]), np.array(data.qpos[fingers]))

    return now
