"""Motion without a queue: towards the newest servo target, or at the newest velocity."""

from __future__ import annotations

import math

import numpy as np

from motion.poses import Array
from tamp.backends.xarm.emulator.tool_body import (
    FASTEST,
    JOINT_ACCELERATION,
    JOINT_LIMIT,
    JOINT_SPEED,
    OVERSPEED,
    MotionError,
    ToolBody,
)

SERVO_JUMP = 0.5
"""Radians from the arm, in one joint, from which a servo target is too far away (C24)."""


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
        self.speeds = np.zeros_like(q)
        self._wanted, self._left = np.zeros_like(q), 0.0
        self._twist: Array | None = None
        self._in_tool = False

    @property
    def moving(self) -> bool:
        """Whether any joint moves or is to."""
        wanted = self._wanted if self._twist is None else self._twist
        return bool(np.any(self.speeds) or np.any(wanted))

    def submit_joints(self, speeds: Array, seconds: float) -> None:
        """Joint speeds (n,) in radians a second, for some seconds (0 or less: until the next)."""
        self._wanted, self._twist = speeds, None
        self._left = seconds if seconds > 0 else math.inf

    def submit_tool(self, twist: Array, in_tool: bool, seconds: float) -> None:
        """A twist (6,) of the tool [m/s, rad/s] in the axes of the base or the tool frame."""
        self._twist, self._in_tool = twist, in_tool
        self._left = seconds if seconds > 0 else math.inf

    def stop(self) -> None:
        """Stay here."""
        self._twist = None
        self.speeds = self._wanted = np.zeros_like(self.q)

    def advance(self, seconds: float) -> None:
        """Go on for some seconds. Raises MotionError at a limit (C23) and beyond the joints' speed (C24)."""
        self._left -= seconds
        if self._left <= 0:
            self._wanted, self._twist = np.zeros_like(self.q), None
        wanted = self._wanted if self._twist is None else self._of_tool(self._twist)
        change = JOINT_ACCELERATION * seconds
        self.speeds = self.speeds + np.clip(wanted - self.speeds, -change, change)
        if float(np.abs(self.speeds).max()) > FASTEST:
            raise MotionError(OVERSPEED)
        q = self.q + self.speeds * seconds
        if not self.body.arm.within(q):
            raise MotionError(JOINT_LIMIT)
        self.q = q

    def _of_tool(self, twist: Array) -> Array:
        """Joint speeds (n,) for a twist (6,) of the tool."""
        T_base_flange, T_base_tool = self.body.arm.forward(self.q), self.body.tool(self.q)
        axes = T_base_tool[:3, :3] if self._in_tool else np.eye(3)
        linear, angular = axes @ twist[:3], axes @ twist[3:]
        linear = linear - np.cross(angular, T_base_tool[:3, 3] - T_base_flange[:3, 3])
        found = np.linalg.lstsq(self.body.jacobian(self.q), np.concatenate([linear, angular]), rcond=1e-6)
        return np.asarray(found[0])
