"""Cameras of an emulated arm's world: the emulator takes their pictures, and says how they were calibrated."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

from motion.robot import from_plain
from tamp.backends.xarm.faults import ArmFault
from tamp.backends.xarm.side_channel import SideChannel
from tamp.errors import InputError
from tamp.perception.camera_calibration import Camera
from tamp.wire import pack, unpack

REPLY = 60.0
"""Seconds in which pictures have to come: before the first ones a renderer is made ready."""
LONGEST = 32 * 2**20
"""Bytes of an answer with pictures at most."""


class EmulatedCameras:
    """What `tamp xarm emulate --scene` shows of its world, and nothing else. `cameras` are as they were calibrated."""

    def __init__(self, host: str, port: int) -> None:
        """ArmFault where nobody answers, or nobody takes pictures."""
        self._side = SideChannel(host, port, LONGEST)
        told = self._asked()
        try:
            self.cameras = tuple(from_plain(Camera, c) for c in told["cameras"])
        except (KeyError, TypeError) as e:
            raise ArmFault("unseen", f"the emulator's cameras are not calibrated: {e!r}") from e

    def take(self) -> Mapping[str, Any]:
        """Pictures now, named as in an observation."""
        return self._asked()

    def close(self) -> None:
        """Disconnect."""
        self._side.close()

    def _asked(self) -> Mapping[str, Any]:
        told = self._side.ask({"query": "pictures"}, REPLY)
        try:
            return pictures_from(str(told["pictures"]))
        except (KeyError, ValueError, zlib.error, InputError) as e:
            raise ArmFault("unseen", f"the emulator sent no pictures: {e!r}") from e


def as_text(told: Mapping[str, Any]) -> str:
    """Arrays and plain data by name, as text for a line of JSON."""
    return base64.b64encode(zlib.compress(pack(told), 1)).decode()


def pictures_from(text: str) -> dict[str, Any]:
    """What a text holds. ValueError, zlib.error or InputError where it holds none."""
    return unpack(zlib.decompress(base64.b64decode(text)))
