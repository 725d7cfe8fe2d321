"""The commands that wait in the controller's queue, and the bytes that they come as; metres, radians, seconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.emulator.protocol import ProtocolError, byte, floats, from_pose, to_pose

MOVE_LINE, MOVE_JOINT, MOVE_JOINT_BLENDED, MOVE_HOME, SLEEP, MOVE_CIRCLE = 21, 23, 24, 25, 26, 27
MOVE_RELATIVE, FEEDBACK_CHECK = 83, 253
SLOWEST, FASTEST = 1e-5, 1e3
"""Bounds of a commanded speed or acceleration in its units, so that every move ends."""


@dataclass(frozen=True)
class JointMove:
    """To joint angles (7,), infinite for a joint that stays. `radius` > 0 blends into the next."""

    joints: tuple[float, ...]
    speed: float
    acceleration: float
    radius: float = 0.0


@dataclass(frozen=True)
class LineMove:
    """Straight to a pose of six numbers of the wire, infinite for one that stays.

    `frame`: "base" for a pose, "tool" for one in the tool's frame, "relative" for what is added in the base frame.
    """

    values: tuple[float, ...]
    speed: float
    acceleration: float
    radius: float = 0.0
    frame: str = "base"
    axis_angle: bool = False

    def end(self, T: Array) -> Array:
        """The pose (4, 4) that a move from the pose T (4, 4) ends at."""
        keep = from_pose(T, self.axis_angle)
        given = [0.0 if np.isinf(v) else v for v in self.values]
        if self.frame == "tool":
            return np.asarray(T @ to_pose(given, self.axis_angle))
        if self.frame == "relative" and self.axis_angle:
            moved = to_pose(given, axis_angle=True)
            moved[:3, :3] = moved[:3, :3] @ T[:3, :3]
            moved[:3, 3] += T[:3, 3]
            return moved
        if self.frame == "relative":
            return to_pose([k + v for k, v in zip(keep, given, strict=True)])
        return to_pose(_kept(self.values, keep), self.axis_angle)


@dataclass(frozen=True)
class ArcMove:
    """Along the circle through the start and two poses, for a share of its circumference."""

    first: tuple[float, ...]
    second: tuple[float, ...]
    speed: float
    acceleration: float
    share: float

    def points(self, T: Array) -> tuple[Array, Array]:
        """The two positions (3,) of an arc that starts at the pose T (4, 4)."""
        keep = from_pose(T)
        return to_pose(_kept(self.first, keep))[:3, 3], to_pose(_kept(self.second, keep))[:3, 3]


@dataclass(frozen=True)
class QueuedSleep:
    """Nothing for some seconds."""

    seconds: float


@dataclass(frozen=True)
class Marker:
    """Nothing at all: its feedback says that everything before it has ended."""


Command = JointMove | LineMove | ArcMove | QueuedSleep | Marker
MOVES = (JointMove, LineMove, ArcMove)


def parse(register: int, data: bytes) -> Command:
    """The command in its register's data.

    Raises ProtocolError for data that is too short or not numbers, and for what is not emulated.
    """
    return _PARSERS[register](data)


def _kept(values: tuple[float, ...], keep: list[float]) -> list[float]:
    return [k if np.isinf(v) else v for v, k in zip(values, keep, strict=True)]


def _rate(value: float) -> float:
    return min(max(value, SLOWEST), FASTEST)


def _joint(data: bytes) -> Command:
    v = _plain_move(floats(data, 10, endless=True), data, 40)
    return JointMove(v[:7], _rate(v[7]), _rate(v[8]))


def _joint_blended(data: bytes) -> Command:
    v = _plain_move(floats(data, 10, endless=True), data, 40)
    return JointMove(v[:7], _rate(v[7]), _rate(v[8]), max(v[9], 0.0))


def _home(data: bytes) -> Command:
    v = _plain_move(floats(data, 3), data, 12)
    return JointMove((0.0,) * 7, _rate(v[0]), _rate(v[1]))


def _line(data: bytes) -> Command:
    """Ten floats, whether in the tool's frame, whether axis-angle."""
    v = _plain_move(floats(data, 10, endless=True), data, 42)
    frame, axis_angle = "tool" if byte(data, 40) else "base", bool(byte(data, 41))
    return LineMove(v[:6], _rate(v[6] / 1000), _rate(v[7] / 1000), max(v[9], 0.0) / 1000, frame, axis_angle)


def _relative(data: bytes) -> Command:
    v = _plain_move(floats(data, 11, endless=True), data, 46)
    if byte(data, 44):
        raise ProtocolError("only relative moves of the tool are emulated")
    speed, acceleration, radius = _rate(v[7] / 1000), _rate(v[8] / 1000), max(v[10], 0.0) / 1000
    return LineMove(v[:6], speed, acceleration, radius, "relative", bool(byte(data, 45)))


def _circle(data: bytes) -> Command:
    v = _plain_move(floats(data, 16, endless=True), data, 64)
    return ArcMove(v[:6], v[6:12], _rate(v[12] / 1000), _rate(v[13] / 1000), v[15] / 100)


def _sleep(data: bytes) -> Command:
    return QueuedSleep(max(floats(data, 1)[0], 0.0))


def _marker(data: bytes) -> Command:
    del data
    return Marker()


def _plain_move(values: tuple[float, ...], data: bytes, end: int) -> tuple[float, ...]:
    """The values, if the options from byte `end` on are off: what they ask for would not be a plain move."""
    if any(data[end:]):
        raise ProtocolError("checks, moves that may leave their line, and circles in other frames are not emulated")
    return values


_PARSERS = {
    MOVE_LINE: _line,
    MOVE_JOINT: _joint,
    MOVE_JOINT_BLENDED: _joint_blended,
    MOVE_HOME: _home,
    SLEEP: _sleep,
    MOVE_CIRCLE: _circle,
    MOVE_RELATIVE: _relative,
    FEEDBACK_CHECK: _marker,
}
COMMANDS = tuple(_PARSERS)
"""Registers that put a command into the queue."""
