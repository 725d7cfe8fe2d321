"""The controller's states and modes, around what moves the arm; one clock, which the caller advances."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from motion.arms import Arm
from motion.poses import Array
from tamp.backends.xarm.emulator.body import OVERSPEED, Body, MotionError
from tamp.backends.xarm.emulator.choices import Choices
from tamp.backends.xarm.emulator.commands import MOVES, Command, Origin
from tamp.backends.xarm.emulator.followers import ServoFollower, VelocityFollower
from tamp.backends.xarm.emulator.frames import ERROR, FINISHED, NOT_READY, STARTED, TRIGGERED, WARNING, Feedback
from tamp.backends.xarm.emulator.gripper import Gripper
from tamp.backends.xarm.emulator.history import LONGEST, History
from tamp.backends.xarm.emulator.outputs import Outputs
from tamp.backends.xarm.emulator.player import DISCARDED, FAILURE, OUTCOMES, SUCCESS, Player, Queued
from tamp.backends.xarm.emulator.settings import LOAD_DELAY, Settings
from tamp.backends.xarm.emulator.states import (
    CACHE_FULL,
    CHANGED,
    EMERGENCY_STOPS,
    IDLE,
    JOINT_ONLINE,
    JOINT_VELOCITY,
    MODES,
    MOTOR_ERRORS,
    MOVING,
    PAUSED,
    POSITION,
    QUEUED_MODES,
    READY,
    SERVO,
    SLOWING,
    STOPPED,
    TEACH,
    TOOL_ONLINE,
    TOOL_VELOCITY,
)
from tamp.backends.xarm.emulator.streams import Stream
from tamp.backends.xarm.emulator.wire import to_pose

SERVO_REGISTER, SPEED_REGISTER = 29, 81


class Controller:
    """An arm with its controller. `now` is seconds since it was switched on; `q` (n,) is where the joints are."""

    def __init__(self, arm: Arm, choices: Choices) -> None:
        self.arm, self.choices = arm, choices
        self.settings, self.gripper, self.history = Settings(), Gripper(choices, arm.name), History()
        self.now = 0.0
        self.mode, self.error, self.warning = POSITION, 0, 0
        self.motors, self.released = 0, 0
        """A bit for each motor that is on, and for each brake that was opened by itself."""
        self.felt: Array | None = None  # where the joints of its body are (n,), where it has one
        self.outputs = Outputs()
        self.servo_error: tuple[int, int] | None = None
        """Joint, from 1, and code of a motor error."""
        self.pressed = False
        """Whether an emergency stop is still pressed: the error cannot be cleared."""
        self.submitted = 0
        """Motion commands that were accepted."""
        self.feedback: list[tuple[int, Feedback]] = []
        """What is to be told, with the connection that it is for; the server takes it."""
        self._state, self._number = choices.power_on_state, 0
        self._load: tuple[float, tuple[float, ...], Origin] | None = None
        self._nth: deque[int] = deque(maxlen=LONGEST)
        self._set_body(np.zeros(arm.joints))

    # --- what it is -----------------------------------------------------------------------------------------------

    @property
    def q(self) -> Array:
        """Where the joints are told to be (n,), and are as long as nothing holds them back."""
        return self._mover.q

    @property
    def encoders(self) -> Array:
        """Where the joints are (n,)."""
        return self.q if self.felt is None else self.felt

    @property
    def T_user_tool(self) -> Array:
        """Where the tool is (4, 4)."""
        return self.body.tool(self.encoders)

    @property
    def all_on(self) -> bool:
        """Whether every motor is on."""
        every = (1 << self.arm.joints) - 1
        return self.motors & every == every

    @property
    def ready(self) -> bool:
        """Whether it takes motion commands."""
        return self._state in (READY, PAUSED) and self.all_on and not self.error

    @property
    def state(self) -> int:
        """The state that is reported: 1 moving, 2 idle, 3 paused, 4 stopped, 5 changed, 6 slowing down."""
        if self._state != READY:
            return self._state
        return MOVING if self._moves else IDLE

    @property
    def status(self) -> int:
        """The status byte of replies."""
        return (ERROR if self.error else 0) | (WARNING if self.warning else 0) | (0 if self.ready else NOT_READY)

    @property
    def count(self) -> int:
        """Commands that run or wait."""
        return self.player.count

    @property
    def _moves(self) -> bool:
        return self._mover.moving

    @property
    def _mover(self) -> Player | ServoFollower | VelocityFollower:
        if self.mode == SERVO:
            return self.servo
        return self.velocity if self.mode in (JOINT_VELOCITY, TOOL_VELOCITY) else self.player

    def progress(self, nth: int) -> float:
        """The share of the way that the n-th motion command has gone; -1 before it starts."""
        back = self.submitted - nth
        if not 0 <= back < len(self._nth):
            return -1.0
        number = self._nth[-1 - back]
        share = self.player.share(number)
        return self.history.share(number) if share is None else share

    # --- what is asked of it --------------------------------------------------------------------------------------

    def enable(self, joint: int, on: bool) -> None:
        """Switch a motor (from 1; 8 for all) on or off. Off stops the arm."""
        bits = (1 << self.arm.joints) - 1 if joint == 8 else 1 << (joint - 1)
        if on:
            self.motors |= bits if not self.pressed else 0
            self.released &= ~bits
        else:
            self.motors &= ~bits
            self._stop(STOPPED, DISCARDED)

    def set_brake(self, joint: int, open_: bool) -> None:
        """Open a brake (from 1; 8 for all), whose motor is off then, or shut it."""
        bits = (1 << self.arm.joints) - 1 if joint == 8 else 1 << (joint - 1)
        if open_:
            self.enable(joint, False)
        self.released = self.released | bits if open_ else self.released & ~bits

    def set_state(self, state: int) -> bool:
        """Ready (0), paused (3), stopped (4) or slowing down (6); False when it cannot be."""
        if state in (READY, STOPPED):
            self._take_load()
        if state == READY:
            if self.error:
                return False
            if self._state != PAUSED:
                self._settle()
            self._state = READY
            self.player.resume()
        elif state == PAUSED and self._state in (READY, PAUSED):
            self._state = PAUSED
            self.player.pause()
            self._hold()
        elif state == STOPPED:
            self._stop(STOPPED, DISCARDED)
        elif state == SLOWING and self._state in (READY, PAUSED):
            self._stop(SLOWING, DISCARDED, self.choices.deceleration_seconds)
        else:
            return state in (PAUSED, SLOWING)
        return True

    def set_mode(self, mode: int) -> bool:
        """Another mode, which takes effect with the next `set_state(0)`; False when there is none such."""
        if mode not in MODES:
            return False
        self._take_load()
        self._interrupt()
        self._settle()
        # the real one falls back to 0 when teaching is asked for out of another mode (SDK issue 141)
        self.mode = POSITION if mode == TEACH and self.mode not in (POSITION, TEACH) else mode
        return True

    def configured(self) -> None:
        """A load, an offset or a sensitivity has changed: not ready until the next `set_state(0)`."""
        q = self.q
        if not self.error:
            self._interrupt()
        self._settle()
        self._set_body(q)

    def clear_error(self) -> bool:
        """Forget the error; False while an emergency stop is pressed."""
        if self.pressed:
            return False
        if self.error:
            self.error, self.servo_error = 0, None
            after = self.choices.state_after_clean_error
            self._state = READY if after in (READY, MOVING, IDLE) else after
        return True

    def fail(self, code: int, joint: int = 0) -> None:
        """An error stops the arm; of a motor, of which joint (from 1)."""
        if not self.error:
            self.error = code
        self.servo_error = (joint, code) if joint else self.servo_error
        self.pressed = self.pressed or code in EMERGENCY_STOPS
        if self.choices.motor_errors_disable and code in MOTOR_ERRORS:
            self.motors = 0
        self._stop(STOPPED, FAILURE)

    def warn(self, code: int) -> None:
        """A warning, which stops nothing."""
        self.warning = code

    def submit(self, command: Command, origin: Origin) -> int:
        """Queue a command; returns its number, 0 when it was not taken (not ready, wrong mode, queue full)."""
        moves = isinstance(command, MOVES)
        if moves:
            self._take_load()
        if moves and not (self.ready and self.mode in QUEUED_MODES):
            return 0
        if self.player.count >= self.choices.queue:
            self.warn(CACHE_FULL)
            return 0
        self._number = self._number % 0xFFFF + 1
        queued = Queued(self._number, command, origin)
        if not (self._state in (READY, PAUSED) and self.mode in QUEUED_MODES):
            self._tell(origin, self._number, FINISHED, SUCCESS)
            return self._number
        if moves:
            self._count_motion()
            if self.mode in (JOINT_ONLINE, TOOL_ONLINE):
                self.player.stop(0.0)
                self.player.resume()
        self.player.submit(queued)
        return self._number

    def set_load(self, load: tuple[float, ...], origin: Origin) -> None:
        """A load, which takes effect a little later, and before the next motion command or `set_state` at the latest.

        Not at once: the SDK takes it for refused when its reply, or the next one, is not ready.
        """
        self._load = (self.now + LOAD_DELAY, load, origin)

    def servo_to(self, q: Array, register: int = SERVO_REGISTER) -> bool:
        """A servo target (n,); False when it is not taken."""
        self._take_load()
        if not (self.ready and self._state == READY and self.mode == SERVO):
            return False
        self._count_motion()
        self._streamed("servo", register, lambda: self.servo.submit(q))
        return True

    def move_at(self, speeds: Array, seconds: float, in_tool: bool | None = None) -> bool:
        """Joint speeds (n,), or with `in_tool` a twist of the tool (6,); False when it is not taken."""
        self._take_load()
        mode = JOINT_VELOCITY if in_tool is None else TOOL_VELOCITY
        if not (self.ready and self._state == READY and self.mode == mode):
            return False
        self._count_motion()
        if in_tool is None:
            self._streamed("velocity", SPEED_REGISTER, lambda: self.velocity.submit_joints(speeds, seconds))
        else:
            self._streamed("velocity", SPEED_REGISTER + 1, lambda: self.velocity.submit_tool(speeds, in_tool, seconds))
        return True

    def teleport(self, q: Array) -> None:
        """Put the arm elsewhere, as nobody can: it stops, and is there."""
        if self._state == READY:
            self._interrupt()
        else:
            self._stop(self._state, DISCARDED)
        self._settle()
        self._set_body(np.array(q, dtype=float))

    # --- time -----------------------------------------------------------------------------------------------------

    def advance(self, now: float) -> None:
        """Go on to a time of the clock."""
        seconds = now - self.now
        if seconds <= 0:
            return
        self.now, before = now, self.q
        self.gripper.advance(seconds)
        if self._load and now >= self._load[0]:
            self._take_load()
        try:
            if self._state == READY or self.mode in QUEUED_MODES:
                self._mover.advance(seconds)
            self._measure(before, seconds)
        except MotionError as error:
            self.player.halt(FAILURE)
            self.fail(error.code)
            self._measure(before, seconds)
        self._told()
        if self._state == SLOWING and not self.player.moving:
            self._state = STOPPED
        self._stream.watch(now, self.q, self._moves)

    def _take_load(self) -> None:
        """The load that was set takes effect."""
        if self._load:
            _, self.settings.load, origin = self._load
            self._load = None
            self.configured()
            self._tell(origin, 0, TRIGGERED, SUCCESS)

    def _measure(self, before: Array, seconds: float) -> None:
        """The joints' and the tool's speed over a step; C24 for a joint that is too fast."""
        change = self.q - before
        if np.any(change):
            self.history.moved(self.now)
            way = self.body.tool(self.q)[:3, 3] - self.body.tool(before)[:3, 3]
            self.tool_speed = float(np.linalg.norm(way)) * 1000 / seconds
        else:
            self.tool_speed = 0.0
        self.speeds = change / seconds
        fastest = float(np.abs(self.speeds).max())
        if seconds > 1e-3 and not self.error and fastest > self.choices.joint_speed * self.choices.overspeed:
            raise MotionError(OVERSPEED)

    # --- inside ---------------------------------------------------------------------------------------------------

    def _set_body(self, q: Array) -> None:
        settings = self.settings
        self.body = Body(self.arm, to_pose(settings.tcp_offset), to_pose(settings.world_offset))
        self.player = Player(self.body, self.choices, q)
        self.servo = ServoFollower(self.body, self.choices, q)
        self.velocity = VelocityFollower(self.body, self.choices, q)
        self.speeds, self.tool_speed = np.zeros(self.arm.joints), 0.0
        self._stream = Stream(self.history)

    def _stop(self, state: int, code: int, seconds: float | None = None) -> None:
        """Nothing that runs or waits goes on; at rest within some seconds."""
        self._state = state
        self.player.stop(self.choices.stop_seconds if seconds is None else seconds, code)
        self._hold()
        self._told()

    def _interrupt(self) -> None:
        """A change that needs a new start: state 5, and 4 when it cuts off a command.

        In state 5 the SDK's wait takes whatever feedback says, and none at all, for success; only 4 fails it.
        """
        self._stop(STOPPED if self.error or self.player.moving else CHANGED, DISCARDED)

    def _count_motion(self) -> None:
        self.submitted += 1
        self._nth.append(self._number)

    def _hold(self) -> None:
        self._stream.end(self.now, self.q, self._moves, "stopped" if self._moves else "done")
        self.servo.stop()
        self.velocity.stop()

    def _settle(self) -> None:
        """Whatever still comes to rest is at rest, and every way of moving starts from here."""
        q = self.q
        self.player.stop(0.0)
        self._hold()
        self._told()
        self.player.q = self.servo.q = self.servo.target = self.velocity.q = q

    def _streamed(self, kind: str, register: int, submit: Callable[[], None]) -> None:
        """Servo targets and velocities in a row are one segment of the history."""
        if not self._stream.open:
            self._number = self._number % 0xFFFF + 1
            self._stream.begin(self._number, kind, register, self.now, self.q)
        try:
            submit()
        except MotionError as error:
            self.fail(error.code)

    def _told(self) -> None:
        """Hand on what the player says has happened."""
        for event in self.player.events():
            queued = event.queued
            if event.kind == "start":
                self._tell(queued.origin, queued.number, STARTED, SUCCESS)
                if isinstance(queued.command, MOVES):
                    kind = type(queued.command).__name__
                    self.history.begin(queued.number, kind, queued.origin.register, self.now, event.q)
            elif event.kind == "end":
                self._tell(queued.origin, queued.number, FINISHED, event.code)
            if event.kind == "rest" or (event.kind == "end" and event.code == SUCCESS):
                self.history.end(queued.number, self.now, event.q, event.share, OUTCOMES[event.code])

    def _tell(self, origin: Origin, number: int, kind: int, code: int) -> None:
        if origin.kinds & kind:
            clock, status = int(self.now * 1e6), self.status
            told = Feedback(origin.transaction, origin.protocol, status, kind, origin.register, number, code, clock)
            self.feedback.append((origin.connection, told))
