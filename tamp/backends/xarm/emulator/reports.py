"""The controller's report frames: 30001 normal and 30002 rich, five times a second, 30003 real, a hundred times."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field

from tamp.backends.xarm.emulator.controller import Controller
from tamp.backends.xarm.emulator.frames import pack_floats
from tamp.backends.xarm.emulator.settings import Settings
from tamp.backends.xarm.emulator.wire import from_pose

NORMAL_SIZE, RICH_SIZE, REAL_SIZE = 145, 587, 135
KINDS = {"xarm5": (5, 5), "xarm6": (6, 6), "xarm7": (7, 7), "lite6": (9, 6), "850": (12, 6)}
"""The controller's number for a model, and its axes."""
MASTER, SLAVE = 0xAA, 0x55
TEMPERATURE, VOLTAGE = 30, 2400
"""Degrees Celsius, hundredths of a volt: what every motor is said to have."""


@dataclass(frozen=True)
class Snapshot:
    """What is reported, in the units of the wire: millimetres and radians; speeds per second."""

    state: int
    mode: int
    count: int
    joints: tuple[float, ...]
    pose: tuple[float, ...]
    axis_angle: tuple[float, ...]
    speeds: tuple[float, ...]
    tool_speed: float
    motors: int
    error: int
    warning: int
    servo_error: tuple[int, int] | None
    model: str
    firmware: str
    settings: Settings = field(default_factory=Settings)
    brakes: int = 0
    """Mask of the brakes that are open, as those of motors that are on."""
    box: bytes = bytes(50)
    """Levels and functions of the control box's pins."""


def snapshot(controller: Controller) -> Snapshot:
    """What a controller's reports say now."""
    T = controller.T_user_tool
    return Snapshot(
        state=controller.state,
        mode=controller.mode,
        count=controller.count,
        joints=tuple(float(v) for v in controller.encoders),
        pose=tuple(from_pose(T)),
        axis_angle=tuple(from_pose(T, axis_angle=True)[3:]),
        speeds=tuple(float(v) for v in controller.speeds),
        tool_speed=controller.tool_speed,
        motors=controller.motors,
        error=controller.error,
        warning=controller.warning,
        servo_error=controller.servo_error,
        model=controller.arm.name,
        firmware=controller.choices.firmware,
        settings=controller.settings,
        brakes=controller.motors | controller.released,
        box=controller.outputs.state(),
    )


def real(s: Snapshot) -> bytes:
    """The frame of port 30003; forces are 0."""
    return _sized(_common(s) + bytes(48), REAL_SIZE)


def normal(s: Snapshot) -> bytes:
    """The frame of port 30001."""
    return _sized(_normal(s), NORMAL_SIZE)


def rich(s: Snapshot) -> bytes:
    """The frame of port 30002: the normal one, limits, motors, temperatures, speeds, reduced mode and more."""
    settings = s.settings
    kind, axes = KINDS[s.model]
    codes = bytearray(16)
    if s.servo_error:
        joint, code = s.servo_error
        codes[2 * joint - 2 : 2 * joint] = bytes([3, code])
    parts = [
        _normal(s),
        bytes([kind, axes, MASTER, SLAVE, 0, 0]),
        f"v{s.firmware}".encode().ljust(30, b"\0"),
        pack_floats((settings.tcp_jerk, 1.0, settings.tcp_acceleration, 0.1, 1000.0)),
        pack_floats((settings.joint_jerk, 0.01, settings.joint_acceleration, 1e-4, math.pi)),
        pack_floats((2.3, 2.7)),
        bytes(codes),
        bytes([TEMPERATURE] * axes).ljust(7, b"\0"),
        pack_floats((s.tool_speed, *_seven(s.speeds))),
        struct.pack(">I", settings.counter),
        pack_floats(settings.world_offset),
        bytes([*settings.io_reset, 0, settings.self_collision, settings.tool_model[0]]),
        pack_floats(settings.tool_model[1]),
        struct.pack(">7H", *[VOLTAGE] * axes, *[0] * (7 - axes)),
        bytes(28) + s.box + bytes(24 + 24 + 1),
        pack_floats(s.axis_angle),
        bytes([_bits(settings.reduced, settings.fence, settings.currents, settings.approximate, settings.continuous)]),
        reduced(settings)[:1],
        struct.pack(">6h", *settings.reduced_box),
        pack_floats((settings.reduced_tcp_speed, settings.reduced_joint_speed)),
        pack_floats(settings.reduced_joints),
        bytes([settings.fence, settings.rebound]),
        bytes(4 + 1 + 2 + 6),
    ]
    return _sized(b"".join(parts), RICH_SIZE)


def reduced(settings: Settings) -> bytes:
    """What register 53 answers (79 bytes): reduced mode, its box, speeds and joint ranges, fence, rebound."""
    return (
        bytes([settings.reduced])
        + struct.pack(">6h", *settings.reduced_box)
        + pack_floats((settings.reduced_tcp_speed, settings.reduced_joint_speed, *settings.reduced_joints))
        + bytes([settings.fence, settings.rebound])
    )


def _bits(*flags: bool) -> int:
    """Flags as bits, the first one lowest."""
    return sum(flag << k for k, flag in enumerate(flags))


def _common(s: Snapshot) -> bytes:
    head = struct.pack(">BH", s.mode << 4 | s.state, s.count)
    return head + pack_floats((*_seven(s.joints), *s.pose, *[0.0] * 7))


def _normal(s: Snapshot) -> bytes:
    settings = s.settings
    status = bytes([s.brakes, s.motors, s.error, s.warning])
    sensitivity = bytes([settings.collision_sensitivity, settings.teach_sensitivity])
    return (
        _common(s)
        + status
        + pack_floats((*settings.tcp_offset, *settings.load))
        + sensitivity
        + pack_floats(settings.gravity)
    )


def _seven(values: tuple[float, ...]) -> tuple[float, ...]:
    return (*values, *[0.0] * (7 - len(values)))


def _sized(body: bytes, size: int) -> bytes:
    if len(body) + 4 != size:
        raise AssertionError(f"a report of {len(body) + 4} bytes, not {size}")
    return struct.pack(">I", size) + body
