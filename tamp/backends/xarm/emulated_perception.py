"""What an emulated arm's world shows over the emulator's own port: where everything is, or pictures alone."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from motion.robot import from_plain
from tamp.backends.physics.table import arranged
from tamp.backends.xarm.arm_stop import ArmFault
from tamp.errors import InputError
from tamp.line_socket import LONGEST, LineSocket
from tamp.model.scene import RobotState, Scene
from tamp.perception.camera_calibration import Camera
from tamp.wire import pack, unpack

if TYPE_CHECKING:
    from tamp.model.backend import Observation

REPLY, PICTURES_REPLY = 2.0, 60.0
"""Seconds in which the emulator has to answer, and in which pictures have to come: before the first ones a renderer is
made ready."""
LONGEST_PICTURES = 32 * 2**20
"""Bytes of an answer with pictures at most."""


class SideChannel:
    """A connection to an emulator's fault port. ArmFault where nothing answers there; answers have up to `longest`
    bytes."""

    def __init__(self, host: str, port: int, longest: int = LONGEST) -> None:
        try:
            self._line = LineSocket((host, port), REPLY, longest)
        except OSError as e:
            raise ArmFault("unseen", f"no emulator answers at {host}:{port}: {e}") from e

    def ask(self, order: Mapping[str, Any], seconds: float = REPLY) -> dict[str, Any]:
        """The answer to an order. ArmFault where it is an error, or does not come within so many seconds."""
        try:
            self._line.send(json.dumps(order).encode(), seconds)
            line = self._line.receive(seconds)
        except OSError as e:
            raise ArmFault("unseen", f"the emulator says nothing any more: {e}") from e
        reply = json.loads(line) if line else {"error": f"no answer within {seconds:g} s"}
        if "error" in reply:
            raise ArmFault("unseen", f"the emulator says: {reply['error']}")
        return dict(reply)

    def close(self) -> None:
        """Disconnect."""
        self._line.close()


class EmulatedOracle(SideChannel):
    """A `Perceiver` that knows all. `start` is the scene that the emulator was given, `robot` says where the arm is."""

    def __init__(self, host: str, port: int, start: Scene, robot: Callable[[], RobotState]) -> None:
        super().__init__(host, port)
        self._start, self._robot, self._time = start, robot, 0.0

    def perceive(self) -> Scene:
        """The scene now."""
        reply = self.ask({"query": "scene"})
        try:
            poses = {name: np.array(T, dtype=float).reshape(4, 4) for name, T in reply["poses"].items()}
            scene = arranged(self._start, poses, reply["joints"])
        except (KeyError, ValueError, StopIteration) as e:
            raise ArmFault("unseen", f"the emulator is in another scene: {e!r}") from e
        return replace(scene, robot=self._robot(), time=self._time, confidence={o.name: 1.0 for o in scene})

    def felt(self, observation: Observation) -> None:
        """What was observed in this control period: only its time is news."""
        self._time = observation.time


class EmulatedCameras(SideChannel):
    """What `tamp xarm emulate --scene` shows of its world, and nothing else. `cameras` are as they were calibrated."""

    def __init__(self, host: str, port: int) -> None:
        """ArmFault where nothing answers, or nothing takes pictures."""
        super().__init__(host, port, LONGEST_PICTURES)
        try:
            self.cameras = tuple(from_plain(Camera, c) for c in self.take()["cameras"])
        except (KeyError, TypeError) as e:
            raise ArmFault("unseen", f"the emulator's cameras are not calibrated: {e!r}") from e

    def take(self) -> Mapping[str, Any]:
        """Pictures now, named as in an observation."""
        reply = self.ask({"query": "pictures"}, PICTURES_REPLY)
        try:
            return unpack(zlib.decompress(base64.b64decode(str(reply["pictures"]))))
        except (KeyError, ValueError, zlib.error, InputError) as e:
            raise ArmFault("unseen", f"the emulator sent no pictures: {e!r}") from e


def pictures_as_text(pictures: Mapping[str, Any]) -> str:
    """Arrays and plain data by name, as text for a line of JSON."""
    return base64.b64encode(zlib.compress(pack(pictures), 1)).decode()
