"""Pictures of the emulated arm's world, drawn in a process of its own: the clock does not wait for them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from functools import partial

from tamp.backends.libero import rendering
from tamp.backends.libero.cameras import observed
from tamp.backends.physics.photographer import Photographer, StageModel
from tamp.backends.physics.table import Arrangement
from tamp.backends.xarm.emulated_perception import pictures_as_text
from tamp.worker_process import Process, ProcessGone


class PictureProcess:
    """Draws a stage; its process begins with the first picture that is requested."""

    def __init__(self, stage: StageModel) -> None:
        self._stage, self._process, self._closed = stage, None, False

    _process: Process | None

    def line(self, now: Arrangement) -> bytes:
        """A line of JSON with the pictures of an arrangement, and the cameras' calibration. Takes a while, and is asked
        by one thread at a time. InputError where nothing can be drawn here, ProcessGone once it is closed."""
        rendering.prepare(video=False, camera=True)
        if self._closed:
            raise ProcessGone("the emulator ends")
        if self._process is None:
            self._process = Process(partial(_made, self._stage), "pictures")
        return bytes(self._process.ask("line", now).wait())

    def close(self) -> None:
        """End the process."""
        self._closed = True
        if self._process is not None:
            self._process.close()


def _made(stage: StageModel, unwanted: Callable[[], bool]) -> _Drawer:
    return _Drawer(stage)


class _Drawer:
    """What draws, in its process."""

    def __init__(self, stage: StageModel) -> None:
        self._photographer = Photographer(stage)
        self._cameras = [dataclasses.asdict(c) for c in stage.cameras]

    def line(self, now: Arrangement) -> bytes:
        """See `PictureProcess.line`."""
        pictures = {**observed(self._photographer.images(now)), "cameras": self._cameras}
        return json.dumps({"pictures": pictures_as_text(pictures)}).encode()
