"""Perceive a table through cameras that take pictures on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motion.robot import RobotDescription
from tamp.agent.instruction import Instruction
from tamp.agent.searching import ObjectSearch, Reads, search_with
from tamp.agent.tabletop import Tabletop
from tamp.errors import Refusal, TampError
from tamp.model.backend import Backend, Observation
from tamp.model.images import Image
from tamp.model.scene import Perceiver, Scene
from tamp.perception.camera_calibration import Camera
from tamp.perception.observations import Alive, pictures
from tamp.perception.perceivers import CachedPerceiver, PerceiverFactory

Take = Callable[[], Mapping[str, Any]]
"""Takes pictures now, named as in an observation: see `tamp.perception.observations`."""
MOVED = 0.002
"""Radians by which the arm may have moved while a picture was taken: two millimetres a metre away."""
TRIES = 20
"""Pictures that are taken until it stood still."""


@dataclass(eq=False)
class TabletopPerceiver:
    """A `Perceiver` of what `take` shows, through `cameras` that are where the calibration has them. `robot` is what
    stands at the `table` and is seen there; `make` makes the perceiver. `saw` gets each scene once."""

    table: Backend
    robot: RobotDescription
    cameras: tuple[Camera, ...]
    take: Take
    make: PerceiverFactory
    saw: Callable[[Scene], None] = lambda scene: None
    searches: bool = True
    problem: str | None = None
    """Why the last look came to nothing."""
    _images: tuple[Image, ...] = ()
    _alive: Alive = field(default_factory=Alive)
    _perceiver: Perceiver = field(init=False)
    _cached: CachedPerceiver = field(init=False)

    def __post_init__(self) -> None:
        self._perceiver = self.make(self._look, self.robot)
        self._cached = CachedPerceiver(self._perceiver, lambda: self.table.time, self.saw)

    @property
    def looks(self) -> int:
        """How often it looked."""
        return self._cached.looks

    @property
    def seconds(self) -> float:
        """What looking has taken."""
        return self._cached.seconds

    def perceive(self) -> Scene:
        """The scene in this control period. Refusal where nothing can be seen, or the arm does not come to rest."""
        return self._cached.perceive()

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period."""
        self._cached.felt(observation)

    def shown(self, said: Instruction) -> Instruction:
        """An instruction with what was seen last."""
        return said.shown(self._images)

    def search(self, at: Tabletop, reads: Reads, seed: int) -> ObjectSearch | None:
        """A search of the table by this perceiver: what is lost, or hardly seen, is looked for from now on. None where
        that is not wanted, or there is no camera on the hand."""
        at.looks_cost = True
        return search_with(at, self._perceiver, self.cameras, self._images, seed, reads) if self.searches else None

    def _look(self) -> Observation:
        """Pictures, and the encoders at the moment when they were taken."""
        try:
            observation = self._observed()
        except TampError as e:
            self.problem = str(e)
            raise
        self._images, self.problem = observation.images, None
        return observation

    def _observed(self) -> Observation:
        before = self.table.observe()
        for _ in range(TRIES):
            told, robot = self.take(), self.table.observe()
            if np.abs(robot.q - before.q).max() <= MOVED:
                break
            before = robot
        else:
            raise Refusal("the arm does not come to rest: its pictures show it elsewhere than its encoders", "moving")
        images = pictures(told, self.cameras, robot.T_world_tool)
        self._alive.check(images, robot.q)
        return Observation(self.table.time, robot, images)
