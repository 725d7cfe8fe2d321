"""The commands that wait in the controller's queue: the bytes that they come as, and the motions that they stand for.

Metres, radians, seconds. A blending radius is taken and has no effect: every motion starts and ends at rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from motion.poses import Array, interpolate, pose, rotation_about, rotation_vector
from tamp.backends.xarm.emulator.protocol import ProtocolError, byte, floats, from_pose, to_pose
from tamp.backends.xarm.emulator.tool_body import (
    JOINT_ACCELERATION,
    JOINT_SPEED,
    NOT_A_CIRCLE,
    MotionError,
    ToolBody,
)

MOVE_LINE, MOVE_JOINT, MOVE_JOINT_BLENDED, MOVE_HOME, SLEEP, MOVE_CIRCLE = 21, 23, 24, 25, 26, 27
MOVE_RELATIVE, FEEDBACK_CHECK = 83, 253
SLOWEST, FASTEST = 1e-5, 1e3
"""Bounds of a commanded speed or acceleration in its units, so that every move ends."""
ROTATION_SPEED, ROTATION_ACCELERATION = math.pi, 2 * math.pi
"""Limits of the tool in a Cartesian move [rad/s, rad/s²], for a turn on the spot or one too fast for its distance."""
LOOK_AHEAD, MOST_PLACES = 0.02, 60
"""Metres between the places at which a Cartesian move is solved before it starts, and how many there are at most."""


@dataclass(frozen=True)
class JointMove:
    """To joint angles (7,), infinite for a joint that stays."""

    joints: tuple[float, ...]
    speed: float
    acceleration: float


@dataclass(frozen=True)
class LineMove:
    """Straight to a pose of six numbers of the wire, infinite for one that stays.

    `frame`: "base" for a pose, "tool" for one in the tool's frame, "relative" for what is added in the base frame.
    """

    values: tuple[float, ...]
    speed: float
    acceleration: float
    frame: str = "base"
    axis_angle: bool = False

    def end(self, T: Array) -> Array:
        """The pose (4, 4) that a move from the pose T (4, 4) ends at."""
        if self.frame == "base":
            return to_pose(_kept(self.values, from_pose(T, self.axis_angle)), self.axis_angle)
        given = [0.0 if np.isinf(v) else v for v in self.values]
        if self.frame == "tool":
            return np.asarray(T @ to_pose(given, self.axis_angle))
        if not self.axis_angle:
            return to_pose([k + v for k, v in zip(from_pose(T), given, strict=True)])
        moved = to_pose(given, axis_angle=True)
        return pose(moved[:3, 3] + T[:3, 3], moved[:3, :3] @ T[:3, :3])


@dataclass(frozen=True)
class ArcMove:
    """Along the circle through the start and two poses, for a share of its circumference."""

    first: tuple[float, ...]
    second: tuple[float, ...]
    speed: float
    acceleration: float
    share: float


@dataclass(frozen=True)
class QueuedSleep:
    """Nothing for some seconds. With 0, its feedback says that everything before it has ended."""

    seconds: float = 0.0


Command = JointMove | LineMove | ArcMove | QueuedSleep
MOVES = (JointMove, LineMove, ArcMove)


def parse(register: int, data: bytes) -> Command:
    """The command in the data of one of `COMMANDS`.

    Raises ProtocolError for data that is too short or not numbers, and for what is not emulated.
    """
    if register == SLEEP:
        return QueuedSleep(max(floats(data, 1)[0], 0.0))
    if register == FEEDBACK_CHECK:
        return QueuedSleep()
    count, options = COMMANDS[register]
    v = floats(data, count, endless=register != MOVE_HOME)
    if any(data[options:]):
        raise ProtocolError("checks, moves that may leave their line, and circles in other frames are not emulated")
    if register in (MOVE_JOINT, MOVE_JOINT_BLENDED, MOVE_HOME):
        v = (0.0,) * 7 + v if register == MOVE_HOME else v
        return JointMove(v[:7], _rate(v[7]), _rate(v[8]))
    if register == MOVE_CIRCLE:
        return ArcMove(v[:6], v[6:12], _rate(v[12] / 1000), _rate(v[13] / 1000), v[15] / 100)
    if register == MOVE_LINE:
        frame = "tool" if byte(data, 40) else "base"
        return LineMove(v[:6], _rate(v[6] / 1000), _rate(v[7] / 1000), frame, bool(byte(data, 41)))
    if byte(data, 44):
        raise ProtocolError("only relative moves of the tool are emulated")
    return LineMove(v[:6], _rate(v[7] / 1000), _rate(v[8] / 1000), "relative", bool(byte(data, 45)))


COMMANDS = {
    MOVE_LINE: (10, 42),
    MOVE_JOINT: (10, 40),
    MOVE_JOINT_BLENDED: (10, 40),
    MOVE_HOME: (3, 12),
    SLEEP: (1, 4),
    MOVE_CIRCLE: (16, 64),
    MOVE_RELATIVE: (11, 46),
    FEEDBACK_CHECK: (0, 0),
}
"""Registers that put a command into the queue: how many floats there are, and the byte from which options follow that
have to be off, since they ask for something else than a plain move."""


@dataclass(frozen=True)
class TimedMotion:
    """A way and how fast it is gone: a trapezoid of speed from rest to rest, as pure functions of time.

    `path` gives the configuration (n,), or where not `in_joints` the pose (4, 4), at a share of the way in [0, 1].
    `ramp` and `duration` are seconds.
    """

    path: Callable[[float], Array]
    in_joints: bool
    ramp: float
    duration: float

    def share(self, t: float) -> float:
        """The share of the way travelled after `t` seconds."""
        left = self.duration - t
        if left <= 0:
            return 1.0
        peak = 1.0 / (self.duration - self.ramp)
        if t < self.ramp:
            return 0.5 * peak / self.ramp * max(t, 0.0) ** 2
        if left < self.ramp:
            return 1.0 - 0.5 * peak / self.ramp * left**2
        return peak * (t - 0.5 * self.ramp)


def timed(path: Callable[[float], Array], in_joints: bool, speed: float, acceleration: float) -> TimedMotion:
    """A motion at so many shares of its way a second, and a second squared; infinite where there is no way."""
    if math.isinf(speed):
        return TimedMotion(path, in_joints, 0.0, 0.0)
    peak = min(speed, math.sqrt(acceleration))
    ramp = peak / acceleration
    return TimedMotion(path, in_joints, ramp, ramp + 1.0 / peak)


def plan(command: Command, q: Array, T: Array, body: ToolBody) -> TimedMotion:
    """The motion of a command from a configuration (n,) and the tool's pose (4, 4) there.

    A Cartesian one is solved along its way first. Raises MotionError with the controller's code.
    """
    if isinstance(command, QueuedSleep):
        return TimedMotion(lambda s: q, True, 0.0, command.seconds)
    if isinstance(command, JointMove):
        given = np.array(command.joints[: len(q)])
        target = body.check(np.where(np.isinf(given), q, given))
        length = float(np.abs(target - q).max())  # the joint with the longest way has the speed
        speed, acceleration = min(command.speed, JOINT_SPEED), min(command.acceleration, JOINT_ACCELERATION)
        return timed(partial(_between, q, target), True, _over(speed, length), _over(acceleration, length))
    if isinstance(command, LineMove):
        end = command.end(T)
        way = float(np.linalg.norm(end[:3, 3] - T[:3, 3]))
        turn = float(np.linalg.norm(rotation_vector(end[:3, :3] @ T[:3, :3].T)))
        return _along(lambda s: end if s >= 1 else interpolate(T, end, s), way, turn, command, q, body)
    keep = from_pose(T)
    through = [to_pose(_kept(given, keep))[:3, 3] for given in (command.first, command.second)]
    if (found := circle(T[:3, 3], *through)) is None:
        raise MotionError(NOT_A_CIRCLE)
    centre, axis, radius = found
    angle = 2 * math.pi * command.share

    def around(s: float) -> Array:
        return pose(centre + rotation_about(axis, angle * min(s, 1.0)) @ (T[:3, 3] - centre), T[:3, :3])

    return _along(around, abs(angle) * radius, 0.0, command, q, body)


def circle(start: Array, second: Array, third: Array) -> tuple[Array, Array, float] | None:
    """Centre (3,), axis (3,) and radius of the circle through three points (3,); None when they are in line."""
    a, b = second - start, third - start
    normal = np.cross(a, b)
    square = float(normal @ normal)
    if square < 1e-16:
        return None
    centre = start + (np.cross(normal, a) * (b @ b) + np.cross(b, normal) * (a @ a)) / (2 * square)
    return centre, normal / math.sqrt(square), float(np.linalg.norm(start - centre))


def _along(
    path: Callable[[float], Array], way: float, turn: float, command: LineMove | ArcMove, q: Array, body: ToolBody
) -> TimedMotion:
    """At the command's speed over `way` metres, unless it turns by `turn` radians faster than the tool may."""
    steps = min(max(math.ceil(way / LOOK_AHEAD), math.ceil(turn / 0.2), 1), MOST_PLACES)
    for k in range(1, steps + 1):
        q = body.follow(path(k / steps), q)
    speed = min(_over(command.speed, way), _over(ROTATION_SPEED, turn))
    return timed(path, False, speed, min(_over(command.acceleration, way), _over(ROTATION_ACCELERATION, turn)))


def _between(start: Array, end: Array, s: float) -> Array:
    return end if s >= 1 else start + s * (end - start)


def _over(rate: float, length: float) -> float:
    return rate / length if length > 1e-9 else math.inf


def _kept(values: tuple[float, ...], keep: list[float]) -> list[float]:
    return [k if np.isinf(v) else v for v, k in zip(values, keep, strict=True)]


def _rate(value: float) -> float:
    return min(max(value, SLOWEST), FASTEST)
