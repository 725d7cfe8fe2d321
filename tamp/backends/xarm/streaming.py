"""Joint targets to an arm at a steady rate, from a thread of their own, whatever the caller is busy with."""

from __future__ import annotations

import contextlib
import threading
import time

from motion.arm_drive import JointServo
from motion.poses import Array
from tamp.backends.xarm.arm_faults import ArmFault, ArmStop
from tamp.backends.xarm.driver import ALARM, Driver
from tamp.errors import TampError

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
        with contextlib.suppress(ArmFault):  # `close` raises it
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
