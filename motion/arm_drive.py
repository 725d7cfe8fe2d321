"""What moves an arm's joints within a control period, whatever physics they are in: torques, or joint targets."""

from __future__ import annotations

import numpy as np

from motion.dynamics import ArmDynamics, Dynamics, Encoders
from motion.joint_servo import JointServo
from motion.poses import Array, displaced, error
from motion.robot import RobotDescription

REST = 10.0
"""1/s² by which the null space pulls towards its posture."""
SINGULAR = 1e-3
"""Keeps the mobility of the tool from being singular."""


class ArmDrive:
    """Where one robot's tool was asked to go, and what that wants of its joints. `by_torques`: the joints take torques,
    else targets."""

    def __init__(self, robot: RobotDescription) -> None:
        self.by_torques = robot.joint_period is None
        self._robot, self._dynamics, self._servo = robot, ArmDynamics(robot), JointServo(robot)
        self._T_world_goal, self._targets, self._steps = np.eye(4), np.zeros((0, 0)), 1

    def now(self, felt: Encoders) -> Dynamics:
        """The arm as its encoders have it."""
        return self._dynamics.at(felt)

    def aim(self, felt: Encoders, displacement: Array, steps: int) -> None:
        """Set off: the tool is asked to move by a displacement (6,) in a control period of so many physics steps."""
        robot, self._steps = self._robot, steps
        if robot.joint_period is not None:
            count = round(robot.period / robot.joint_period)
            self._targets = self._servo.targets(felt.q, displacement, robot.period, count)
            return
        self._T_world_goal = displaced(self.now(felt).T_world_tool, robot.response.within_reach(displacement))

    def due(self, step: int) -> tuple[Array, float, int] | None:
        """The joint target (n,) that is sent in one of the physics steps, with the seconds and the physics steps until
        the next one; None where none is."""
        count = len(self._targets)
        if self._robot.joint_period is None or step * count % self._steps >= count:
            return None
        return self._targets[step * count // self._steps], self._robot.joint_period, self._steps // count

    def torques(self, felt: Encoders, inertia: Array, bias: Array) -> Array:
        """Torques (n,), Nm, with which the tool goes to where it was asked to as a critically damped mass does,
        position and rotation alike, the null space to its posture, and nothing weighs. `inertia` (n, n) is that of the
        joints, `bias` (n,) what holds the arm against its weight and velocities."""
        d, rate = self.now(felt), self._robot.response.rate
        wanted = rate**2 * error(d.T_world_tool, self._T_world_goal) - 2.0 * rate * d.twist
        inverse_inertia = np.linalg.inv(inertia)
        mobility = d.J @ inverse_inertia @ d.J.T
        weights = np.linalg.inv(mobility + SINGULAR * np.eye(6))
        null = np.eye(len(felt.q)) - d.J.T @ weights @ d.J @ inverse_inertia
        rest = inertia @ (REST * (self._robot.posture - felt.q) - 2.0 * np.sqrt(REST) * felt.v)
        return np.asarray(d.J.T @ weights @ wanted + null @ rest + bias)
