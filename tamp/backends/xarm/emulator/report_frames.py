"""The controller's report frames: 30001 normal and 30002 rich, five times a second, 30003 real, a hundred times."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable

from tamp.backends.xarm.emulator.controller import ArmController
from tamp.backends.xarm.emulator.protocol import from_pose, pack_floats

FIRMWARE = "2.5.0"
"""Decides what the SDK uses: feedback from 2.0.102, "keep this axis" from 2.4.101."""
NORMAL_SIZE, RICH_SIZE, REAL_SIZE = 145, 587, 135
KINDS = {"xarm5": (5, 5), "xarm6": (6, 6), "xarm7": (7, 7), "lite6": (9, 6), "850": (12, 6)}
"""The controller's number for a model, and its axes."""
MASTER, SLAVE = 0xAA, 0x55
TEMPERATURE, VOLTAGE = 30, 2400
"""Degrees Celsius, hundredths of a volt: reported for every motor."""
SENSITIVITIES, GRAVITY = bytes([3, 3]), (0.0, 0.0, -1.0)
"""Of collisions and of teaching; the direction of gravity."""
TOOL_RATES = (1000.0, 1.0, 50000.0, 0.1, 1000.0)
"""Jerk in mm/s³, least and most acceleration in mm/s², least and most speed in mm/s."""
JOINT_RATES = (20.0, 0.01, 20.0, 1e-4, math.pi)
"""The same in radians."""


def real(controller: ArmController) -> bytes:
    """The frame of port 30003; forces are 0."""
    return _sized(_common(controller) + bytes(48), REAL_SIZE)


def normal(controller: ArmController) -> bytes:
    """The frame of port 30001."""
    return _sized(_normal(controller), NORMAL_SIZE)


def rich(controller: ArmController) -> bytes:
    """The frame of port 30002: the normal one, limits, motors, temperatures and speeds; 0 for what is not emulated."""
    kind, axes = KINDS[controller.arm.name]
    codes = bytearray(16)
    if controller.servo_error:
        joint, code = controller.servo_error
        codes[2 * joint - 2 : 2 * joint] = bytes([3, code])
    parts = [
        _normal(controller),
        bytes([kind, axes, MASTER, SLAVE, 0, 0]),
        f"v{FIRMWARE}".encode().ljust(30, b"\0"),
        pack_floats((*TOOL_RATES, *JOINT_RATES)),
        bytes(8),  # rotation
        bytes(codes),
        bytes([TEMPERATURE] * axes).ljust(7, b"\0"),
        pack_floats((controller.tool_speed, *seven(controller.speeds))),
        struct.pack(">I", controller.counter),
        bytes(24 + 5 + 24),  # the base's offset, resets and self-collision, the tool's model
        struct.pack(">7H", *[VOLTAGE] * axes, *[0] * (7 - axes)),
        bytes(28 + 50 + 24 + 24 + 1),  # currents, the box's pins, forces, the source of these
        pack_floats(from_pose(controller.T_base_tool, axis_angle=True)[3:]),
    ]
    return _sized(b"".join(parts), RICH_SIZE)  # reduced mode, and what follows it


def seven(values: Iterable[float]) -> tuple[float, ...]:
    """Values of the joints there are (n,), and zeros for those up to the seventh."""
    there = tuple(float(v) for v in values)
    return (*there, *[0.0] * (7 - len(there)))


def _common(controller: ArmController) -> bytes:
    head = struct.pack(">BH", controller.mode << 4 | controller.state, controller.queue.count)
    return head + pack_floats((*seven(controller.encoders), *from_pose(controller.T_base_tool), *[0.0] * 7))


def _normal(controller: ArmController) -> bytes:
    status = bytes([controller.motors, controller.motors, controller.error, controller.warning])
    tool = pack_floats((*controller.tool_offset, *controller.load))
    return _common(controller) + status + tool + SENSITIVITIES + pack_floats(GRAVITY)


def _sized(body: bytes, size: int) -> bytes:
    """A frame of a size, with zeros for what nothing stands behind."""
    return struct.pack(">I", size) + body.ljust(size - 4, b"\0")
