"""An arm, its hand and its detector in their world, opened for a run or a session."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager

from motion.poses import to_quat
from tamp.backends.xarm.arm_faults import ArmFault
from tamp.backends.xarm.detections import Detector, open_detector
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.hand import HandController, TcpHand
from tamp.backends.xarm.workcell import Workcell


def tool_of(cell: Workcell) -> list[float]:
    """Where the tool is in the flange's frame: x y z in metres, and a quaternion w x y z."""
    T = cell.T_flange_tool
    return [*T[:3, 3], *to_quat(T[:3, :3])]


def detector_of(cell: Workcell, say: Callable[[str], None], opened: ExitStack) -> Detector | None:
    """The detector of a world until `opened` is closed; None where it names none. `say` is called with wrong lines."""
    if not cell.detector.source:
        return None
    detector = open_detector(cell, say)
    opened.callback(detector.close)
    return detector


def connected(cell: Workcell, address: str, port: int, opened: ExitStack) -> tuple[Driver, HandController | None]:
    """The arm at an address, and the hand that its world names, until `opened` is closed. Nothing is enabled yet, and
    nothing moves."""
    driver = Driver.connect(address, cell.arm, port)
    opened.callback(driver.close)
    if cell.hand is None:
        return driver, None
    hand = TcpHand(cell.hand)
    opened.callback(hand.close)
    return driver, hand


@contextmanager
def claimed(host: str) -> Iterator[None]:
    """Hold the arm at an address. ArmFault `taken` when another process of this machine does, of any user.

    The name is an abstract Unix socket's (Linux): no file, so neither TMPDIR nor the rights to a folder matter.
    """
    name = f"\0tamp-xarm-{host}"
    with closing(socket.socket(socket.AF_UNIX)) as claim:
        try:
            claim.bind(name)
            claim.listen()
        except OSError as e:
            raise ArmFault("taken", f"another run drives the arm at {host} (process {_holder(name)})") from e
        yield


def _holder(name: str) -> str:
    """The process that listens under a name."""
    with closing(socket.socket(socket.AF_UNIX)) as asking:
        try:
            asking.settimeout(1.0)
            asking.connect(name)
            credentials = asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        except OSError:
            return "unknown"
    return str(struct.unpack("3i", credentials)[0])
