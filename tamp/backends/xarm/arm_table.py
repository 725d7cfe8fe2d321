"""An arm at a table through its maker's SDK, commanded as every other robot: displacements of the tool become joint
targets a hundred times a second, and nothing of it waits in a queue.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress

import numpy as np

from motion.arm_drive import JointServo
from motion.poses import Array
from motion.robot import RobotDescription
from motion.world import World
from tamp.backends import bodies
from tamp.backends.bodies import RobotBody
from tamp.backends.physics.start import TableStart
from tamp.backends.xarm.address import ArmAddress
from tamp.backends.xarm.arm_faults import ArmFault, ArmStop
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.emulated_perception import EmulatedOracle
from tamp.backends.xarm.opening import claimed
from tamp.backends.xarm.streaming import Stream
from tamp.backends.xarm.workcell import Load
from tamp.errors import TampError
from tamp.model.scene import RobotState

SAME = 5e-4
"""Metres between two openings from which the gripper is commanded anew."""
AT_HOME = 0.05
"""Radians from its posture up to which an arm may begin."""


class ArmTable:
    """A `Backend`. `driver` is connected and prepared, the arm at its posture: ArmFault elsewhere. `opening` (m) is
    what the fingers were last commanded. After `close` it stands still; so it does once `stop` says so, whatever goes
    on."""

    def __init__(self, driver: Driver, robot: RobotDescription, stop: ArmStop | None = None) -> None:
        assert robot.joint_period is not None
        self.robot_model, self.period, self.steps, self.stepping_seconds = robot, robot.period, 0, 0.0
        self._driver, self._world = driver, World(robot, [])
        self._widest = robot.gripper.opening
        off = float(np.abs(driver.checked().q - robot.posture).max())
        if off > AT_HOME:
            raise ArmFault("tracking_error", f"the arm is {off:.2f} rad from where it has to begin, {robot.posture}")
        driver.stream()
        self.opening = self._widest
        driver.grip(1.0)
        self._stop = stop or ArmStop()
        self.stream = Stream(driver, JointServo(robot), robot.joint_period, self._stop)
        self.stream.start()
        self._due = time.monotonic()

    @property
    def time(self) -> float:
        """Seconds: a control period for each command."""
        return self.steps * self.period

    def observe(self) -> RobotState:
        """Proprioception now. ArmFault for an error of the controller."""
        with self._halted_by_faults():
            q = self._where()
            return RobotState(q, self._driver.gripped() * self._widest, self._world.forward(q))

    def command(self, displacement: Array, opening: float) -> None:
        """One control period: see `tamp.model.backend.Backend`."""
        start = time.monotonic()
        with self._halted_by_faults():
            self.stream.aim(self._where(), displacement)
            if abs(opening - self.opening) > SAME:
                self.opening = opening
                self._driver.grip(opening / self._widest)
        self.steps += 1
        self._due = max(self._due + self.period, start)
        time.sleep(max(0.0, self._due - time.monotonic()))
        self.stepping_seconds += time.monotonic() - start

    def stop(self) -> None:
        """Hold still for one control period."""
        self.command(np.zeros(6), self.opening)

    def _where(self) -> Array:
        """The joints now (n,). ArmFault for what is wrong: `stopped` where that is why."""
        try:
            return self._driver.checked().q
        finally:
            self._stop.check()

    @contextmanager
    def _halted_by_faults(self) -> Iterator[None]:
        """Whatever goes wrong, the arm is halted before anybody hears of it."""
        try:
            yield
        except TampError:
            with suppress(ArmFault):  # `close` tells
                self.stream.halt()
            raise

    @property
    def stands(self) -> bool | None:
        """Whether the arm has acknowledged that it stands still for good; None before it has to."""
        return self.stream.stands

    def close(self) -> None:
        """Have the arm stand still for good. ArmFault where it does not say that it does."""
        self.stream.close()


def arm_at_table(
    at: ArmAddress, body: str, start: TableStart, opened: ExitStack, stop: ArmStop | None = None
) -> tuple[ArmTable, EmulatedOracle]:
    """The arm in the scene that it stands in, which nothing else drives until `opened` is closed, and what knows where
    everything is there. ArmFault where it does not answer, is driven already, or is not at its posture."""
    opened.enter_context(claimed(at.host))
    driver = opened.enter_context(_prepared(at, bodies.find(body)))
    table = opened.enter_context(closing(ArmTable(driver, start.robot, stop)))
    return table, opened.enter_context(closing(EmulatedOracle(*at.eyes, start.scene, table.observe)))


@contextmanager
def _prepared(at: ArmAddress, body: RobotBody) -> Iterator[Driver]:
    """The arm, connected and ready with its hand."""
    arm, hand = body.for_sdk()
    with closing(Driver.connect(at.host, arm, at.port)) as driver:
        driver.prepare(hand.T_flange_tool, Load(hand.mass, hand.T_flange_tool[:3, 3] / 2))
        yield driver
