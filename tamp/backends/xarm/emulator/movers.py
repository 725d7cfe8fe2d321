"""What moves the emulated arm: the queue of position control, followers of targets and velocities, and the gripper."""

from __future__ import annotations

import math
import struct
from collections import deque
from dataclasses import dataclass

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.emulator.protocol import FINISHED, STARTED, ProtocolError, ProtocolRequest
from tamp.backends.xarm.emulator.queued_commands import Command, TimedMotion, plan
from tamp.backends.xarm.emulator.tool_body import (
    FASTEST,
    JOINT_ACCELERATION,
    JOINT_LIMIT,
    JOINT_SPEED,
    OVERSPEED,
    MotionError,
    ToolBody,
)

SUCCESS, FAILURE, DISCARDED = 0, 1, 2
"""Codes of feedback."""
PAUSE_SECONDS = 0.1
"""To come to rest on the path when paused, and to go on."""
SERVO_JUMP = 0.5
"""Radians from the arm, in one joint, from which a servo target is too far away (C24)."""


@dataclass(frozen=True)
class Queued:
    """A command with its number, the request that it came with, and its number among the motions (0: none)."""

    number: int
    command: Command
    request: ProtocolRequest
    motion: int = 0


@dataclass(frozen=True)
class QueueEvent:
    """A command has started or finished (`kind`, as of feedback); `code` says how."""

    queued: Queued
    kind: int
    code: int


class CommandQueue:
    """Carries out commands one after the other, along a clock that slows down to pause and to stop.

    `q` (n,) is where the arm is; poses follow from `body`. `shares` gets the share of its way that each motion has
    travelled, by its number among the motions.
    """

    def __init__(self, body: ToolBody, q: Array, shares: dict[int, float]) -> None:
        self.body, self.q, self.shares = body, q, shares
        self.waiting: deque[Queued] = deque()
        self._running: tuple[Queued, TimedMotion] | None = None
        self._t = 0.0  # seconds into the running motion
        self._rate, self._wanted, self._ramp = 1.0, 1.0, 1.0
        self._ending = False
        self._events: list[QueueEvent] = []

    @property
    def moving(self) -> bool:
        """Whether a command runs, is being stopped, or waits."""
        return bool(self._running or self.waiting)

    @property
    def count(self) -> int:
        """Commands that run or wait."""
        return len(self.waiting) + bool(self._running and not self._ending)

    def submit(self, queued: Queued) -> None:
        """Put a command at the end of the queue."""
        self.waiting.append(queued)

    def pause(self) -> None:
        """Come to rest on the path."""
        self._wanted, self._ramp = 0.0, PAUSE_SECONDS

    def resume(self) -> None:
        """Go on; what was being stopped is over."""
        if self._ending:
            self._drop()
        self._wanted, self._ramp = 1.0, PAUSE_SECONDS
        if not self._running:
            self._rate = 1.0

    def stop(self, seconds: float, code: int = DISCARDED) -> None:
        """Drop what waits, and come to rest within some seconds; `code` is for the command that runs."""
        if self._running and not self._ending:
            self._events.append(QueueEvent(self._running[0], FINISHED, code))
        self._events += [QueueEvent(queued, FINISHED, DISCARDED) for queued in self.waiting]
        self.waiting.clear()
        self._ending = True
        self._wanted, self._ramp = 0.0, max(seconds, 1e-9)
        if seconds <= 0 or not self._running or self._rate == 0:
            self._drop()

    def events(self) -> list[QueueEvent]:
        """What has happened since the last call."""
        happened, self._events = self._events, []
        return happened

    def advance(self, seconds: float) -> None:
        """Go on for some seconds. Raises MotionError where the arm cannot follow; `q` is then where it could last."""
        before, step = self._rate, seconds / self._ramp
        self._rate = min(max(self._wanted, before - step), before + step)
        left = seconds * (before + self._rate) / 2
        while left > 0 and (self._running or self.waiting):
            queued, motion = self._running or self._begin()
            rest = motion.duration - self._t
            self._go_to(queued, motion, self._t + min(left, rest))
            if left < rest:
                break
            left -= rest
            self._running = None
            if not self._ending:
                self._events.append(QueueEvent(queued, FINISHED, SUCCESS))
        if self._ending and self._rate == 0:
            self._drop()

    def _begin(self) -> tuple[Queued, TimedMotion]:
        queued = self.waiting[0]
        self._running, self._t = (queued, plan(queued.command, self.q, self.body.tool(self.q), self.body)), 0.0
        self.waiting.popleft()
        self._events.append(QueueEvent(queued, STARTED, SUCCESS))
        return self._running

    def _go_to(self, queued: Queued, motion: TimedMotion, t: float) -> None:
        share = motion.share(t)
        place = motion.path(share)
        self.q = place if motion.in_joints else self.body.follow(place, self.q)
        self._t, self.shares[queued.motion] = t, share

    def _drop(self) -> None:
        self._running, self._ending = None, False


class ServoFollower:
    """Runs to the newest target at the joints' full speed, whatever speed was commanded."""

    def __init__(self, body: ToolBody, q: Array) -> None:
        self.body, self.q, self.target = body, q, q

    @property
    def moving(self) -> bool:
        """Whether it is not at its target yet."""
        return bool(np.abs(self.target - self.q).max() > 1e-9)

    def submit(self, target: Array) -> None:
        """A new target (n,). Raises MotionError beyond a limit (C23), or too far away (C24)."""
        target = self.body.check(target)
        if float(np.abs(target - self.q).max()) > SERVO_JUMP:
            raise MotionError(OVERSPEED)
        self.target = target

    def advance(self, seconds: float) -> None:
        """Go on for some seconds."""
        reach = JOINT_SPEED * seconds
        self.q = self.q + np.clip(self.target - self.q, -reach, reach)

    def stop(self) -> None:
        """Stay here."""
        self.target = self.q


class VelocityFollower:
    """Joints, or the tool, at a velocity until the next one or for a while."""

    def __init__(self, body: ToolBody, q: Array) -> None:
        self.body, self.q = body, q
        self.stop()

    @property
    def moving(self) -> bool:
        """Whether any joint moves or is to."""
        return bool(np.any(self.speeds) or np.any(self._wanted))

    def submit(self, wanted: Array, seconds: float, in_tool: bool | None = None) -> None:
        """Joint speeds (n,) in radians a second, or where `in_tool` is not None a twist (6,) of the tool [m/s, rad/s]
        in the axes of the tool or the base, for some seconds (0 or less: until the next)."""
        self._wanted, self._in_tool = wanted, in_tool
        self._left = seconds if seconds > 0 else math.inf

    def stop(self) -> None:
        """Stay here."""
        self.speeds = np.zeros_like(self.q)
        self.submit(self.speeds, 0.0)

    def advance(self, seconds: float) -> None:
        """Go on for some seconds. Raises MotionError at a limit (C23) and beyond the joints' speed (C24)."""
        self._left -= seconds
        if self._left <= 0:
            self._wanted, self._in_tool = np.zeros_like(self.q), None
        wanted = self._wanted if self._in_tool is None else self._of_tool(self._wanted, self._in_tool)
        change = JOINT_ACCELERATION * seconds
        self.speeds = self.speeds + np.clip(wanted - self.speeds, -change, change)
        if float(np.abs(self.speeds).max()) > FASTEST:
            raise MotionError(OVERSPEED)
        q = self.q + self.speeds * seconds
        if not self.body.arm.within(q):
            raise MotionError(JOINT_LIMIT)
        self.q = q

    def _of_tool(self, twist: Array, in_tool: bool) -> Array:
        """Joint speeds (n,) for a twist (6,) of the tool."""
        T_base_tool = self.body.tool(self.q)
        axes = T_base_tool[:3, :3] if in_tool else np.eye(3)
        linear, angular = axes @ twist[:3], axes @ twist[3:]
        linear = linear - np.cross(angular, T_base_tool[:3, 3] - self.body.arm.forward(self.q)[:3, 3])
        found = np.linalg.lstsq(self.body.jacobian(self.q), np.concatenate([linear, angular]), rcond=1e-6)
        return np.asarray(found[0])


# --- the gripper at the end of the tool's serial line, as far as the SDK's calls need it -----------------------------

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
