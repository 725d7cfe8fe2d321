"""Targets that come late, as on a loaded machine: the stream's own thread, held up by what it sends to."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import cast

import numpy as np
import pytest

from motion.arm_drive import FAR, JointServo
from motion.poses import Array
from tamp.backends import bodies
from tamp.backends.xarm.arm_stop import ArmStop
from tamp.backends.xarm.arm_table import APART, ArmTable, Stream
from tamp.backends.xarm.driver import Condition, Driver
from tamp.backends.xarm.workcell import Load
from tests.emulated import Emulator, one_at_a_time, running

pytestmark = pytest.mark.usefixtures("real_time")

BODY = bodies.find("xarm7")
ROBOT = BODY.at(np.eye(4))
PERIOD, LATE, UP = 0.01, 0.2, np.array([0.0, 0.0, 0.05, 0.0, 0.0, 0.0])


class Held:
    """An arm that is where it was told to be, and takes `LATE` seconds for some of the targets (by number)."""

    def __init__(self, *late: int) -> None:
        self.q, self.late = ROBOT.posture, late
        self.targets: list[Array] = []
        self.sent: list[float] = []
        self.answered: list[float] = []

    silent = 0.0

    def servo(self, q: Array) -> None:
        self.sent.append(time.monotonic())
        time.sleep(LATE if len(self.sent) in self.late else 0.0)
        self.q = q
        self.targets.append(q)
        self.answered.append(time.monotonic())

    def checked(self) -> Condition:
        return Condition(1, 0, 0, 0, self.q)

    def halt(self) -> None:
        """It stands still at every target."""


def streamed(arm: Held, count: int, read: Callable[[], Array] | None = None) -> Array:
    """The joints' steps (count, n) between targets, while the arm is asked to go up all the time."""
    stream = Stream(cast(Driver, arm), JointServo(ROBOT), PERIOD, ArmStop())
    stream.aim(arm.q, UP)
    stream.start()
    while len(arm.targets) <= count:
        stream.aim(arm.q if read is None else read(), UP)
        time.sleep(PERIOD / 2)
    stream.close()
    return np.diff(np.array([ROBOT.posture, *arm.targets]), axis=0)[: count + 1]


def fastest(steps: Array) -> float:
    return float(np.abs(steps).max())


def test_after_a_target_that_came_late_the_arm_sets_off_from_rest() -> None:
    steps = streamed(Held(40), 80)
    from_rest, before, after = fastest(steps[:1]), fastest(steps[:40]), fastest(steps[40:41])
    assert after < 2 * from_rest + 0.2 * before, "it stands still at a target that none follows"
    assert fastest(steps[41:46]) < before, "and nothing is made up for"
    assert np.abs(np.diff(steps[40:], axis=0)).max() < 4 * from_rest, "it speeds up as it did at first"


def test_two_targets_never_come_at_once() -> None:
    arm = Held(10, 20, 21, 40)
    streamed(arm, 60)
    apart = np.array(arm.sent[1:]) - np.array(arm.answered[: len(arm.sent) - 1])
    assert apart.min() > (APART - 0.1) * PERIOD


def test_who_read_the_joints_long_ago_does_not_bring_the_arm_back() -> None:
    arm = Held()
    steps = streamed(arm, 80, lambda: ROBOT.posture)
    assert np.abs(arm.q - ROBOT.posture).max() > FAR, "it has gone far from where it was read"
    assert fastest(steps) < 0.5 * FAR, "a target goes from the one before it"


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with one_at_a_time(), running("xarm7", "--scene", "libero_goal/8", "--init-state", "0") as found:
        yield found


@pytest.fixture
def table(emulator: Emulator) -> Iterator[ArmTable]:
    arm, hand = BODY.for_sdk()
    emulator.ask(teleport=ROBOT.posture.tolist())
    driver = Driver.connect(emulator.host, arm, emulator.port)
    driver.clear()
    driver.prepare(hand.T_flange_tool, Load(hand.mass, hand.T_flange_tool[:3, 3] / 2))
    found = ArmTable(driver, ROBOT)
    yield found
    found.close()
    driver.close()


@pytest.mark.process
def test_an_arm_in_the_middle_of_a_motion_goes_on_after_the_controller_was_late(
    emulator: Emulator, table: ArmTable
) -> None:
    for way in (UP, -UP, UP):
        for n in range(14):
            if n in (6, 10):
                emulator.ask(fault="freeze", seconds=LATE)  # its arm goes on meanwhile
            table.command(way, table.opening)
        for _ in range(4):
            table.stop()
    assert emulator.state()["error"] == 0
