"""Eyes of an emulated arm's world: the emulator says where everything is, over its own port."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tamp.backends.pybullet.world import arranged
from tamp.backends.xarm.faults import ArmFault
from tamp.execution.line_socket import LineSocket
from tamp.model.scene import RobotState, Scene

if TYPE_CHECKING:
    from tamp.execution.activity import Observation

REPLY = 2.0
"""Seconds in which the emulator has to answer."""


class EmulatedEyes:
    """A `Perceiver` that knows all. `start` is the scene that the emulator was given, `robot` says where the arm is."""

    def __init__(self, host: str, port: int, start: Scene, robot: Callable[[], RobotState]) -> None:
        self._start, self._robot, self._time = start, robot, 0.0
        try:
            self._line = LineSocket(host, port, REPLY)
        except OSError as e:
            raise ArmFault("unseen", f"no emulator answers at {host}:{port}: {e}") from e

    def perceive(self) -> Scene:
        """The scene now."""
        told = self.ask({"query": "scene"})
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
        self._line.close()

    def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """What the emulator answers to an order. ArmFault where it does not, or says what is wrong."""
        try:
            self._line.send(json.dumps(order).encode(), REPLY)
            line = self._line.receive(REPLY)
        except OSError as e:
            raise ArmFault("unseen", f"the emulator says nothing any more: {e}") from e
        told = json.loads(line) if line else {"error": f"no answer within {REPLY:g} s"}
        if "error" in told:
            raise ArmFault("unseen", f"the emulator says: {told['error']}")
        return dict(told)
