"""A robot in PyBullet: its model, moved by torques that answer as its description says, and its fingers."""

from __future__ import annotations

import numpy as np

from motion.bullet import Bullet
from motion.dynamics import Encoders
from motion.poses import Array
from motion.robot import RobotDescription
from motion.urdf import links_of, written
from tamp.backends.physics.materials import FINGER_SPEED, GRIP, PAD_FRICTION
from tamp.backends.physics.table import PhysicsArm


class BulletArm(PhysicsArm):
    """The arm and the hand of a robot in PyBullet."""

    def __init__(self, bullet: Bullet, robot: RobotDescription) -> None:
        super().__init__(robot)
        self._bullet = bullet
        self.body = bullet.load(lambda folder: written("robot", links_of(robot, folder)), np.eye(4), fixed=True)
        infos = [bullet.getJointInfo(self.body, i) for i in range(bullet.getNumJoints(self.body))]
        numbers = {info[1].decode(): i for i, info in enumerate(infos)}
        self._joints = [numbers[name] for name in robot.arm_joints]
        self._fingers = [numbers[name] for name in robot.finger_joints]
        self._signs = [float(np.sign(infos[i][8] + infos[i][9])) for i in self._fingers]
        moving = [i for i, info in enumerate(infos) if info[2] != bullet.JOINT_FIXED]
        self._moving = moving
        self._ours = [moving.index(i) for i in self._joints]
        if robot.joint_period is None:
            for i in self._joints:
                bullet.setJointMotorControl2(self.body, i, bullet.VELOCITY_CONTROL, force=0.0)
        for i in range(-1, len(infos)):
            bullet.changeDynamics(self.body, i, linearDamping=0.0, angularDamping=0.0, jointDamping=0.0)
        rubs = {"lateralFriction": PAD_FRICTION, "spinningFriction": 0.01, "rollingFriction": 1e-3}
        fingers = set(self._fingers)
        for i, info in enumerate(infos):
            if i in fingers or (info[16] in fingers and info[2] == bullet.JOINT_FIXED):
                fingers.add(i)  # pads may be links of their own
                bullet.changeDynamics(self.body, i, **rubs)
        self._couple()
        self.put(robot.posture)

    def _couple(self) -> None:
        """Have two fingers move alike."""
        if len(self._fingers) != 2:
            return
        b, (one, other) = self._bullet, self._fingers
        axis = list(b.getJointInfo(self.body, one)[13])
        gear = b.createConstraint(self.body, one, self.body, other, b.JOINT_GEAR, axis, [0] * 3, [0] * 3)
        b.changeConstraint(gear, gearRatio=-self._signs[0] * self._signs[1], erp=0.1, maxForce=2 * GRIP)

    def put(self, q: Array) -> None:
        """Put the arm at a configuration (n,), at rest, with the fingers where they were told to be."""
        self._last = np.array(q, dtype=float)
        for i, value in zip(self._joints, q.tolist(), strict=True):
            self._bullet.resetJointState(self.body, i, value)
        for i, sign in zip(self._fingers, self._signs, strict=True):
            self._bullet.resetJointState(self.body, i, sign * self.opening / 2)

    def felt(self) -> Encoders:
        """Its joints now."""

        def states(joints: list[int]) -> Array:
            found = self._bullet.getJointStates(self.body, joints) if joints else ()
            return np.array([s[:2] for s in found]).reshape(-1, 2).T

        (q, v), (p, w) = states(self._joints), states(self._fingers)
        return Encoders(q, v, p, w)

    def grip(self, opening: float) -> None:
        """Have the fingers go to an opening (m), pressing on what is in between."""
        super().grip(opening)
        for i, sign in zip(self._fingers, self._signs, strict=True):
            self._bullet.setJointMotorControl2(
                self.body,
                i,
                self._bullet.POSITION_CONTROL,
                targetPosition=sign * opening / 2,
                force=GRIP,
                maxVelocity=FINGER_SPEED,
                positionGain=0.3,
            )

    def drive(self, step: int) -> None:
        """What moves the joints in one of the physics steps."""
        if self._drive.by_torques:
            torques = self._drive.torques(self.felt(), *self._inertia_and_bias())
            self._bullet.setJointMotorControlArray(
                self.body, self._joints, self._bullet.TORQUE_CONTROL, forces=torques.tolist()
            )
        elif (due := self._drive.due(step)) is not None:
            self.follow(*due)

    def follow(self, q: Array, seconds: float, steps: int) -> None:
        """Have the motors bring the joints to a target (n,) in so many seconds, which are so many physics steps."""
        speeds, self._last = (q - self._last) / seconds, np.array(q, dtype=float)
        self._bullet.setJointMotorControlArray(
            self.body,
            self._joints,
            self._bullet.POSITION_CONTROL,
            targetPositions=q.tolist(),
            targetVelocities=speeds.tolist(),
            forces=list(self._robot.efforts),
            positionGains=[1.0 / max(steps, 1)] * len(q),
            velocityGains=[1.0] * len(q),
        )

    def _inertia_and_bias(self) -> tuple[Array, Array]:
        """The inertia of the joints (n, n), and what holds the arm against its weight and velocities (n,), Nm."""
        states = self._bullet.getJointStates(self.body, self._moving)
        q, v = [s[0] for s in states], [s[1] for s in states]
        inertia = np.array(self._bullet.calculateMassMatrix(self.body, q))
        bias = np.array(self._bullet.calculateInverseDynamics(self.body, q, v, [0.0] * len(q)))
        return inertia[np.ix_(self._ours, self._ours)], bias[self._ours]
