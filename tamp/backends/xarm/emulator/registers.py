"""Register numbers and what they do: a request comes in, a status and data go out; no sockets.

There is what the SDK's own calls for moving, stopping, servoing, tool, load and gripper need, at the firmware that the
controller reports. Everything else is refused: marked invalid, so that the SDK's calls return 10.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.emulator.controller import BAD_PARAMETER, ArmController
from tamp.backends.xarm.emulator.protocol import (
    INVALID,
    ProtocolError,
    ProtocolRequest,
    byte,
    floats,
    from_pose,
    pack_floats,
    to_pose,
)
from tamp.backends.xarm.emulator.queued_commands import COMMANDS, FEEDBACK_CHECK, parse
from tamp.backends.xarm.emulator.report_frames import FIRMWARE, KINDS, seven
from tamp.backends.xarm.emulator.tool_body import MotionError

SET_FEEDBACK_TYPE = 254
WITHOUT_EFFECT = (47, 48, 50, 52, 59, 134, SET_FEEDBACK_TYPE)
"""Taken, as the SDK's examples need it: reduced mode with its speeds and bounds, the fence, outputs of the box. The
server keeps the kinds of feedback."""
REFUSED = bytes(120)
"""Data of what is refused: as much as any call of the SDK reads."""
SERIAL = {"xarm5": "XF1304", "xarm6": "XI1304", "xarm7": "XS1304", "lite6": "LI1006", "850": "FX8500"}
"""Begin serial numbers; digits below 1305 mean the wider joint limits."""
BOX = "AC1300"
TOOL_LINE, BAUD_REGISTER, TWO_MEGABAUD = 9, 0x0A0B, 11
"""Number of the tool's serial line, and its register for the baud rate with the value that the gripper needs."""
NO_DEVICE = 19
"""The controller's error when nothing answers at the tool, as an xArm's gripper on a Lite 6 (SDK issue 47)."""

Handler = Callable[[ArmController, ProtocolRequest], bytes]


class Refused(Exception):
    """A request that is answered with `data` and marked invalid."""

    def __init__(self, data: bytes = REFUSED) -> None:
        super().__init__("refused")
        self.data = data


def answer(controller: ArmController, request: ProtocolRequest) -> tuple[int, bytes]:
    """Carry out a request: the reply's status and data. Data that its register does not take gives warning 12."""
    if request.register != SET_FEEDBACK_TYPE:
        controller.take_load()
    invalid = 0
    try:
        if request.register not in HANDLERS:
            raise Refused
        data = HANDLERS[request.register](controller, request)
    except Refused as refused:
        data, invalid = refused.data, INVALID
    except ProtocolError:
        controller.warning = BAD_PARAMETER
        data, invalid = REFUSED, INVALID
    return controller.status | invalid, data


def _taken(success: bool, data: bytes = b"") -> bytes:
    """The data, marked invalid where it went wrong."""
    if not success:
        raise Refused(data)
    return data


# --- motion -----------------------------------------------------------------------------------------------------------


def _command(controller: ArmController, request: ProtocolRequest) -> bytes:
    """Queue it; answers the number of queued commands, and the error that a check would have found."""
    taken = controller.submit(parse(request.register, request.data), request) or not controller.ready
    return _taken(taken, b"" if request.register == FEEDBACK_CHECK else struct.pack(">HB", controller.queue.count, 0))


def _streamed(controller: ArmController, taken: bool) -> bytes:
    """The answer to a target or a velocity: invalid in a mode that has none such; the status says "not ready"."""
    return _taken(taken or not controller.ready)


def _servo_joints(controller: ArmController, request: ProtocolRequest) -> bytes:
    q = np.array(floats(request.data, 7)[: controller.arm.joints])
    return _streamed(controller, controller.servo_to(q))


def _servo_tool(controller: ArmController, request: ProtocolRequest) -> bytes:
    v = floats(request.data, 9)
    return _servo_pose(controller, to_pose(v[:6]), v[8] != 0, relative=False)


def _servo_tool_axis_angle(controller: ArmController, request: ProtocolRequest) -> bytes:
    T = to_pose(floats(request.data, 8)[:6], axis_angle=True)
    return _servo_pose(controller, T, byte(request.data, 32) != 0, byte(request.data, 36) != 0)


def _servo_pose(controller: ArmController, T: Array, in_tool: bool, relative: bool) -> bytes:
    """A pose for the tool: in its own frame, or relative, it is from the newest target on."""
    before = controller.body.tool(controller.servo.target)
    if in_tool:
        T = before @ T
    elif relative:
        T[:3, 3] += before[:3, 3]
        T[:3, :3] = T[:3, :3] @ before[:3, :3]
    if not controller.ready:
        return b""
    try:
        return _streamed(controller, controller.servo_to(controller.body.follow(T, controller.servo.target)))
    except MotionError as error:
        controller.fail(error.code)
        return b""


def _joint_speeds(controller: ArmController, request: ProtocolRequest) -> bytes:
    speeds = np.array(floats(request.data, 7)[: controller.arm.joints])
    return _streamed(controller, controller.move_at(speeds, _seconds(request, 29)))


def _tool_speeds(controller: ArmController, request: ProtocolRequest) -> bytes:
    twist = np.array(floats(request.data, 6))
    twist[:3] /= 1000
    in_tool = byte(request.data, 24) != 0
    return _streamed(controller, controller.move_at(twist, _seconds(request, 25), in_tool))


def _seconds(request: ProtocolRequest, at: int) -> float:
    """How long a velocity lasts, from a byte on; 0 where that is not said."""
    return floats(request.data, 1, at)[0] if len(request.data) >= at + 4 else 0.0


# --- state and settings -----------------------------------------------------------------------------------------------


def _enable(controller: ArmController, request: ProtocolRequest) -> bytes:
    """Motors, and brakes: where a brake is opened its motor is switched off. Nothing sinks."""
    joint, on = byte(request.data, 0), bool(byte(request.data, 1))
    if not 1 <= joint <= 8:
        raise ProtocolError("joints are 1 to 7, and 8 is all")
    if request.register == MOTORS:
        controller.enable(joint, on)
    elif on:
        controller.enable(joint, False)
    return b""


def _clear_error(controller: ArmController, request: ProtocolRequest) -> bytes:
    controller.clear_error()
    return b""


def _clear_warning(controller: ArmController, request: ProtocolRequest) -> bytes:
    controller.warning = 0
    return b""


def _tool_offset(controller: ArmController, request: ProtocolRequest) -> bytes:
    controller.set_tool(floats(request.data, 6))
    return b""


def _load(controller: ArmController, request: ProtocolRequest) -> bytes:
    controller.set_load(floats(request.data, 4), request)
    return b""


def _count(controller: ArmController, request: ProtocolRequest) -> bytes:
    controller.counter = controller.counter + 1 if request.register == COUNT_UP else 0
    return b""


# --- questions --------------------------------------------------------------------------------------------------------


def _version(controller: ArmController, request: ProtocolRequest) -> bytes:
    model = controller.arm.name
    kind, axes = KINDS[model]
    return f"{axes},{kind},{SERIAL[model]},{BOX},v{FIRMWARE}".encode().ljust(40, b"\0")


def _joints(controller: ArmController, request: ProtocolRequest) -> bytes:
    """Angles, or with a number also speeds and efforts (which are 0)."""
    wanted = byte(request.data, 0, 1) & 15
    rows = [controller.encoders, controller.speeds] + [np.zeros(7)] * 13
    return b"".join(pack_floats(seven(row)) for row in rows[: max(wanted, 1)])


# --- the tool's serial line -------------------------------------------------------------------------------------------


def _line_register(controller: ArmController, request: ProtocolRequest) -> bytes:
    """A register at the end of the tool's line: only its baud rate is there."""
    return struct.pack(">i", TWO_MEGABAUD if int.from_bytes(request.data[1:3], "big") == BAUD_REGISTER else 0)


def _line(controller: ArmController, request: ProtocolRequest) -> bytes:
    """A Modbus RTU frame to a device on the tool's line: the gripper, which a Lite 6 does not have."""
    try:
        if byte(request.data, 0) != TOOL_LINE or controller.arm.name == "lite6":
            raise ProtocolError("no device")
        return request.data[:1] + controller.gripper.reply(request.data[1:])
    except ProtocolError:
        controller.fail(NO_DEVICE)
        raise Refused(request.data[:1]) from None


MOTORS, BRAKES, RESET_COUNT, COUNT_UP = 11, 18, 74, 75
HANDLERS: dict[int, Handler] = {
    **dict.fromkeys(COMMANDS, _command),
    **dict.fromkeys(WITHOUT_EFFECT, lambda controller, request: b""),
    1: _version,
    MOTORS: _enable,
    12: lambda controller, request: _taken(controller.set_state(byte(request.data, 0))),
    13: lambda controller, request: bytes([controller.state]),
    14: lambda controller, request: struct.pack(">H", controller.queue.count),
    15: lambda controller, request: bytes([controller.error, controller.warning]),
    16: _clear_error,
    17: _clear_warning,
    BRAKES: _enable,
    19: lambda controller, request: _taken(controller.set_mode(byte(request.data, 0))),
    29: _servo_joints,
    30: _servo_tool,
    35: _tool_offset,
    36: _load,
    41: lambda controller, request: pack_floats(from_pose(controller.T_base_tool)),
    42: _joints,
    RESET_COUNT: _count,
    COUNT_UP: _count,
    81: _joint_speeds,
    82: _tool_speeds,
    93: _servo_tool_axis_angle,
    124: _line,
    128: _line_register,
}
