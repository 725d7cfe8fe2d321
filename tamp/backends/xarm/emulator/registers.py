"""Register numbers and what they do: a request comes in, an answer goes out; no sockets."""

from __future__ import annotations

import contextlib
import struct

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.emulator import gpio
from tamp.backends.xarm.emulator.answers import DONE, Answer, Asked, Handler, done
from tamp.backends.xarm.emulator.body import MotionError
from tamp.backends.xarm.emulator.commands import COMMANDS, FEEDBACK_CHECK, Origin, parse
from tamp.backends.xarm.emulator.configuration import CONFIGURATION
from tamp.backends.xarm.emulator.controller import Controller
from tamp.backends.xarm.emulator.frames import INVALID, MODBUS, ProtocolError, Reply, Request, byte, floats
from tamp.backends.xarm.emulator.gripper import BAUD_REGISTER, NO_BOX_DEVICE, NO_DEVICE, ROBOT_LINE, TWO_MEGABAUD
from tamp.backends.xarm.emulator.planning import plan
from tamp.backends.xarm.emulator.queries import QUERIES
from tamp.backends.xarm.emulator.states import BAD_PARAMETER, UNKNOWN_REGISTER
from tamp.backends.xarm.emulator.wire import to_pose

SET_FEEDBACK_TYPE = 254
NOTHING_TO_DO = (4, SET_FEEDBACK_TYPE)
"""Reloading parameters of dynamics, of which there are none; the server keeps the kinds of feedback."""
REFUSED = dict.fromkeys(
    (10, 40, 56, 61, 62, 63, 64, 71, 72, 101, 103, 105, 123, 129, 142, 143, 144, 145, 147, 201, 202, *range(205, 212),
     240), 0
) | {6: 4, 111: 12, 112: 12, 113: 12, 114: 12, 115: 4, 150: 24, 200: 24, 203: 1, 204: 40, 212: 280, 230: 12, 231: 4,
     234: 40}  # fmt: skip
"""Registers of what is not emulated, and the length of their answers: always marked invalid, so that the SDK says 10.

Shutting down, saving, trajectories, timers, the motors' own registers, modems' time-outs, outputs that are set later
or somewhere, the force sensor, identification, calibration.
"""
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


def _simulation(asked: Asked) -> Answer:
    """The controller's own simulation, in which the SDK enables nothing: it stays off."""
    return done(not byte(asked.data, 0))


def _joint_of(asked: Asked) -> int:
    joint = byte(asked.data, 0)
    if not 1 <= joint <= 8:
        raise ProtocolError("joints are 1 to 7, and 8 is all")
    return joint


def _enable(asked: Asked) -> Answer:
    asked.controller.enable(_joint_of(asked), bool(byte(asked.data, 1)))
    return DONE


def _brake(asked: Asked) -> Answer:
    asked.controller.set_brake(_joint_of(asked), bool(byte(asked.data, 1)))
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


def _set_table(asked: Asked) -> Answer:
    """The arm's own table does not change."""
    del asked
    return Answer(bytes(1), INVALID)


def _read_line(asked: Asked) -> Answer:
    """A register at the end of the tool's line; only its baud rate and the tool's outputs are there."""
    known = {BAUD_REGISTER: TWO_MEGABAUD, gpio.GET_TOOL: asked.controller.outputs.tool}
    return Answer(struct.pack(">i", known.get(int.from_bytes(asked.data[1:3], "big"), 0)))


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


def _done(asked: Asked) -> Answer:
    del asked
    return DONE


HANDLERS: dict[int, Handler] = (
    QUERIES
    | CONFIGURATION
    | dict.fromkeys(NOTHING_TO_DO, _done)
    | dict.fromkeys(REFUSED, _refused)
    | dict.fromkeys(COMMANDS, _command)
    | dict.fromkeys((135, 136), gpio.set_analog)
    | dict.fromkeys((137, 138), gpio.set_function)
    | {
        11: _enable,
        12: _set_state,
        16: _clear_error,
        17: _clear_warning,
        18: _brake,
        19: _set_mode,
        29: _servo_joints,
        30: _servo_tool,
        68: _set_table,
        79: _simulation,
        81: _joint_speeds,
        82: _tool_speeds,
        93: _servo_tool_axis_angle,
        124: _line,
        127: gpio.write_tool,
        128: _read_line,
        134: gpio.set_box,
        241: _line,
    }
)
LENGTHS = {41: 24, 42: 28, 43: 28, 44: 24, 45: 1, 46: 1, 53: 79, 67: 112, 76: 24, 128: 4, 233: 4} | {
    number: 3 for number in COMMANDS if number != FEEDBACK_CHECK
}
"""Bytes that a register answers also when its request cannot be understood."""
