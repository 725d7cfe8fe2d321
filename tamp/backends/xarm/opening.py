"""An arm, its hand and its detector in their world, opened for a run or a session."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

from motion.bullet import loaded
from motion.poses import to_quat
from tamp.backends.xarm.arm_backend import ArmBackend
from tamp.backends.xarm.arm_performer import ArmPerformer
from tamp.backends.xarm.arm_stop import ArmFault, ArmStop
from tamp.backends.xarm.detections import Detector, open_detector
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.hand import TcpHand
from tamp.backends.xarm.motion_planner import MotionPlanner, StepRefiner
from tamp.backends.xarm.step_targets import StepTargets
from tamp.backends.xarm.workcell import Workcell
from tamp.pddl.planner import Tell


def cell_fields(cell: Workcell, host: str | None) -> dict[str, Any]:
    """A world as the start of a log has it: its file, the arm and where it is, and where the tool is in the flange's
    frame, x y z in metres and a quaternion w x y z."""
    T = cell.T_flange_tool
    return {"world": cell.name, "arm": cell.arm.name, "tool": [*T[:3, 3], *to_quat(T[:3, :3])], "host": host}


def detector_of(cell: Workcell, say: Callable[[str], None], opened: ExitStack) -> Detector | None:
    """The detector of a world until `opened` is closed; None where it names none. `say` is called with wrong lines."""
    if not cell.detector.source:
        return None
    detector = open_detector(cell, say)
    opened.callback(detector.close)
    return detector


def refiner_in(
    cell: Workcell, tell: Tell, say: Callable[[str], None], opened: ExitStack, check_twice: bool = True
) -> StepRefiner:
    """What refines steps in a world with its detector, until `opened` is closed."""
    targets = StepTargets(cell, detector_of(cell, say, opened))
    if check_twice:
        loaded()  # now, not while the arm moves
    return StepRefiner(MotionPlanner(cell), targets, tell, check_twice)


def performer_at(host: str, port: int, refiner: StepRefiner, stop: ArmStop, opened: ExitStack) -> ArmPerformer:
    """The arm at an address, which nothing else drives until `opened` is closed, and the hand that its world names.
    Nothing is enabled yet, and nothing moves. ArmFault where it does not answer, or is driven already."""
    cell = refiner.planner.cell
    opened.enter_context(claimed(host))
    driver = Driver.connect(host, cell.arm, port)
    opened.callback(driver.close)
    hand = None
    if cell.hand is not None:
        hand = TcpHand(cell.hand)
        opened.callback(hand.close)
    return ArmPerformer(ArmBackend(driver, cell.T_flange_tool), refiner, stop, hand)


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
