"""Registers of the control box's and the tool's outputs.

Inputs are 0. What would be set later or somewhere else (after a delay, at a position) is refused.
"""

from __future__ import annotations

from tamp.backends.xarm.emulator.answers import DONE, Answer, Asked, done
from tamp.backends.xarm.emulator.frames import ProtocolError, byte, floats
from tamp.backends.xarm.emulator.outputs import PINS, changed

SET_TOOL, GET_TOOL = 0x0A15, 0x0A18
"""Addresses on the tool's line: to set its digital outputs, and to read them back."""


def set_box(asked: Asked) -> Answer:
    """Digital outputs 0 to 7, and with a second number 8 to 15."""
    outputs = asked.controller.outputs
    low = changed(outputs.box & 0xFF, _u16(asked.data, 0))
    high = outputs.box >> 8
    if len(asked.data) >= 4:
        high = changed(high, _u16(asked.data, 2))
    outputs.box = high << 8 | low
    return DONE


def set_analog(asked: Asked) -> Answer:
    """The first analog output (register 135) or the second."""
    asked.controller.outputs.analog[asked.register != 135] = _u16(asked.data, 0)
    return DONE


def set_function(asked: Asked) -> Answer:
    """What a digital input (register 137) or output is for."""
    pin, function = byte(asked.data, 0), byte(asked.data, 1)
    if pin >= PINS:
        raise ProtocolError(f"pins are 0 to {PINS - 1}")
    outputs = asked.controller.outputs
    (outputs.input_functions if asked.register == 137 else outputs.output_functions)[pin] = function
    return DONE


def write_tool(asked: Asked) -> Answer:
    """A register at the end of the tool's line: only the digital outputs can be set."""
    outputs, value = asked.controller.outputs, floats(asked.data, 1, 3)[0]
    if _u16(asked.data, 1) != SET_TOOL or not 0 <= value < 0x10000:
        return done(False)
    outputs.tool = changed(outputs.tool, int(value))
    return DONE


def box_state(asked: Asked) -> Answer:
    """Levels and functions of all pins of the box."""
    return Answer(asked.controller.outputs.state())


def _u16(data: bytes, at: int) -> int:
    return byte(data, at) << 8 | byte(data, at + 1)
