"""Joint targets to an arm at a steady rate, from a thread of their own, whatever whoever commands is busy with."""

from __future__ import annotations

import threading
import time

from motion.joint_servo import JointServo
from motion.poses import Array
from tamp.backends.xarm.driver import Driver
from tamp.backends.xarm.stopping import Stop
from tamp.errors import TampError

EXPIRES = 0.1
"""Seconds after which a command that none follows is over: the arm comes to rest."""
LATE = 0.01
"""Seconds after its time from which a target counts as late."""


class Stream:
    """Sends targets from `start` to `stop`. What goes wrong is raised by the next call, in the caller's thread."""

    def __init__(self, driver: Driver, servo: JointServo, period: float, stop: Stop) -> None:
        self._driver, self._servo, self._period, self._stop = driver, servo, period, stop
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._until: float | None = None
        self._fault: TampError | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.sent, self.late = 0, 0

    def start(self) -> None:
        """Begin to send, once there is something to send."""
        self._thread.start()

    def aim(self, q: Array, displacement: Array) -> None:
        """Go on towards a displacement (6,) of the tool: see `JointServo.aim`."""
        if self._fault is not None:
            raise self._fault
        with self._lock:
            self._servo.aim(q, displacement)
            self._until = time.monotonic() + EXPIRES

    def stop(self) -> None:
        """Send nothing any more."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(1.0)

    def _run(self) -> None:
        due = time.monotonic()
        while not self._ended.wait(max(0.0, due - time.monotonic())):
            now = time.monotonic()
            self.late += now - due > LATE
            due = max(due + self._period, now)  # what is late is not made up for
            if self._told_to_stop():
                return
            with self._lock:
                if self._until is None:
                    continue
                if now > self._until:
                    self._servo.brake()
                target = self._servo.step(self._period)
            try:
                self._driver.servo(target)
            except TampError as e:
                self._fault = e
                return
            self.sent += 1

    def _told_to_stop(self) -> bool:
        """Whether somebody says so: the arm then stands still at once, whatever its mind is busy with."""
        if not self._stop.reason:
            return False
        try:
            self._stop.check()
        except TampError as e:
            self._fault = e
        try:
            self._driver.halt()
        except TampError as e:
            self._fault = e
        return True
