"""The commands that wait in the controller's queue, and the bytes that they come as; metres, radians, seconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.emulator.frames import ProtocolError, byte, floats
from tamp.backends.xarm.emulator.wire import to_pose

MOVE_LINE, MOVE_LINE_BLENDED, MOVE_JOINT, MOVE_JOINT_BLENDED, MOVE_HOME, SLEEP, MOVE_CIRCLE = range(21, 28)
MOVE_LINE_TOOL, MOVE_RELATIVE, MOVE_LINE_AXIS_ANGLE = 28, 83, 92
FEEDBACK_CHECK = 253
SLOWEST, FASTEST = 1e-5, 1e3
"""Bounds of a commanded speed or acceleration in its units, so that every move ends."""


@dataclass(frozen=True)
class Origin:
    """Who sent a command, and of what they want to be told: `kinds` has the bits of the feedback's kinds."""

    connection: int = 0
    transaction: int = 0
    protocol: int = 2
    register: int = 0
    kinds: int = 0


@dataclass(frozen=True)
class JointMove:
    """To joint angles (7,), or by them; infinite for a joint that stays. `radius` > 0 blends into the next."""

    joints: tuple[float, ...]
    speed: float
    acceleration: float
    radius: float = 0.0
    relative: bool = False


@dataclass(frozen=True)
class LineMove:
    """Straight to a pose of six numbers of the wire, infinite for one that stays.

    `frame`: "user" for a pose, "tool" for one in the tool's frame, "relative" for what is added in the user frame.
    `joint`: 1 to go in joint space where the line cannot be gone, 2 always.
    """

    values: tuple[float, ...]
    speed: float
    acceleration: float
    radius: float = 0.0
    frame: str = "user"
    axis_angle: bool = False
    joint: int = 0


@dataclass(frozen=True)
class ArcMove:
    """Along the circle through here and two poses, for a share of its circumference."""

    first: tuple[float, ...]
    second: tuple[float, ...]
    speed: float
    acceleration: float
    share: float
    frame: str = "user"
    axis_angle: bool = False


@dataclass(frozen=True)
class Sleep:
    """Nothing for some seconds."""

    seconds: float


@dataclass(frozen=True)
class Marker:
    """Nothing at all: its feedback says that everything before it has ended."""


Command = JointMove | LineMove | ArcMove | Sleep | Marker
MOVES = (JointMove, LineMove, ArcMove)


def parse(register: int, data: bytes) -> tuple[Command, int]:
    """A command from its register's data, and the kind of check that is asked for instead of it (0: none).

    Raises ProtocolError for data that is too short or not numbers.
    """
    if register not in _PARSERS:
        raise ProtocolError(f"register {register} takes no command")
    return _PARSERS[register](data)


def place(command: LineMove | ArcMove, values: tuple[float, ...], T: Array, keep: list[float]) -> Array:
    """The pose (4, 4) that six numbers stand for, from the tool's pose T (4, 4); `keep`: T as six numbers, for those
    that stay."""
    full = [k if np.isinf(v) else v for v, k in zip(values, keep, strict=True)]
    given = [0.0 if np.isinf(v) else v for v in values]
    if command.frame == "tool":
        return np.asarray(T @ to_pose(given, command.axis_angle))
    if command.frame == "relative" and command.axis_angle:
        moved = to_pose(given, axis_angle=True)
        moved[:3, :3] = moved[:3, :3] @ T[:3, :3]
        moved[:3, 3] += T[:3, 3]
        return moved
    if command.frame == "relative":
        return to_pose([k + v for k, v in zip(keep, given, strict=True)])
    return to_pose(full, command.axis_angle)


def _rate(value: float) -> float:
    return min(max(value, SLOWEST), FASTEST)


def _joint(data: bytes) -> tuple[Command, int]:
    v = floats(data, 10, endless=True)
    return JointMove(v[:7], _rate(v[7]), _rate(v[8])), byte(data, 40, 0)


def _joint_blended(data: bytes) -> tuple[Command, int]:
    v = floats(data, 10, endless=True)
    return JointMove(v[:7], _rate(v[7]), _rate(v[8]), max(v[9], 0.0)), byte(data, 40, 0)


def _home(data: bytes) -> tuple[Command, int]:
    v = floats(data, 3)
    return JointMove((0.0,) * 7, _rate(v[0]), _rate(v[1])), byte(data, 12, 0)


def _line(data: bytes) -> tuple[Command, int]:
    """Nine floats (old), or ten and [tool frame, axis-angle, check, kind]."""
    long = len(data) >= 42
    v = floats(data, 10 if long else 9, endless=True)
    at = 40 if long else 36
    tool, axis_angle = (byte(data, at), byte(data, at + 1)) if long else (0, 0)
    at += 2 if long else 0
    frame = "tool" if tool else "user"
    radius = max(v[9], 0.0) / 1000 if long else 0.0
    move = LineMove(
        v[:6], _rate(v[6] / 1000), _rate(v[7] / 1000), radius, frame, bool(axis_angle), byte(data, at + 1, 0)
    )
    return move, byte(data, at, 0)


def _line_blended(data: bytes) -> tuple[Command, int]:
    v = floats(data, 10, endless=True)
    move = LineMove(v[:6], _rate(v[6] / 1000), _rate(v[7] / 1000), max(v[9], 0.0) / 1000, joint=byte(data, 41, 0))
    return move, byte(data, 40, 0)


def _line_tool(data: bytes) -> tuple[Command, int]:
    v = floats(data, 9)
    move = LineMove(v[:6], _rate(v[6] / 1000), _rate(v[7] / 1000), frame="tool", joint=byte(data, 37, 0))
    return move, byte(data, 36, 0)


def _line_axis_angle(data: bytes) -> tuple[Command, int]:
    v = floats(data, 9, endless=True)
    frame = "tool" if byte(data, 36) else "relative" if byte(data, 37) else "user"
    move = LineMove(v[:6], _rate(v[6] / 1000), _rate(v[7] / 1000), 0.0, frame, True, byte(data, 39, 0))
    return move, byte(data, 38, 0)


def _relative(data: bytes) -> tuple[Command, int]:
    v = floats(data, 11, endless=True)
    is_joint, axis_angle, check = byte(data, 44), bool(byte(data, 45)), byte(data, 46, 0)
    if is_joint:
        return JointMove(v[:7], _rate(v[7]), _rate(v[8]), max(v[10], 0.0), relative=True), check
    speed, acceleration, radius = _rate(v[7] / 1000), _rate(v[8] / 1000), max(v[10], 0.0) / 1000
    return LineMove(v[:6], speed, acceleration, radius, "relative", axis_angle, byte(data, 47, 0)), check


def _circle(data: bytes) -> tuple[Command, int]:
    v = floats(data, 16, endless=True)
    frame = "tool" if byte(data, 64, 0) else "user"
    arc = ArcMove(v[:6], v[6:12], _rate(v[12] / 1000), _rate(v[13] / 1000), v[15] / 100, frame, bool(byte(data, 65, 0)))
    return arc, byte(data, 66, 0)


def _sleep(data: bytes) -> tuple[Command, int]:
    return Sleep(max(floats(data, 1)[0], 0.0)), 0


def _marker(data: bytes) -> tuple[Command, int]:
    del data
    return Marker(), 0


_PARSERS = {
    MOVE_LINE: _line,
    MOVE_LINE_BLENDED: _line_blended,
    MOVE_JOINT: _joint,
    MOVE_JOINT_BLENDED: _joint_blended,
    MOVE_HOME: _home,
    SLEEP: _sleep,
    MOVE_CIRCLE: _circle,
    MOVE_LINE_TOOL: _line_tool,
    MOVE_RELATIVE: _relative,
    MOVE_LINE_AXIS_ANGLE: _line_axis_angle,
    FEEDBACK_CHECK: _marker,
}
COMMANDS = tuple(_PARSERS)
"""Registers that put a command into the queue."""
