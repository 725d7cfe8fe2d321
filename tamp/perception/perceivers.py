"""Perceivers for an agent: from cameras and the library of known objects, asked once in a control period."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from motion.robot import RobotDescription
from tamp.model.backend import Observation
from tamp.model.scene import Perceiver, Scene
from tamp.perception.library import load, objects_folder, read_index
from tamp.perception.object_model import RobotSkin

Observe = Callable[[], Observation]
"""Gives what is observed now, with images."""
PerceiverFactory = Callable[[Observe, RobotDescription], Perceiver]
"""Makes a perceiver from how to look, and from the robot that is in the images."""


@dataclass(eq=False)
class CachedPerceiver:
    """Cache perception for one control period, in which nothing moves.

    `now` gives the session's seconds; `looks` and `seconds` count what perceiving took; `saw` gets each scene once.
    """

    perceiver: Perceiver
    now: Callable[[], float]
    saw: Callable[[Scene], None] = lambda scene: None
    looks: int = 0
    seconds: float = 0.0
    _seen: tuple[float, Scene] | None = field(default=None)

    def perceive(self) -> Scene:
        """The scene in this control period."""
        if self._seen is None or self._seen[0] != self.now():
            start = time.perf_counter()
            self._seen = (self.now(), self.perceiver.perceive())
            self.looks, self.seconds = self.looks + 1, self.seconds + time.perf_counter() - start
            self.saw(self._seen[1])
        return self._seen[1]

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period."""
        self.perceiver.felt(observation)


def check_library(folder: Path | None = None) -> None:
    """InputError, naming the command that helps, where the library of objects is not there or not complete."""
    read_index(folder or objects_folder())


def camera_perceivers(folder: Path | None = None, skin: RobotSkin | None = None) -> PerceiverFactory:
    """Makes camera perceivers with the library in a folder, the user's unless given, and a robot's `skin`, by default
    the Panda's. InputError where the library was not built."""
    from tamp.perception.camera import CameraPerceiver
    from tamp.perception.fitting import candidates

    library = load(folder)
    known = candidates(library.values())

    def made(look: Observe, robot: RobotDescription) -> Perceiver:
        return CameraPerceiver(look, library, robot, known=known, skin=skin)

    return made
