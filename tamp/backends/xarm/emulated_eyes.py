"""Eyes of an emulated arm's world: the emulator says where everything is, over its own port."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tamp.backends.physics.table import arranged
from tamp.backends.xarm.faults import ArmFault
from tamp.backends.xarm.side_channel import SideChannel
from tamp.model.scene import RobotState, Scene

if TYPE_CHECKING:
    from tamp.model.backend import Observation


class EmulatedEyes:
    """A `Perceiver` that knows all. `start` is the scene that the emulator was given, `robot` says where the arm is."""

    def __init__(self, host: str, port: int, start: Scene, robot: Callable[[], RobotState]) -> None:
        self._start, self._robot, self._time = start, robot, 0.0
        self._side = SideChannel(host, port)

    def perceive(self) -> Scene:
        """The scene now."""
        told = self._side.ask({"query": "scene"})
        try:
            poses = {name: np.array(T, dtype=float).reshape(4, 4) for name, T in told["poses"].items()}
            scene = arranged(self._start, poses, told["joints"])
        except (KeyError, ValueError, StopIteration) as e:
            raise ArmFault("unseen", f"the emulator is in another scene: {e!r}") from e
        return replace(scene, robot=self._robot(), time=self._time, confidence={o.name: 1.0 for o in scene})

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period: only its time is news."""
        self._time = observation.time

    def close(self) -> None:
        """Disconnect."""
        self._side.close()
