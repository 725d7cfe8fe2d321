"""Joint targets for arms that take nothing else: displacements of the tool, as everything above asks for, become a
reference that answers as the robot's description says, in steps that the joints can follow.
"""

from __future__ import annotations

import numpy as np

from motion.kinematics import step_towards
from motion.poses import Array, displaced, error
from motion.robot import RobotDescription
from motion.world import World

DAMPING = 1e-4
IK_STEPS = 3
"""Newton steps a target: from the one before it is never far."""
REST = 0.5
"""1/s by which joints that the tool leaves free go to the robot's posture."""
FAR = 0.1
"""Radians between the reference and where a joint is, from which the reference begins anew where the arm is."""


class JointServo:
    """Follows displacements of the tool with the joints of one robot."""

    def __init__(self, robot: RobotDescription) -> None:
        self._world, self._robot = World(robot, []), robot
        self._twist, self._T, self._T_goal = np.zeros(6), np.eye(4), np.eye(4)
        self._q: Array | None = None

    def aim(self, q: Array, displacement: Array) -> None:
        """From now on go where the tool is after a displacement (6,), metres and rotation vector in world axes, from
        where it is now, with the arm at `q` (n,)."""
        if self._q is None or self.strays(q):
            self._q, self._twist = np.array(q, dtype=float), np.zeros(6)
            self._T = self._world.forward(self._q)
        self._T_goal = displaced(self._world.forward(q), self._robot.response.within_reach(displacement))

    def strays(self, q: Array) -> bool:
        """Whether `aim` with the arm at `q` (n,) would begin anew from there."""
        return self._q is not None and float(np.abs(self._q - q).max()) > FAR

    def slowed(self, share: float) -> None:
        """The last target came so late that the arm did only this share of the reference's speed: go on from that."""
        self._twist = self._twist * share

    def brake(self) -> None:
        """From now on come to rest."""
        self._T_goal = self._T

    def step(self, seconds: float) -> Array:
        """The target (n,), rad, after so many seconds more. ValueError before `aim`."""
        if self._q is None:
            raise ValueError("it is not known where to go: aim first")
        moved, self._twist = self._robot.response.after(self._twist, error(self._T, self._T_goal), seconds)
        self._T = displaced(self._T, moved)
        self._q = self._towards(self._q, self._T, seconds)
        return self._q

    def targets(self, q: Array, displacement: Array, seconds: float, count: int) -> Array:
        """The next `count` targets (count, n), evenly in so many seconds: see `aim`."""
        self.aim(q, displacement)
        return np.array([self.step(seconds / count) for _ in range(count)])

    def stop(self) -> None:
        """Begin anew from where the arm is at the next `aim`."""
        self._q = None

    def _towards(self, q: Array, T_world_tool: Array, seconds: float) -> Array:
        """The configuration (n,) near `q` with the tool at a pose."""
        low, high = self._world.limits.T
        slide = REST * seconds * (self._robot.posture - q)
        for n in range(IK_STEPS):
            T, J = self._world.jacobian(q)
            q = np.clip(q + step_towards(J, error(T, T_world_tool), DAMPING, slide * (n == 0)), low, high)
        return np.asarray(q)
