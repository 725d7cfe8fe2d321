"""The controller's states and modes, around what moves the arm; one clock, which the caller advances."""

from __future__ import annotations

import numpy as np

from motion.arms import Arm
from motion.poses import Array
from tamp.backends.xarm.emulator.movers import (
    DISCARDED,
    FAILURE,
    SUCCESS,
    CommandQueue,
    Queued,
    SerialGripper,
    ServoFollower,
    VelocityFollower,
)
from tamp.backends.xarm.emulator.protocol import (
    ERROR,
    FINISHED,
    NOT_READY,
    STARTED,
    TRIGGERED,
    WARNING,
    Feedback,
    ProtocolRequest,
    to_pose,
)
from tamp.backends.xarm.emulator.queued_commands import MOVES, Command
from tamp.backends.xarm.emulator.tool_body import FASTEST, OVERSPEED, MotionError, ToolBody

READY, MOVING, IDLE, PAUSED, STOPPED, CHANGED = 0, 1, 2, 3, 4, 5
"""States: READY is commanded, and reported as MOVING or IDLE."""
POSITION, SERVO, JOINT_VELOCITY, TOOL_VELOCITY, JOINT_ONLINE, TOOL_ONLINE = 0, 1, 4, 5, 6, 7
MODES = (POSITION, SERVO, JOINT_VELOCITY, TOOL_VELOCITY, JOINT_ONLINE, TOOL_ONLINE)
QUEUED_MODES, ONLINE_MODES = (POSITION, JOINT_ONLINE, TOOL_ONLINE), (JOINT_ONLINE, TOOL_ONLINE)
EMERGENCY_STOPS = (1, 2, 3)
MOTOR_ERRORS = (*EMERGENCY_STOPS, *range(10, 18))
"""Errors that switch the motors off."""
CACHE_FULL, BAD_PARAMETER = 11, 12
"""Warnings."""
LONGEST_QUEUE = 1024
"""Commands that wait; one more is dropped with a warning."""
STOP_SECONDS = 0.05
"""To come to rest on the path after state 4 or an error. A change of mode stops at once."""


class ArmController:
    """An arm with its controller. `now` is seconds since it was switched on; `q` (n,) is where the joints are."""

    def __init__(self, arm: Arm) -> None:
        self.arm, self.gripper = arm, SerialGripper()
        self.now = 0.0
        self.mode, self.error, self.warning = POSITION, 0, 0
        self.motors = 0
        """A bit for each motor that is on."""
        self.tool_offset: tuple[float, ...] = (0.0,) * 6
        self.load: tuple[float, ...] = (0.0,) * 4
        """In the units of the wire."""
        self.counter = 0
        self.felt: Array | None = None
        """Where the joints of its body are (n,), where it has one."""
        self.servo_error: tuple[int, int] | None = None
        """Joint, from 1, and code of a motor error."""
        self.pressed = False
        """Whether an emergency stop is still pressed: the error cannot be cleared."""
        self.submitted = self.started = self.executed = 0
        """Motion commands that were accepted; of those in the queue, how many have started, and ended as commanded."""
        self.moved_at: float | None = None
        """When a joint moved last."""
        self.feedback: list[Feedback] = []
        """What is to be sent; the server takes it."""
        self._state, self._number = STOPPED, 0
        self._shares: dict[int, float] = {}
        self._loading: ProtocolRequest | None = None
        self._set_body(np.zeros(arm.joints))

    # --- what it is -----------------------------------------------------------------------------------------------

    @property
    def q(self) -> Array:
        """Where the joints are commanded to be (n,), and are as long as nothing holds them back."""
        return self._mover.q

    @property
    def encoders(self) -> Array:
        """Where the joints are (n,)."""
        return self.q if self.felt is None else self.felt

    @property
    def T_base_tool(self) -> Array:
        """Where the tool is (4, 4)."""
        return self.body.tool(self.encoders)

    @property
    def ready(self) -> bool:
        """Whether it takes motion commands."""
        every = (1 << self.arm.joints) - 1
        return self._state in (READY, PAUSED) and self.motors & every == every and not self.error

    @property
    def state(self) -> int:
        """The state that is reported: 1 moving, 2 idle, 3 paused, 4 stopped, 5 changed."""
        if self._state != READY:
            return self._state
        return MOVING if self._mover.moving else IDLE

    @property
    def status(self) -> int:
        """The status byte of replies."""
        return (ERROR if self.error else 0) | (WARNING if self.warning else 0) | (0 if self.ready else NOT_READY)

    @property
    def _mover(self) -> CommandQueue | ServoFollower | VelocityFollower:
        if self.mode == SERVO:
            return self.servo
        return self.velocity if self.mode in (JOINT_VELOCITY, TOOL_VELOCITY) else self.queue

    def progress(self, nth: int) -> float:
        """The share of its way that the n-th motion command has travelled; -1 before it starts."""
        return self._shares.get(nth, -1.0)

    # --- what it is commanded -------------------------------------------------------------------------------------

    def enable(self, joint: int, on: bool) -> None:
        """Switch a motor (from 1; 8 for all) on or off. Off stops the arm."""
        bits = (1 << self.arm.joints) - 1 if joint == 8 else 1 << (joint - 1)
        if on:
            self.motors |= bits if not self.pressed else 0
        else:
            self.motors &= ~bits
            self._stop(STOPPED, DISCARDED)

    def set_state(self, state: int) -> bool:
        """Ready (0), paused (3) or stopped (4); False when it cannot be."""
        if state == READY:
            if self.error:
                return False
            if self._state != PAUSED:
                self._settle()
            self._state = READY
            self.queue.resume()
        elif state == PAUSED and self._state in (READY, PAUSED):
            self._state = PAUSED
            self.queue.pause()
            self._hold()
        elif state == STOPPED:
            self._stop(STOPPED, DISCARDED)
        else:
            return state == PAUSED
        return True

    def set_mode(self, mode: int) -> bool:
        """Another mode, which takes effect with the next `set_state(0)`; False when there is none such."""
        if mode not in MODES:
            return False
        self._interrupt()
        self._settle()
        self.mode = mode
        return True

    def set_tool(self, offset: tuple[float, ...]) -> None:
        """The tool's offset, in the units of the wire. Not ready until the next `set_state(0)`."""
        self.tool_offset = offset
        self._configured()

    def set_load(self, load: tuple[float, ...], request: ProtocolRequest) -> None:
        """A load, in the units of the wire. It takes effect with the next request, not at once: the SDK takes it for
        refused when its reply, or that to setting feedback right after it, is not ready."""
        self.load, self._loading = load, request

    def take_load(self) -> None:
        """A load that was set takes effect: not ready until the next `set_state(0)`."""
        if self._loading:
            request, self._loading = self._loading, None
            self._configured()
            self._send(request, 0, TRIGGERED, SUCCESS)

    def clear_error(self) -> None:
        """Forget the error, unless an emergency stop is pressed."""
        if self.error and not self.pressed:
            self.error, self.servo_error, self._state = 0, None, STOPPED

    def fail(self, code: int, joint: int = 0) -> None:
        """An error stops the arm; of a motor, of which joint (from 1)."""
        if not self.error:
            self.error = code
        self.servo_error = (joint, code) if joint else self.servo_error
        self.pressed = self.pressed or code in EMERGENCY_STOPS
        if code in MOTOR_ERRORS:
            self.motors = 0
        self._stop(STOPPED, FAILURE)

    def submit(self, command: Command, request: ProtocolRequest) -> bool:
        """Queue a command; False when it was not taken (not ready, wrong mode, queue full)."""
        moves = isinstance(command, MOVES)
        if moves and not (self.ready and self.mode in QUEUED_MODES):
            return False
        if self.queue.count >= LONGEST_QUEUE:
            self.warning = CACHE_FULL
            return False
        self._number = self._number % 0xFFFF + 1
        if not (self._state in (READY, PAUSED) and self.mode in QUEUED_MODES):
            self._send(request, self._number, FINISHED, SUCCESS)
            return True
        self.submitted += moves
        if moves and self.mode in ONLINE_MODES:
            self.queue.stop(0.0)
            self.queue.resume()
        self.queue.submit(Queued(self._number, command, request, self.submitted if moves else 0))
        return True

    def servo_to(self, q: Array) -> bool:
        """A servo target (n,); False when it is not taken. An error for one that cannot be."""
        if not (self.ready and self._state == READY and self.mode == SERVO):
            return False
        self.submitted += 1
        try:
            self.servo.submit(q)
        except MotionError as error:
            self.fail(error.code)
        return True

    def move_at(self, speeds: Array, seconds: float, in_tool: bool | None = None) -> bool:
        """Joint speeds (n,), or with `in_tool` a twist of the tool (6,); False when it is not taken."""
        mode = JOINT_VELOCITY if in_tool is None else TOOL_VELOCITY
        if not (self.ready and self._state == READY and self.mode == mode):
            return False
        self.submitted += 1
        self.velocity.submit(speeds, seconds, in_tool)
        return True

    def teleport(self, q: Array) -> None:
        """Put the arm elsewhere, which no controller can: it stops, and is there."""
        if self._state == READY:
            self._interrupt()
        else:
            self._stop(self._state, DISCARDED)
        self._settle(np.array(q, dtype=float))

    # --- time -----------------------------------------------------------------------------------------------------

    def advance(self, now: float) -> None:
        """Go on to a time of the clock."""
        seconds = now - self.now
        if seconds <= 0:
            return
        self.now, before = now, self.q
        self.gripper.advance(seconds)
        try:
            if self._state == READY or self.mode in QUEUED_MODES:
                self._mover.advance(seconds)
            self._measure(before, seconds)
        except MotionError as error:
            self.queue.stop(0.0, FAILURE)
            self.fail(error.code)
            self._measure(before, seconds)
        self._take_events()

    def _measure(self, before: Array, seconds: float) -> None:
        """The joints' and the tool's speed over a step; C24 for a joint that is too fast."""
        change = self.q - before
        if np.any(change):
            self.moved_at = self.now
        way = self.body.tool(self.q)[:3, 3] - self.body.tool(before)[:3, 3]
        self.tool_speed = float(np.linalg.norm(way)) * 1000 / seconds
        self.speeds = change / seconds
        if seconds > 1e-3 and not self.error and float(np.abs(self.speeds).max()) > FASTEST:
            raise MotionError(OVERSPEED)

    # --- inside ---------------------------------------------------------------------------------------------------

    def _set_body(self, q: Array) -> None:
        self.body = ToolBody(self.arm, to_pose(self.tool_offset))
        self.queue = CommandQueue(self.body, q, self._shares)
        self.servo = ServoFollower(self.body, q)
        self.velocity = VelocityFollower(self.body, q)
        self.speeds, self.tool_speed = np.zeros(self.arm.joints), 0.0

    def _configured(self) -> None:
        """A load or an offset has changed: not ready until the next `set_state(0)`."""
        if not self.error:
            self._interrupt()
        self._settle()

    def _stop(self, state: int, code: int) -> None:
        """Nothing that runs or waits goes on; at rest within `STOP_SECONDS`."""
        self._state = state
        self.queue.stop(STOP_SECONDS, code)
        self._hold()
        self._take_events()

    def _interrupt(self) -> None:
        """A change that needs a new start: state 5, and 4 when it cuts off a command.

        In state 5 the SDK's wait takes whatever feedback says, and none at all, for success; only 4 fails it.
        """
        self._stop(STOPPED if self.error or self.queue.moving else CHANGED, DISCARDED)

    def _hold(self) -> None:
        self.servo.stop()
        self.velocity.stop()

    def _settle(self, q: Array | None = None) -> None:
        """Whatever still comes to rest is at rest, and every way of moving starts from here, or from `q` (n,)."""
        here = self.q if q is None else q
        self.queue.stop(0.0)
        self._take_events()
        self._set_body(here)

    def _take_events(self) -> None:
        """Count and send what has happened in the queue."""
        for event in self.queue.events():
            self._send(event.queued.request, event.queued.number, event.kind, event.code)
            if event.queued.motion:
                self.started += event.kind == STARTED
                self.executed += event.kind == FINISHED and event.code == SUCCESS

    def _send(self, request: ProtocolRequest, number: int, kind: int, code: int) -> None:
        if request.kinds & kind:
            self.feedback.append(Feedback(request, self.status, kind, number, code, int(self.now * 1e6)))
