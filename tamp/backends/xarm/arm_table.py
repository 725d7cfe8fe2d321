"""An arm at a table through its maker's SDK, commanded as every other robot: displacements of the tool become joint
targets a hundred times a second, from a thread of their own, and nothing of it waits in a queue.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress

import numpy as np

from motion.arm_drive import JointServo
from motion.poses import Array
from motion.robot import RobotDescription
from motion.world import World
from tamp.backends import bodies
from tamp.backends.physics.start import TableStart
from tamp.backends.xarm.address import ArmAddress
from tamp.backends.xarm.arm_stop import ArmFault, ArmStop
from tamp.backends.xarm.driver import ALARM, Driver
from tamp.backends.xarm.emulated_perception import EmulatedOracle
from tamp.backends.xarm.opening import claimed
from tamp.backends.xarm.workcell import Load
from tamp.errors import TampError
from tamp.model.scene import RobotState

SAME = 5e-4
"""Metres between two openings from which the gripper is commanded anew."""
AT_HOME = 0.05
"""Radians from its posture up to which an arm may begin."""
EXPIRES = 0.1
"""Seconds after which a command that none follows is over: the arm comes to rest."""
APART = 0.8
"""Of a period, what there is at least between the answer to a target and the next one: the arm goes to the newest at
full speed, so that two at once would be one of twice the speed."""
EVEN = 3.0
"""Periods between two targets up to which the arm is taken to have gone on evenly. It stands still at a target that
none follows, and could not be at the former speed at once after a longer pause."""
WATCHED = 0.05
"""Seconds between two looks at whether the controller still answers."""


class Stream:
    """Sends targets from `start` to `halt`. What goes wrong halts the arm, and is raised by the next call, in the
    caller's thread. `stands` says whether the arm has acknowledged that it stands still; None before it has to."""

    def __init__(self, driver: Driver, servo: JointServo, period: float, stop: ArmStop) -> None:
        self._driver, self._servo, self._period, self._stop = driver, servo, period, stop
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._until: float | None = None
        self._sent = 0.0
        self._fault: TampError | None = None
        self._halting = threading.Lock()
        self.stands: bool | None = None
        self._unstopped: ArmFault | None = None
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._run, self._watch)]

    def start(self) -> None:
        """Begin to send, once there is something to send."""
        for thread in self._threads:
            thread.start()

    def aim(self, q: Array, displacement: Array) -> None:
        """Go on towards a displacement (6,) of the tool: see `JointServo.aim`."""
        if self._fault is not None:
            raise self._fault
        with self._lock:
            if self._servo.strays(q):  # or it was so when this was read, and targets have gone on since
                q = self._driver.checked().q
            self._servo.aim(q, displacement)
            self._until = time.monotonic() + EXPIRES

    def halt(self) -> None:
        """Send nothing any more, and have the arm stand still for good; tried once, by the first caller. ArmFault where
        it does not say that it does."""
        self._ended.set()
        with self._halting:
            if self.stands is None:
                try:
                    self._driver.halt()
                except ArmFault as e:
                    self._unstopped = e
                self.stands = self._unstopped is None
        if self._unstopped is not None:
            raise self._unstopped

    def close(self) -> None:
        """The same, and wait for the threads."""
        try:
            self.halt()
        finally:
            for thread in self._threads:
                if thread.is_alive():
                    thread.join(1.0)

    def _run(self) -> None:
        due = self._sent = time.monotonic()
        while not self._ended.wait(max(0.0, due - time.monotonic())):
            try:
                self._stop.check()
                if (target := self._target()) is not None:
                    self._driver.servo(target)
            except TampError as e:
                self._fail(e)
                return
            # what is late is not made up for
            due = max(due + self._period, time.monotonic() + APART * self._period)

    def _watch(self) -> None:
        """Halt the arm where the controller does not answer, however long calls of the SDK wait for that."""
        while not self._ended.wait(WATCHED):
            if self._until is not None and self._driver.silent > ALARM:
                self._fail(ArmFault("frozen", f"no answer for {ALARM:g} s: what was sent may still be carried out"))
                return

    def _fail(self, fault: TampError) -> None:
        self._fault = fault
        with suppress(ArmFault):  # `close` raises it
            self.halt()

    def _target(self) -> Array | None:
        """The next target (n,), which is sent now; None before there is a command."""
        with self._lock:
            if self._until is None:
                return None
            now = time.monotonic()
            pause, self._sent = now - self._sent, now
            if now > self._until:
                self._servo.brake()
            self._servo.slowed(min(1.0, EVEN * self._period / max(pause, self._period)))
            return self._servo.step(self._period)


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
        """Whatever goes wrong, the arm is halted before it is reported."""
        try:
            yield
        except TampError:
            with suppress(ArmFault):  # `close` raises it
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
    arm, hand = bodies.find(body).for_sdk()
    driver = opened.enter_context(closing(Driver.connect(at.host, arm, at.port)))
    driver.prepare(hand.T_flange_tool, Load(hand.mass, hand.T_flange_tool[:3, 3] / 2))
    table = opened.enter_context(closing(ArmTable(driver, start.robot, stop)))
    return table, opened.enter_context(closing(EmulatedOracle(*at.eyes, start.scene, table.observe)))
