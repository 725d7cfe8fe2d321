"""A robot in MuJoCo: its model in the scene's, moved by torques that answer as its description says, and fingers."""

from __future__ import annotations

import mujoco
import numpy as np

from motion.dynamics import Encoders
from motion.poses import Array
from motion.robot import RobotDescription
from tamp.backends.physics.materials import FINGER_SPEED, GRIP
from tamp.backends.physics.table import PhysicsArm

PREFIX = "robot/"
"""Of the robot's names in the scene's model."""
TOUCHED = 1 << 29
"""Bit of what the robot can touch: all that collides, and nothing of its own."""
PAD_FRICTION = 1.0
"""Of the fingers. With 2, as in PyBullet, whose contacts give way, they jam in the handle of a mug."""
STIFF = 60.0
"""1/s by which joints come to their targets."""
CLOSING = 20_000.0
"""N/m by which fingers come to where they are told to be."""
HEAVY = 1.0
"""kg by which a finger feels heavier than it is, as robosuite has it: contacts are as firm as what touches is heavy."""
FIRM_SOLREF, FIRM_SOLIMP = (0.004, 1.0), (0.98, 0.99, 0.001)
"""How firm contacts of the fingers are, in MuJoCo's terms, whatever they touch: by MuJoCo's own values they close right
through a tin of 70 g."""
BEYOND = 0.02
"""Metres beyond touching each other that closed fingers are told to go: they press with all they have."""


def add_robot(spec: mujoco.MjSpec, robot: RobotDescription) -> None:
    """Put a robot into a scene, where its description has it."""
    for geom in spec.geoms:
        if geom.contype or geom.conaffinity:
            geom.conaffinity |= TOUCHED
    arm = mujoco.MjSpec.from_string(robot.mjcf)
    for pair in list(arm.pairs):
        pair.delete()
    for geom in arm.geoms:
        solid = (geom.contype or geom.conaffinity) and geom.parent.name not in robot.pinned_bodies
        geom.contype, geom.conaffinity = (TOUCHED if solid else 0), 0
    _add_fingers(arm, robot)
    spec.attach(arm, prefix=PREFIX, frame=spec.worldbody.add_frame())


def _add_fingers(arm: mujoco.MjSpec, robot: RobotDescription) -> None:
    """Pads that grip, and two fingers that move alike, as fast as they may with all their force."""
    joints = [arm.joint(name) for name in robot.finger_joints]
    for joint in joints:
        joint.damping, joint.frictionloss, joint.armature = GRIP / FINGER_SPEED, 0.0, HEAVY
        for body in [joint.parent, *joint.parent.find_all("body")]:
            for geom in body.geoms:
                geom.friction, geom.condim, geom.priority = [PAD_FRICTION, 0.02, 1e-4], 4, 1
                geom.solref[:2], geom.solimp[:3] = FIRM_SOLREF, FIRM_SOLIMP
    if len(joints) == 2:
        signs = [float(np.sign(np.sum(joint.range))) for joint in joints]
        alike = arm.add_equality(type=mujoco.mjtEq.mjEQ_JOINT, objtype=mujoco.mjtObj.mjOBJ_JOINT)
        alike.name1, alike.name2 = robot.finger_joints
        alike.data[:5] = [0.0, signs[0] * signs[1], 0.0, 0.0, 0.0]


class MujocoArm(PhysicsArm):
    """The arm and the hand of a robot that `add_robot` has put into a model. It is driven before each step, with the
    data as they are after `mj_step1`."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, robot: RobotDescription) -> None:
        super().__init__(robot)
        self._m, self._d = model, data
        joints = [model.joint(PREFIX + name) for name in robot.arm_joints]
        fingers = [model.joint(PREFIX + name) for name in robot.finger_joints]
        self._q, self._v = _addresses(joints)
        self._p, self._w = _addresses(fingers)
        self._signs = np.array([float(np.sign(f.range.sum())) for f in fingers])
        data.qpos[self._q], data.qpos[self._p] = robot.posture, self._signs * self.opening / 2
        self._from, self._to, self._seconds, self._passed = robot.posture, robot.posture, 1.0, 0.0

    def felt(self) -> Encoders:
        """Its joints now."""
        q, v = self._d.qpos, self._d.qvel
        return Encoders(q[self._q].copy(), v[self._v].copy(), q[self._p].copy(), v[self._w].copy())

    def drive(self, step: int) -> None:
        """What moves the joints in one of the physics steps."""
        felt = self.felt()
        bias = (self._d.qfrc_bias - self._d.qfrc_passive)[self._v]
        if self._drive.by_torques:
            torques = self._drive.torques(felt, self._inertia(), bias)
        else:
            torques = self._following(felt, step, bias)
        self._d.qfrc_applied[self._v] = torques
        wanted = self._signs * (self.opening / 2 if self.opening > 0 else -BEYOND)
        self._d.qfrc_applied[self._w] = np.clip(CLOSING * (wanted - felt.fingers), -GRIP, GRIP)

    def _following(self, felt: Encoders, step: int, bias: Array) -> Array:
        """Torques (n,), at most those of the motors, that bring the joints along to the target that was sent last."""
        if (due := self._drive.due(step)) is not None:
            self._from, self._passed = self._to, 0.0
            self._to, self._seconds, _ = due
        self._passed += self._m.opt.timestep
        speed = (self._to - self._from) / self._seconds
        at = self._from + speed * min(self._passed, self._seconds)
        wanted = STIFF**2 * (at - felt.q) + 2.0 * STIFF * (speed - felt.v)
        most = np.array(self._robot.efforts)
        return np.clip(self._inertia() @ wanted + bias, -most, most)

    def _inertia(self) -> Array:
        """The inertia of the joints (n, n)."""
        full = np.zeros((self._m.nv, self._m.nv))
        mujoco.mj_fullM(self._m, full, self._d.qM)
        return np.asarray(full[np.ix_(self._v, self._v)])


def _addresses(joints: list[mujoco.MjModel]) -> tuple[Array, Array]:
    """Where the positions and the velocities of joints are."""
    return (
        np.array([int(j.qposadr[0]) for j in joints], dtype=int),
        np.array([int(j.dofadr[0]) for j in joints], dtype=int),
    )
