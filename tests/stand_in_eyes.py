"""Eyes for tests of what is around them: scenes come through a pipe from whoever has the simulation.

The product never offers this: a policy there is given pictures and nothing else. Imported in the policy's process,
which may have neither LIBERO nor robosuite.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from motion.robot import RobotDescription
from tamp.agent.camera_perceiver import Observe
from tamp.model.backend import Observation
from tamp.model.scene import Scene


@dataclass(eq=False)
class PipedEyes:
    """Asks for a scene when it looks. `seen` are shapes of the pictures, `modules` what was loaded by then."""

    look: Observe
    connection: Connection
    felt_times: list[float] = field(default_factory=list)

    def perceive(self) -> Scene:
        observation = self.look()
        modules = [name for name in ("libero", "robosuite") if name in sys.modules]
        pictures = [(i.camera, i.colour.shape, i.depth.shape, float(i.depth.max())) for i in observation.images]
        self.connection.send({"modules": modules, "pictures": pictures, "felt": len(self.felt_times)})
        scene: Scene = self.connection.recv()
        return replace(scene, robot=observation.robot, time=observation.time)

    def felt(self, observation: Observation) -> None:
        self.felt_times.append(observation.time)


@dataclass(frozen=True)
class StandIn:
    """Makes such eyes: see `tamp.agent.camera_perceiver.PerceiverFactory`."""

    connection: Connection

    def __call__(self, look: Observe, robot: RobotDescription) -> PipedEyes:
        return PipedEyes(look, self.connection)


@contextmanager
def answering(scene: Callable[[], Scene]) -> Iterator[tuple[StandIn, list[dict[str, Any]]]]:
    """The stand-in for scenes that `scene` gives, and what it said at each look. Whoever steps the simulation waits for
    the policy meanwhile, so that the scene is read from another thread while nothing moves."""
    ours, theirs = Pipe()
    looks: list[dict[str, Any]] = []

    def answer() -> None:
        while True:
            try:
                looks.append(ours.recv())
                ours.send(scene())
            except (EOFError, OSError, TypeError):
                return

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    try:
        yield StandIn(theirs), looks
    finally:
        theirs.close()
        ours.close()
        thread.join(timeout=2)
