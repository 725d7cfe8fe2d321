"""One arm through UFACTORY's unmodified SDK: what it says of itself, moves that are not waited for, and stopping.

Radians and metres here; the SDK takes millimetres. Every call answers within `REPLY` seconds or is a fault: a
controller that does not answer may still carry out what it was sent, so that a move which was not acknowledged is
stopped before anything else.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from motion.arms import ARMS, Arm
from motion.poses import Array, to_rpy
from tamp.backends.xarm.address import CONTROL_PORT
from tamp.backends.xarm.arm_stop import ArmFault, api_meaning, error_meaning, meanings, warning_meaning
from tamp.backends.xarm.sdk import NO_ANSWER, PAUSE, REPLY, opened
from tamp.backends.xarm.workcell import Load, Rates

LISTENS = 0.3
"""Seconds in which a controller that is there takes a connection. The arm may be moving meanwhile."""
CONNECTS, RECONNECTS = 5.0, 1.0
"""Seconds for an attempt to connect: before anything moves, and while the arm may be moving. The SDK alone tries for
12 s when the connection breaks while it is set up."""
HALTS = 5.0
"""Seconds for which a stop is tried."""
ALARM = 1.2
"""Seconds without an answer from the controller after which a stop that is not acknowledged raises the alarm."""
UNSTOPPED = "press the emergency stop"
"""What to do when the arm did not acknowledge that it stands still."""
READY_IN, SETTLED = 3.0, 0.15
"""Seconds for it to be ready after it was enabled, and for which it has to stay so."""
STILL = 1e-4
"""Radians between two readings `PAUSE` apart up to which an arm stands still."""

NOT_CONNECTED, DONE, WARNED, NOT_READY = -1, 0, 2, 9
"""Codes of the SDK's calls. `WARNED` is its reading of a reply that says nothing of an error or of data that was not
taken, but that a warning is left: what was sent was done. Most of its calls make it 0 themselves; some do not."""
CLEAR = "(clear it with `tamp xarm clear`)"
STREAMING = 1
"""The controller's mode in which it goes to the newest of the joint targets."""
GRIPPER_OPEN, GRIPPER_SPEED = 850, 5000
"""Pulses of an xArm's gripper that is open, and r/min, the most that it takes."""
MODELS = {(6, 9): "lite6", (6, 12): "850"}
"""Arms of six joints that are no xArm 6, by their joints and type."""
STATE_MOVING, STATE_READY, STATE_PAUSED, STATE_STOPPED, STATE_CHANGED = 1, 2, 3, 4, 5


@dataclass(frozen=True, eq=False)
class Condition:
    """What the controller says: state, codes of its error and warning (0: none), commands in its queue, joints (n,) in
    radians."""

    state: int
    error: int
    warning: int
    queued: int
    q: Array

    @property
    def warned(self) -> str:
        """The warning that is left in words, with what to do about it."""
        return f"the controller has a warning left: {warning_meaning(self.warning)} {CLEAR}"

    def checked(self) -> Condition:
        """The same. ArmFault for an error of the controller, and when something else stopped it."""
        if self.error:
            raise ArmFault("error", error_meaning(self.error))
        if self.state >= STATE_STOPPED:
            message = f"the controller was stopped or reconfigured by something else (state {self.state})"
            raise ArmFault("taken", message)
        return self

    @property
    def moving(self) -> bool:
        """Whether it moves, or has something left to do."""
        return self.state == STATE_MOVING or self.queued > 0

    @property
    def idle(self) -> bool:
        """Whether it can take a move and has none."""
        return self.state == STATE_READY and not self.queued and not self.error


@dataclass(eq=False)
class Driver:
    """A connected arm. Its methods raise ArmFault and may be called from any thread: the SDK takes one at a time."""

    arm: Arm
    host: str
    port: int
    _api: Any = field(repr=False)
    _halting: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _answered: float = field(default_factory=time.monotonic, repr=False)

    @classmethod
    def connect(cls, host: str, arm: Arm | None, port: int = CONTROL_PORT) -> Driver:
        """ArmFault when nothing answers as a controller, or another arm does; None: whichever it is. Nothing moves by
        connecting."""
        api = opened(host, port, CONNECTS)
        wanted = arm or ARMS.get(MODELS.get((api.axis, api.device_type), f"xarm{api.axis}"))
        if wanted is None or api.axis != wanted.joints:
            api.disconnect()
            valid = f"{wanted.name} has {wanted.joints}" if wanted else "known are arms of 5, 6 and 7"
            raise ArmFault("unreachable", f"the arm at {host} has {api.axis} joints; {valid}")
        return cls(wanted, host, port, api)

    def close(self) -> None:
        """Disconnect. A move that is under way goes on: `halt` first."""
        with contextlib.suppress(Exception):
            self._api.disconnect()

    def reconnect(self) -> None:
        """A new connection in the place of one that broke. ArmFault `lost` when there is none."""
        self.close()
        try:
            self._api = opened(self.host, self.port, RECONNECTS)
        except ArmFault as e:
            raise ArmFault("lost", str(e) if self._listens() else self._gone) from e

    # What it says

    @property
    def silent(self) -> float:
        """Seconds since it last answered."""
        return time.monotonic() - self._answered

    def condition(self) -> Condition:
        """State, error, warning, queue and joints as they are now, not as the last report had them."""
        state = self._ask(self._api.get_state)
        error, warning = self._ask(self._api.get_err_warn_code)
        queued = self._ask(self._api.get_cmdnum)
        angles = self._ask(lambda: self._api.get_servo_angle(is_radian=True))
        q = np.array(angles[: self.arm.joints], dtype=float)
        return Condition(int(state), int(error), int(warning), int(queued), q)

    def checked(self) -> Condition:
        """The condition. ArmFault for an error of the controller, and when something else stopped it."""
        return self.condition().checked()

    # What it is commanded

    def prepare(self, T_flange_tool: Array, load: Load) -> Condition:
        """Motors, mode and state, tool and load, in the order that the controller wants; then ready, or ArmFault.

        An error or a warning is never cleared here; a warning stops nothing. A move that is under way is stopped.
        """
        now = self.condition()
        if now.error:
            raise ArmFault("error", f"{error_meaning(now.error)} {CLEAR}")
        if now.moving:
            self.halt()
            raise ArmFault("taken", "the arm was moving when the run began; it was stopped")
        self._start()
        p, rpy = T_flange_tool[:3, 3] * 1000, to_rpy(T_flange_tool[:3, :3])
        centre = [float(v) * 1000 for v in load.p_flange_centre]
        self._tell(lambda: self._api.set_tcp_offset([*map(float, p), *map(float, rpy)], is_radian=True), "tool")
        self._start()  # tool and load leave the controller waiting for it
        self._tell(lambda: self._api.set_tcp_load(load.mass, centre), "load", also=(NOT_READY,))
        return self._until_ready()

    def clear(self) -> str:
        """Clear the controller's error and warning, and say in words what was; nothing is enabled and nothing moves.

        ArmFault `error` when one comes back at once.
        """
        before = self.condition()
        self._tell(self._api.clean_error, "clearing the error")
        self._tell(self._api.clean_warn, "clearing the warning")
        after = self.condition()
        if after.error or after.warning:
            named = meanings(after.error, after.warning)
            raise ArmFault("error", f"{named} (it came back when it was cleared)")
        return meanings(before.error, before.warning)

    def move_joints(self, q: Array, rates: Rates) -> None:
        """Queue a move of all joints, straight from where they are to `q` (n,). Does not wait."""
        angles = [float(v) for v in q]
        speed, acceleration = rates.joint_speed, rates.joint_acceleration
        self._move(
            lambda: self._api.set_servo_angle(
                angle=angles, speed=speed, mvacc=acceleration, is_radian=True, wait=False, radius=-1
            )
        )

    def move_line(self, T_base_tool: Array, rates: Rates) -> None:
        """Queue a straight move of the tool point to a pose (4, 4). Does not wait."""
        xyz, rpy = T_base_tool[:3, 3] * 1000, to_rpy(T_base_tool[:3, :3])
        target = dict(zip(("x", "y", "z", "roll", "pitch", "yaw"), map(float, (*xyz, *rpy)), strict=True))
        speed, acceleration = rates.tool_speed * 1000, rates.tool_acceleration * 1000
        self._move(
            lambda: self._api.set_position(
                **target, speed=speed, mvacc=acceleration, is_radian=True, wait=False, radius=-1
            )
        )

    def stream(self) -> None:
        """Take joint targets one after the other from now on, and the gripper's too. Nothing waits in a queue then."""
        self._tell(lambda: self._api.set_mode(STREAMING), "mode 1")
        self._tell(lambda: self._api.set_state(0), "state 0")
        self._tell(lambda: self._api.set_gripper_enable(True), "the gripper")
        self._tell(lambda: self._api.set_gripper_mode(0), "the gripper's mode")
        self._tell(lambda: self._api.set_gripper_speed(GRIPPER_SPEED), "the gripper's speed")

    def servo(self, q: Array) -> None:
        """Go to joint targets (n,) at once: the newest counts, and is gone to as fast as the arm can."""
        angles = [float(v) for v in q]
        self._move(lambda: self._api.set_servo_angle_j(angles, is_radian=True))

    def grip(self, share: float) -> None:
        """Have the gripper go to a share of its opening, from 0 to 1. Does not wait."""
        pulses = round(share * GRIPPER_OPEN)
        self._tell(lambda: self._api.set_gripper_position(pulses, wait=False), "the gripper")

    def gripped(self) -> float:
        """How far the gripper is open, as a share of all."""
        return float(self._ask(self._api.get_gripper_position)) / GRIPPER_OPEN

    def halt(self, seconds: float = HALTS) -> None:
        """Stop and empty the queue, until the controller says so and the joints stand still.

        Tries again and reconnects for so many seconds; ArmFault `frozen` or `lost` when it never did. Where the
        controller has not answered for `ALARM` seconds that is reported at once, and trying goes on.
        """
        with self._halting, self._alarmed() as acknowledged:
            until, last = time.monotonic() + seconds, ArmFault("frozen", "the controller did not answer")
            while time.monotonic() < until:
                try:
                    if not self._api.connected:
                        self.reconnect()
                    self._tell(lambda: self._api.set_state(STATE_STOPPED), "stop")
                    acknowledged()
                    if self._stands_still():
                        return
                except ArmFault as fault:
                    last = fault
                    time.sleep(PAUSE)
        raise ArmFault(last.kind, f"the stop was not acknowledged within {seconds:g} s ({last}): {UNSTOPPED}")

    # How

    @contextlib.contextmanager
    def _alarmed(self) -> Iterator[Callable[[], None]]:
        """Raise the alarm when nothing has been acknowledged in time."""
        line = f"tamp: NOT STOPPED: the arm at {self.host} does not acknowledge the stop: {UNSTOPPED.upper()}"
        wait = max(0.0, self._answered + ALARM - time.monotonic())
        timer = threading.Timer(wait, logging.getLogger("tamp.xarm").critical, [line])
        timer.daemon = True
        timer.start()
        try:
            yield timer.cancel
        finally:
            timer.cancel()

    def _start(self) -> None:
        self._tell(lambda: self._api.motion_enable(True), "enable")
        self._tell(lambda: self._api.set_mode(0), "mode 0")
        self._tell(lambda: self._api.set_state(0), "state 0")

    def _stands_still(self) -> bool:
        before = self.condition()
        time.sleep(PAUSE)
        after = self.condition()
        stopped = after.state >= STATE_STOPPED and not after.queued
        return stopped and bool(np.max(np.abs(after.q - before.q)) <= STILL)

    def _until_ready(self) -> Condition:
        """Ready, and so for `SETTLED` seconds: a load takes effect after its reply and stops the controller then."""
        until, since = time.monotonic() + READY_IN, None
        while True:
            now = self.condition()
            if now.error:
                raise ArmFault("error", error_meaning(now.error))
            if now.state == STATE_STOPPED:
                raise ArmFault("taken", "the controller was stopped by something else while it was made ready")
            if not now.idle:
                since = None
                if now.state == STATE_CHANGED:
                    self._start()
            elif time.monotonic() - (since := since or time.monotonic()) > SETTLED:
                return now
            if time.monotonic() > until:
                raise ArmFault("refused", f"the controller was not ready within {READY_IN:g} s (state {now.state})")
            time.sleep(PAUSE)

    def _move(self, send: Any) -> None:
        try:
            self._tell(send, "move")
        except ArmFault as fault:
            if fault.kind != "refused":
                raise
            now = self.checked()  # which says why, where it knows
            if now.warning:
                raise ArmFault("refused", f"{fault}; {warning_meaning(now.warning)}") from fault
            raise

    def _tell(self, send: Any, what: str, also: tuple[int, ...] = ()) -> None:
        code = int(self._call(send))
        if code not in (DONE, WARNED, *also):
            raise self._fault(code, what)

    def _ask(self, question: Any) -> Any:
        code, *answer = self._call(question)
        if code in (DONE, 1, WARNED, NOT_READY):  # answered, with an error or a warning on top
            return answer[0]
        raise self._fault(int(code), "a question")

    def _call(self, call: Any) -> Any:
        try:
            answer = call()
        except (OSError, ValueError, IndexError, TypeError) as e:  # what the SDK lets through of half a frame
            raise ArmFault("lost", f"an answer of the controller made no sense: {type(e).__name__}: {e}") from e
        if (answer[0] if isinstance(answer, (list, tuple)) else answer) not in (NO_ANSWER, NOT_CONNECTED):
            self._answered = time.monotonic()
        return answer

    def _fault(self, code: int, what: str) -> ArmFault:
        """What a code of the SDK comes to. Without an answer a connection may look whole for long after the controller
        is gone: whether it still takes connections tells."""
        if code in (NO_ANSWER, NOT_CONNECTED) or not self._api.connected:
            if not self._listens():
                return ArmFault("lost", f"no answer to {what}: {self._gone}")
            if code != NO_ANSWER or not self._api.connected:
                return ArmFault("lost", f"the connection to {self.host} broke at {what}")
            return ArmFault("frozen", f"no answer to {what} within {REPLY:g} s: what was sent may still be carried out")
        return ArmFault("refused", f"{what} was refused, {api_meaning(code)}")

    def _listens(self) -> bool:
        try:
            socket.create_connection((self.host, self.port), LISTENS).close()
        except OSError:
            return False
        return True

    @property
    def _gone(self) -> str:
        return f"nothing answers at {self.host} any more"
