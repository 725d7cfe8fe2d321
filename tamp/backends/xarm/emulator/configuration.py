"""Registers that configure: what is set is reported; offsets move the tool's frame, the rest changes no motion."""

from __future__ import annotations

import struct

from tamp.backends.xarm.emulator.answers import DONE, Answer, Asked, Handler
from tamp.backends.xarm.emulator.frames import ProtocolError, byte, floats
from tamp.backends.xarm.emulator.settings import Settings


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
    """Jerk and acceleration limits, reduced mode, fence and so on: kept and reported, not acted on."""
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


def _tool_model(asked: Asked) -> Answer:
    """Sizes, if its kind has any, and the kind."""
    if not asked.data:
        raise ProtocolError("a tool has a kind")
    count = min((len(asked.data) - 1) // 4, 6)
    sizes = floats(asked.data, count)
    asked.controller.settings.tool_model = asked.data[-1], (*sizes, *[0.0] * (6 - count))
    return DONE


def _io_reset(asked: Asked) -> Answer:
    """Of the box (0) or the tool (1)."""
    which, on = byte(asked.data, 0), byte(asked.data, 1) != 0
    if which > 1:
        raise ProtocolError("outputs are those of the box (0) and of the tool (1)")
    box, tool = asked.controller.settings.io_reset
    asked.controller.settings.io_reset = (box, on) if which else (on, tool)
    return DONE


def _clean(asked: Asked) -> Answer:
    """Every setting is what it was when the controller was switched on."""
    asked.controller.settings = Settings(counter=asked.controller.settings.counter)
    asked.controller.configured()
    return DONE


def _counter(asked: Asked) -> Answer:
    settings = asked.controller.settings
    settings.counter = settings.counter + 1 if asked.register == 75 else 0
    return DONE


def _common(asked: Asked) -> Answer:
    """A common parameter, kept as it is answered: whole numbers come with their lowest byte first, and go last."""
    which, value = byte(asked.data, 0), asked.data[1:]
    if which not in _NOT_WHOLE:
        value = b"".join(value[k : k + 4][::-1] for k in range(0, len(value) - 3, 4))
    asked.controller.settings.common[which] = value
    return DONE


_NOT_WHOLE = (1, 6, 7, 12, 14, 26)
"""Common parameters that are floats or bytes."""
_FLOAT_SETTINGS = {
    31: "tcp_jerk",
    32: "tcp_acceleration",
    33: "joint_jerk",
    34: "joint_acceleration",
    47: "reduced_tcp_speed",
    48: "reduced_joint_speed",
}
_FLAG_SETTINGS = {
    50: "reduced",
    59: "fence",
    60: "rebound",
    66: "approximate",
    70: "currents",
    77: "self_collision",
    80: "continuous",
}
_LIMITS: dict[int, Handler] = dict.fromkeys((*_FLOAT_SETTINGS, *_FLAG_SETTINGS, 58), _limit)
CONFIGURATION = _LIMITS | {
    35: _tool_offset,
    36: _load,
    37: _sensitivity,
    38: _sensitivity,
    39: _clean,
    51: _gravity,
    52: _box,
    73: _world_offset,
    74: _counter,
    75: _counter,
    78: _tool_model,
    146: _io_reset,
    232: _common,
}
