"""Register numbers and what they do: a request comes in, an answer goes out; no sockets."""

from __future__ import annotations

import contextlib
import struct

import numpy as np

from motion.poses import Array
from tamp.xarm.emulator.answers import DONE, Answer, Asked, Handler, done
from tamp.xarm.emulator.body import MotionError
from tamp.xarm.emulator.commands import COMMANDS, FEEDBACK_CHECK, Origin, parse
from tamp.xarm.emulator.controller import Controller
from tamp.xarm.emulator.frames import INVALID, MODBUS, ProtocolError, Reply, Request, byte, floats
from tamp.xarm.emulator.gripper import BAUD_REGISTER, NO_BOX_DEVICE, NO_DEVICE, ROBOT_LINE, TWO_MEGABAUD
from tamp.xarm.emulator.planning import plan
from tamp.xarm.emulator.queries import QUERIES
from tamp.xarm.emulator.states import BAD_PARAMETER, UNKNOWN_REGISTER
from tamp.xarm.emulator.wire import to_pose

SET_FEEDBACK_TYPE = 254
KEPT = (4, 10, 18, 39, 40, 56, 66, 70, 71, 72, 77, 78, 79, 80, 101, 103, 105, 123, 127, 129, 134,
        135, 136, 137, 138, 142, 143, 144, 145, 146, 147, 201, 202, 205, 206, 207, 208, 209, 210, 211, 240)  # fmt: skip
"""Registers that are accepted and kept, and do nothing else."""
REFUSED = {61: 0, 62: 0, 63: 0, 64: 0}
"""Registers of what is not emulated, and the length of their answers: always marked invalid, so that the SDK says 10."""
ILLEGAL_FUNCTION = 1
"""Exception of standard Modbus."""


def answer(controller: Controller, request: Request, connection: int, kinds: int) -> Reply:
    """Carry out a request that came in on a connection whose feedback has some `kinds`.

    Data that is not what the register takes gives warning 12 and a reply marked invalid, an unknown register
    warning 13; standard Modbus is declined as its own exceptions do.
    """
    if request.protocol == MODBUS:
        function = byte(request.data, 0, 0) | 0x80
        return Reply(request.transaction, MODBUS, request.register, 0, bytes([function, ILLEGAL_FUNCTION]))
    origin = Origin(connection, request.transaction, request.protocol, request.register, kinds)
    asked = Asked(controller, request.register, request.data, origin)
    handler = HANDLERS.get(request.register)
    if handler is None:
        controller.warn(UNKNOWN_REGISTER)
        found = Answer(b"", INVALID)
    else:
        try:
            found = handler(asked)
        except ProtocolError:
            controller.warn(BAD_PARAMETER)
            found = Answer(bytes(LENGTHS.get(request.register, 0)), INVALID)
    status = controller.status | found.bits
    return Reply(request.transaction, request.protocol, request.register, status, found.data)


def _command(asked: Asked) -> Answer:
    """Queue it, or only check it; answers the number of queued commands, and the error that the check found."""
    controller = asked.controller
    command, check = parse(asked.register, asked.data)
    taken, found = True, 0
    if not check:
        taken = controller.submit(command, asked.origin) > 0 or not controller.ready
    else:
        try:
            plan(command, controller.q, controller.T_user_tool, controller.body, controller.choices)
        except MotionError as error:
            found = error.code
    return done(taken, b"" if asked.register == FEEDBACK_CHECK else struct.pack(">HB", controller.count, found))


def _motion(controller: Controller, taken: bool) -> Answer:
    """The answer to a target or a velocity: invalid in a mode that has none such; "not ready" says itself."""
    return done(taken or not controller.ready)


def _servo_joints(asked: Asked) -> Answer:
    q = np.array(floats(asked.data, 7)[: asked.controller.arm.joints])
    return _motion(asked.controller, asked.controller.servo_to(q))


def _servo_tool(asked: Asked) -> Answer:
    v = floats(asked.data, 9)
    return _servo_pose(asked, to_pose(v[:6]), v[8] != 0, relative=False)


def _servo_tool_axis_angle(asked: Asked) -> Answer:
    T = to_pose(floats(asked.data, 8)[:6], axis_angle=True)
    return _servo_pose(asked, T, byte(asked.data, 32) != 0, byte(asked.data, 36) != 0)


def _servo_pose(asked: Asked, T: Array, in_tool: bool, relative: bool) -> Answer:
    """A pose for the tool: in its own frame it is from the newest target on, and so it is when it is relative."""
    controller, taken = asked.controller, True
    before = controller.body.tool(controller.servo.target)
    if in_tool:
        T = before @ T
    elif relative:
        T[:3, 3] += before[:3, 3]
        T[:3, :3] = T[:3, :3] @ before[:3, :3]
    if not controller.ready:
        return DONE
    try:
        taken = controller.servo_to(controller.body.follow(T, controller.servo.target), asked.register)
    except MotionError as error:
        controller.fail(error.code)
    return _motion(controller, taken)


def _joint_speeds(asked: Asked) -> Answer:
    speeds = np.array(floats(asked.data, 7)[: asked.controller.arm.joints])
    seconds = floats(asked.data, 1, 29)[0] if len(asked.data) >= 33 else 0.0
    return _motion(asked.controller, asked.controller.move_at(speeds, seconds))


def _tool_speeds(asked: Asked) -> Answer:
    twist = np.array(floats(asked.data, 6))
    twist[:3] /= 1000
    seconds = floats(asked.data, 1, 25)[0] if len(asked.data) >= 29 else 0.0
    return _motion(asked.controller, asked.controller.move_at(twist, seconds, in_tool=byte(asked.data, 24) != 0))


def _enable(asked: Asked) -> Answer:
    joint, on = byte(asked.data, 0), byte(asked.data, 1)
    if not 1 <= joint <= 8:
        raise ProtocolError("joints are 1 to 7, and 8 is all")
    asked.controller.enable(joint, bool(on))
    return DONE


def _set_state(asked: Asked) -> Answer:
    return done(asked.controller.set_state(byte(asked.data, 0)))


def _set_mode(asked: Asked) -> Answer:
    return done(asked.controller.set_mode(byte(asked.data, 0)))


def _clear_error(asked: Asked) -> Answer:
    asked.controller.clear_error()
    return DONE


def _clear_warning(asked: Asked) -> Answer:
    asked.controller.warning = 0
    return DONE


def _tool_offset(asked: Asked) -> Answer:
    asked.controller.settings.tcp_offset = floats(asked.data, 6)
    asked.controller.configured()
    return DONE


def _world_offset(asked: Asked) -> Answer:
    asked.controller.settings.world_offset = floats(asked.data, 6)
    asked.controller.configured()
    return DONE


def _load(asked: Asked) -> Answer:
    asked.controller.set_load(floats(asked.data, 4), asked.origin)
    return DONE


def _gravity(asked: Asked) -> Answer:
    asked.controller.settings.gravity = floats(asked.data, 3)
    asked.controller.configured()
    return DONE


def _sensitivity(asked: Asked) -> Answer:
    value = byte(asked.data, 0)
    if value > 5:
        raise ProtocolError("a sensitivity is 0 to 5")
    if asked.register == 37:
        asked.controller.settings.collision_sensitivity = value
    else:
        asked.controller.settings.teach_sensitivity = value
    asked.controller.configured()
    return DONE


def _limit(asked: Asked) -> Answer:
    """Jerk and acceleration limits, reduced mode, fence, rebound: kept and reported, not acted on."""
    settings, register = asked.controller.settings, asked.register
    if register in _FLOAT_SETTINGS:
        setattr(settings, _FLOAT_SETTINGS[register], floats(asked.data, 1)[0])
    elif register in _FLAG_SETTINGS:
        setattr(settings, _FLAG_SETTINGS[register], byte(asked.data, 0) != 0)
    else:
        settings.reduced_joints = floats(asked.data, 14)
    return DONE


def _box(asked: Asked) -> Answer:
    """Bounds of the tool point in reduced mode: the most and the least of x, y and z in whole millimetres."""
    if len(asked.data) < 24:
        raise ProtocolError("six bounds have four bytes each")
    bounds = struct.unpack_from("<6i", asked.data)
    if any(not -0x8000 <= bound < 0x8000 for bound in bounds):
        raise ProtocolError("a bound that reports have no room for")
    asked.controller.settings.reduced_box = bounds
    return DONE


def _counter(asked: Asked) -> Answer:
    settings = asked.controller.settings
    settings.counter = settings.counter + 1 if asked.register == 75 else 0
    return DONE


def _common(asked: Asked) -> Answer:
    asked.controller.settings.common[byte(asked.data, 0)] = asked.data[1:]
    return DONE


def _set_table(asked: Asked) -> Answer:
    """The arm's own table does not change."""
    del asked
    return Answer(bytes(1), INVALID)


def _read_line(asked: Asked) -> Answer:
    """A register at the end of the tool's line; only its baud rate is there."""
    address = int.from_bytes(asked.data[1:3], "big")
    return Answer(struct.pack(">i", TWO_MEGABAUD if address == BAUD_REGISTER else 0))


def _line(asked: Asked) -> Answer:
    """A Modbus RTU frame to a device on the tool's line: the gripper, where there is one."""
    controller, host = asked.controller, byte(asked.data, 0)
    if host == ROBOT_LINE and controller.gripper.present:
        with contextlib.suppress(ProtocolError):
            return Answer(asked.data[:1] + controller.gripper.ask(asked.data[1:]))
    controller.fail(NO_DEVICE if host == ROBOT_LINE else NO_BOX_DEVICE)
    return Answer(asked.data[:1], INVALID)


def _refused(asked: Asked) -> Answer:
    return Answer(bytes(REFUSED[asked.register]), INVALID)


def _keep(asked: Asked) -> Answer:
    asked.controller.settings.written[asked.register] = asked.data
    return DONE


_FLOAT_SETTINGS = {
    31: "tcp_jerk",
    32: "tcp_acceleration",
    33: "joint_jerk",
    34: "joint_acceleration",
    47: "reduced_tcp_speed",
    48: "reduced_joint_speed",
}
_FLAG_SETTINGS = {50: "reduced", 59: "fence", 60: "rebound"}
HANDLERS: dict[int, Handler] = (
    QUERIES
    | dict.fromkeys(KEPT, _keep)
    | dict.fromkeys(REFUSED, _refused)
    | dict.fromkeys((*_FLOAT_SETTINGS, *_FLAG_SETTINGS, 58), _limit)
    | dict.fromkeys(COMMANDS, _command)
    | dict.fromkeys((37, 38), _sensitivity)
    | dict.fromkeys((74, 75), _counter)
    | {
        11: _enable,
        12: _set_state,
        16: _clear_error,
        17: _clear_warning,
        19: _set_mode,
        29: _servo_joints,
        30: _servo_tool,
        35: _tool_offset,
        36: _load,
        51: _gravity,
        52: _box,
        68: _set_table,
        73: _world_offset,
        81: _joint_speeds,
        82: _tool_speeds,
        93: _servo_tool_axis_angle,
        124: _line,
        128: _read_line,
        232: _common,
        241: _line,
        SET_FEEDBACK_TYPE: _keep,
    }
)
LENGTHS = {41: 24, 42: 28, 43: 28, 44: 24, 45: 1, 46: 1, 53: 79, 67: 112, 76: 24, 128: 4, 233: 56} | {
    number: 3 for number in COMMANDS if number != FEEDBACK_CHECK
}
"""Bytes that a register answers also when its request cannot be understood."""
