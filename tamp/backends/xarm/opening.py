"""An arm, its hand and its detector in their world, opened for whoever drives it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from motion.poses import to_quat
from tamp.backends.xarm.claim import claimed
from tamp.backends.xarm.detections import Detector, open_detector
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.hand import Hand, TcpHand
from tamp.backends.xarm.workcell import Workcell


def tool_of(cell: Workcell) -> list[float]:
    """Where the tool is in the flange's frame: x y z in metres, and a quaternion w x y z."""
    T = cell.T_flange_tool
    return [*T[:3, 3], *to_quat(T[:3, :3])]


def detector_of(cell: Workcell, say: Callable[[str], None], opened: ExitStack) -> Detector | None:
    """What sees in a world, until `opened` is closed; None where it names nobody. `say` is told of wrong lines."""
    if not cell.detector.source:
        return None
    detector = open_detector(cell, say)
    opened.callback(detector.close)
    return detector


def claim(address: str, opened: ExitStack) -> None:
    """Keep others from the arm at an address until `opened` is closed. ArmFault `taken` when another run has it."""
    opened.enter_context(claimed(address))


def connected(cell: Workcell, address: str, port: int, opened: ExitStack) -> tuple[Driver, Hand | None]:
    """The arm at an address, and the hand that its world names, until `opened` is closed. Nothing is enabled yet, and
    nothing moves."""
    driver = Driver.connect(address, cell.arm, port)
    opened.callback(driver.close)
    if cell.hand is None:
        return driver, None
    hand = TcpHand(cell.hand)
    opened.callback(hand.close)
    return driver, hand
