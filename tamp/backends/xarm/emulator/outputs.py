"""Outputs of the control box and of the tool: what is set is kept and reported; nothing is wired to them."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

PINS = 16
"""Digital inputs of the box, and as many outputs."""


@dataclass
class Outputs:
    """Bits of the digital ones, 12-bit values of the analog ones, and the function of each digital pin of the box."""

    tool: int = 0
    box: int = 0
    analog: list[int] = field(default_factory=lambda: [0, 0])
    input_functions: bytearray = field(default_factory=lambda: bytearray(PINS))
    output_functions: bytearray = field(default_factory=lambda: bytearray(PINS))

    def state(self) -> bytes:
        """What register 139 answers, and the rich report has (50 bytes)."""
        first, second = slice(0, 8), slice(8, PINS)
        levels = struct.pack(">8H", 0, 0, self.box, self.box, 0, 0, *self.analog)
        inputs, outputs = self.input_functions, self.output_functions
        return bytes(2) + levels + bytes(inputs[first] + outputs[first] + inputs[second] + outputs[second])


def changed(levels: int, change: int) -> int:
    """Eight levels after a change of 16 bits: the upper ones say which, the lower ones to what."""
    which = change >> 8
    return (levels & ~which) | (change & which)
