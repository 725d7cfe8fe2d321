"""The gripper at the end of the tool's serial line, as far as the SDK's calls need it."""

from __future__ import annotations

import struct

from tamp.backends.xarm.emulator.protocol import ProtocolError

SLAVE, READ, WRITE = 8, 3, 16
"""The gripper's address on the line, and the functions that it has."""
STATUS, FAULT, ENABLE, MODE, CLEAR, SPEED, TARGET, POSITION = 0, 0x0F, 0x100, 0x101, 0x109, 0x303, 0x700, 0x702
VERSION = {0x0801: 3, 0x0802: 4, 0x0803: 3}
OPEN, SHUT = 850, -10
"""Pulses."""
RATE = 0.5
"""Pulses a second for each unit of the speed register."""
RESTS, MOVES, HOLDS = 0, 1, 2
"""Values of the status register."""
BETWEEN = 10
"""Pulses that the fingers stay wider than commanded, from which something is in between."""


class SerialGripper:
    """Position in pulses, which runs to its target at the set speed when enabled."""

    def __init__(self) -> None:
        self.enabled, self.mode, self.speed, self.fault = 0, 0, 1500, 0
        self.position, self.target = float(OPEN), float(OPEN)
        self.felt: float | None = None
        """Where the fingers really are, in a world in which something can be in between."""

    @property
    def moving(self) -> bool:
        """Whether it is not at its target yet."""
        return self.position != self.target

    def advance(self, seconds: float) -> None:
        """Go on for some seconds."""
        if self.enabled:
            reach = self.speed * RATE * seconds
            self.position += min(max(self.target - self.position, -reach), reach)

    def reply(self, frame: bytes) -> bytes:
        """The reply to a Modbus RTU frame without its checksum: read or write registers. Raises ProtocolError."""
        if len(frame) < 6 or frame[0] != SLAVE:
            raise ProtocolError("not a frame for the gripper")
        function, address, count = struct.unpack_from(">BHH", frame, 1)
        if function == READ and 1 <= count <= 16:
            words = [self._read(address + k) for k in range(count)]
            return bytes([SLAVE, READ, 2 * count]) + struct.pack(f">{count}H", *words)
        if function == WRITE and 1 <= count <= 16 and len(frame) >= 7 + 2 * count:
            self._write(address, frame[7 : 7 + 2 * count])
            return frame[:6]
        raise ProtocolError("only reading (3) and writing (16) of registers")

    def _read(self, address: int) -> int:
        felt = self.position if self.felt is None else self.felt
        position = struct.unpack(">HH", struct.pack(">i", round(felt)))
        found = {STATUS: self._status(felt), FAULT: self.fault, ENABLE: self.enabled, MODE: self.mode}
        found |= {SPEED: self.speed, POSITION: position[0], POSITION + 1: position[1]} | VERSION
        return found.get(address, 0)

    def _status(self, felt: float) -> int:
        """Moving, holding something, or neither."""
        if self.moving:
            return MOVES
        return HOLDS if felt - self.target > BETWEEN else RESTS

    def _write(self, address: int, data: bytes) -> None:
        first = int.from_bytes(data[:2], "big")
        if address == ENABLE:
            self.enabled = first
        elif address == MODE:
            self.mode = first
        elif address == SPEED:
            self.speed = max(first, 1)
        elif address == CLEAR:
            self.fault = 0
        elif address == TARGET and len(data) == 4:
            self.target = float(min(max(struct.unpack(">i", data)[0], SHUT), OPEN))
