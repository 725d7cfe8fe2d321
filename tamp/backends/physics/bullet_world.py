"""A table in PyBullet: the things and the robot of a scene, with forces. Built from what was seen alone."""

from __future__ import annotations

from functools import partial

import numpy as np

from motion.arm_drive import Encoders
from motion.bullet import WORLD, Bullet, written
from motion.poses import Array, from_quat, inverse, pose, to_quat
from motion.robot import RobotDescription
from motion.robot_parts import PartJoint, RigidPart, parts_of
from motion.shapes import Shape
from tamp.backends.physics.table import (
    FINGER_SPEED,
    FRICTION,
    GRIP,
    PAD_FRICTION,
    PART_MASS,
    ROLL,
    RUBS,
    SPIN,
    PhysicsArm,
    PhysicsWorld,
    box_inertia,
    mass_of,
)
from tamp.model.scene import Part, Scene, SceneObject


class BulletThing:
    """One thing of a scene in PyBullet."""

    def __init__(self, bullet: Bullet, thing: SceneObject) -> None:
        self._bullet, self._joints = bullet, [p for p in thing.parts if p.joint is not None]
        self.name, self.movable = thing.name, thing.movable
        solid = tuple(s for s in thing.parts[0].shapes if s.kind != "plane")
        mass = mass_of(solid)
        inertia, com = box_inertia(mass, solid) if solid else (1e-3 * np.eye(3), np.zeros(3))
        self._T_body_com = pose(com)
        root = RigidPart("body", None, np.eye(4), None, _named(solid), mass, inertia, com)
        links = [root, *(_on_joint(p, thing.T_world_object) for p in self._joints)]
        self.body = bullet.load(partial(written, thing.name, links), thing.T_world_object, fixed=not thing.movable)
        for shape in thing.parts[0].shapes:
            if shape.kind == "plane":  # it stands still wherever it is: URDF knows none that has an edge
                T = thing.T_world_object @ shape.T_body_shape
                plane = bullet.createCollisionShape(bullet.GEOM_PLANE, planeNormal=T[:3, 2].tolist())
                bullet.createMultiBody(0, plane, basePosition=T[:3, 3].tolist())
        rubs = {"lateralFriction": FRICTION, "spinningFriction": SPIN, "rollingFriction": ROLL}
        for link in range(-1, len(self._joints)):
            bullet.changeDynamics(self.body, link, **rubs)
        if thing.movable:
            bullet.changeDynamics(self.body, -1, linearDamping=0.0, angularDamping=0.05)
        for n, part in enumerate(self._joints):
            assert part.joint is not None
            bullet.resetJointState(self.body, n, part.joint.value)
            bullet.setJointMotorControl2(
                self.body, n, bullet.VELOCITY_CONTROL, targetVelocity=0.0, force=RUBS[part.kind]
            )

    def pose(self) -> Array:
        """`T_world_object` (4, 4) now."""
        p, (x, y, z, w) = self._bullet.getBasePositionAndOrientation(self.body)
        return from_quat(np.array(p), np.array([w, x, y, z])) @ inverse(self._T_body_com)

    def put(self, T_world_object: Array) -> None:
        """Put it elsewhere, at rest."""
        T = T_world_object @ self._T_body_com
        w, x, y, z = to_quat(T[:3, :3]).tolist()
        self._bullet.resetBasePositionAndOrientation(self.body, T[:3, 3].tolist(), [x, y, z, w])
        self._bullet.resetBaseVelocity(self.body, [0.0] * 3, [0.0] * 3)

    def joints(self) -> dict[str, float]:
        """The value of each part's joint now, metres or radians."""
        return {p.name: float(self._bullet.getJointState(self.body, n)[0]) for n, p in enumerate(self._joints)}


def _on_joint(part: Part, T_world_object: Array) -> RigidPart:
    """A part that moves on a joint: its frame is where the axis goes through, turned as the part is."""
    joint = part.joint
    assert joint is not None
    T_world_part = joint.displacement(0.0) @ part.T_world_part
    T_world_link = pose(joint.anchor_world if joint.kind == "hinge" else T_world_part[:3, 3], T_world_part[:3, :3])
    T_link_part = inverse(T_world_link) @ T_world_part
    shapes = tuple(Shape(s.kind, s.size, T_link_part @ s.T_body_shape) for s in part.shapes)
    inertia, com = box_inertia(PART_MASS, shapes) if shapes else (1e-3 * np.eye(3), np.zeros(3))
    axis = T_world_link[:3, :3].T @ joint.axis_world
    turns = PartJoint(f"{part.name} joint", joint.kind, axis, joint.limits)
    at = inverse(T_world_object) @ T_world_link
    return RigidPart(part.name, "body", at, turns, _named(shapes), PART_MASS, inertia, com)


def _named(shapes: tuple[Shape, ...]) -> dict[str, Shape]:
    return {str(n): shape for n, shape in enumerate(shapes)}


class BulletArm(PhysicsArm):
    """The arm and the hand of a robot in PyBullet."""

    def __init__(self, bullet: Bullet, robot: RobotDescription) -> None:
        super().__init__(robot)
        self._bullet = bullet
        links = [WORLD, *parts_of(robot)]
        self.body = bullet.load(lambda folder: written("robot", links, folder), np.eye(4), fixed=True)
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
        if len(self._fingers) == 2:  # they move alike
            one, other = self._fingers
            gear = bullet.createConstraint(
                self.body, one, self.body, other, bullet.JOINT_GEAR, list(infos[one][13]), [0] * 3, [0] * 3
            )
            bullet.changeConstraint(gear, gearRatio=-self._signs[0] * self._signs[1], erp=0.1, maxForce=2 * GRIP)
        self.put(robot.posture)

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
            states = self._bullet.getJointStates(self.body, self._moving)
            q, v = [s[0] for s in states], [s[1] for s in states]
            inertia = np.array(self._bullet.calculateMassMatrix(self.body, q))[np.ix_(self._ours, self._ours)]
            bias = np.array(self._bullet.calculateInverseDynamics(self.body, q, v, [0.0] * len(q)))[self._ours]
            torques = self._drive.torques(self.felt(), inertia, bias)
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


STEP = 0.002
"""Seconds of a physics step."""
SOLVER_STEPS = 60


class BulletWorld(PhysicsWorld):
    """PyBullet's. The scene's robot is not looked at: the arm starts at its posture."""

    step_seconds = STEP
    arm: BulletArm

    def __init__(self, scene: Scene, robot: RobotDescription) -> None:
        self.start, self.bullet = scene, Bullet()
        self.bullet.setGravity(0, 0, -9.81)
        self.bullet.setPhysicsEngineParameter(fixedTimeStep=STEP, numSolverIterations=SOLVER_STEPS, numSubSteps=0)
        self.things = [BulletThing(self.bullet, o) for o in scene]
        self.arm = BulletArm(self.bullet, robot)

    def step(self) -> None:
        """One physics step."""
        self.bullet.stepSimulation()

    def poses(self) -> dict[str, Array]:
        """`T_world_object` (4, 4) of what can be carried."""
        return {t.name: t.pose() for t in self.things if t.movable}

    def joints(self) -> dict[str, dict[str, float]]:
        """Joint values of the parts of what stands still, by thing and part."""
        return {t.name: values for t in self.things if (values := t.joints())}

    def put(self, name: str, T_world_object: Array) -> None:
        """Put a thing elsewhere, at rest."""
        next(t for t in self.things if t.name == name).put(T_world_object)

    def close(self) -> None:
        """Free the simulation."""
        self.bullet.close()
