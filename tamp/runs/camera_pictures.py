"""Camera pictures of a run for its page: drawn in a parallel process, a few a second, from where everything is."""

from __future__ import annotations

import contextlib
import ctypes.util
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamp.errors import TampError
from tamp.files.replacing import replace_file
from tamp.worker_process import Cancelled, Make, PendingAnswer, Process

if TYPE_CHECKING:
    from tamp.backends.libero.environment import LiberoEnvironment
    from tamp.backends.physics.photographer import StageModel
    from tamp.backends.physics.table import Arrangement

FOLDER, INDEX = "view", "pictures.json"
"""The folder with the log, and in it the file that says which pictures there are, and from where they are seen."""
NICENESS = 15
"""How much the drawing process gives way to the run, once it is ready: nothing moves yet while it gets ready."""
EVERY = 0.35
"""Seconds from one picture to the next, at least."""
LAST = 3.0
"""Seconds for which the last picture is waited for."""
SIZE, QUALITY = (240, 240), 80
"""Height and width in pixels, and of JPEG."""
MISSING = "no pictures on the page: they need OSMesa: apt-get install libosmesa6"


class PagePictures:
    """Has pictures drawn. `make` makes what draws, in a separate process, with a method `take` for what `arrangement`
    says of the world. The run waits for nothing: while one picture is drawn no other one is asked for."""

    def __init__(self, make: Make, arrangement: Callable[[], Any], say: Callable[[str], None]) -> None:
        self._arrangement, self._say = arrangement, say
        self._process: Process | None = Process(make, "pictures", niceness=0)
        self._asked: PendingAnswer | None = None
        self._due = 0.0

    def step(self) -> None:
        """Ask for a picture when one is due."""
        now = time.monotonic()
        if self._process is None or now < self._due:
            return
        if self._asked is not None:
            if not self._asked.done():
                return
            try:
                self._asked.result()
            except (TampError, RuntimeError) as e:  # the process is gone, or a library has something against drawing
                self._say(f"no more pictures: {e}")
                self._process.close()
                self._process = None
                return
        self._due = now + EVERY
        self._asked = self._process.ask("take", self._arrangement())

    def close(self) -> None:
        """Nothing more is drawn, but for how it is now, if that does not take long."""
        if self._process is not None:
            last = self._process.ask("take", self._arrangement())
            until = time.monotonic() + LAST
            while not last.done() and time.monotonic() < until:
                time.sleep(0.02)
            self._process.close()
            self._process = None


class StageRenderer:
    """Draws a stage, and writes the pictures into a run's folder."""

    def __init__(self, stage: StageModel, folder: Path, cancelled: Cancelled) -> None:

        from tamp.backends.physics.photographer import Photographer

        os.environ.setdefault("LP_NUM_THREADS", "0")  # Mesa draws in this thread, and takes no other core
        self._photographer = Photographer(stage, SIZE)
        self._folder, self._number = folder / FOLDER, 0
        os.nice(NICENESS)

    def take(self, now: Arrangement) -> None:
        """Write a picture of each camera."""
        import imageio.v3 as imageio

        cameras = {}
        for view in self._photographer.images(now):
            file = f"{view.camera}.jpg"
            put(self._folder, file, imageio.imwrite("<bytes>", view.colour, extension=".jpg", quality=QUALITY))
            K = [round(float(view.K[i, k]), 3) for i, k in ((0, 0), (1, 1), (0, 2), (1, 2))]
            at = view.T_world_camera[:3].round(5).ravel().tolist()
            cameras[view.camera] = {"file": file, "size": list(SIZE), "K": K, "T_world_camera": at}
        self._number += 1
        put(self._folder, INDEX, index(self._number, cameras))


def put(folder: Path, name: str, content: bytes) -> None:
    """Put a file into a folder so that a reader finds the old one or the new one, whole."""
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / name, content, sync=False)


def index(number: int, cameras: Mapping[str, Mapping[str, Any]]) -> bytes:
    """What `INDEX` holds: how many times pictures were taken, and of each camera its `file`, `size` (height and width
    in pixels), `K` (fx, fy, cx, cy) and `T_world_camera` (12 numbers, 3 rows of rotation and position; x to the right,
    y down, z into the picture)."""
    return json.dumps({"number": number, "cameras": cameras}).encode()


def can_draw(say: Callable[[str], None]) -> bool:
    """Whether there is what draws without a display; a line says so where there is not."""
    if ctypes.util.find_library("OSMesa") is None:
        say(MISSING)
        return False
    return True


def pictures_of(
    stage: StageModel, arrangement: Callable[[], Arrangement], folder: Path, say: Callable[[str], None]
) -> PagePictures:
    """What draws pictures of a stage."""
    return PagePictures(partial(StageRenderer, stage, folder), arrangement, say)


@contextlib.contextmanager
def pictured(
    environment: LiberoEnvironment, folder: Path, say: Callable[[str], None], on: bool = True
) -> Iterator[None]:
    """Draw pictures of LIBERO's simulator as long as this lasts, where they are wanted, `on`."""
    if not (on and can_draw(say)):
        yield
        return
    from tamp.backends.libero.oracle import OraclePerceiver
    from tamp.backends.physics.photographer import staged

    stage = staged(environment, OraclePerceiver(environment).perceive(), environment.robot_model(), own=True)
    pictures = pictures_of(stage, partial(_arrangement, environment, stage), folder, say)
    environment.after.append(pictures.step)
    try:
        yield
    finally:
        environment.after.remove(pictures.step)
        pictures.close()


def _arrangement(environment: LiberoEnvironment, stage: StageModel) -> Arrangement:
    """Where everything is in LIBERO's simulator."""
    from tamp.backends.physics.table import Arrangement

    model, data = environment.sim.model._model, environment.sim.data._data
    robot = environment.domain.robots[0]
    q, fingers = (data.qpos[list(of)] for of in (robot._ref_joint_pos_indexes, robot._ref_gripper_joint_pos_indexes))
    poses = {name: environment.pose_of(name) for name in stage.things}
    parts = {part: float(data.qpos[int(model.jnt_qposadr[model.joint(name).id])]) for part, name in stage.parts.items()}
    return Arrangement(poses, {"": parts}, q, fingers)
