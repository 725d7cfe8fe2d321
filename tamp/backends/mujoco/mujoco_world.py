"""A table in MuJoCo: a model of the scene, a robot that is put into it, and what moves both."""

from __future__ import annotations

import itertools

import mujoco
import numpy as np

from motion.arm_drive import Encoders
from motion.poses import Array, inverse, to_quat
from motion.robot import RobotDescription
from motion.robot_parts import SOLIDS
from motion.shapes import Shape
from tamp.backends.mujoco.model_objects import body_pose
from tamp.backends.physics.table import (
    FINGER_SPEED,
    FRICTION,
    GRIP,
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

GEOMS = {name: kind for kind, name in SOLIDS.items()} | {"plane": int(mujoco.mjtGeom.mjGEOM_PLANE)}


def spec_of(scene: Scene) -> mujoco.MjSpec:
    """The model of a scene, whose bodies are called as the things and their parts are."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = 0.002
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0  # things that are held do not creep
    for thing in scene:
        _add(spec, thing)
    return spec


def _add(spec: mujoco.MjSpec, thing: SceneObject) -> None:
    body = spec.worldbody.add_body(name=thing.parts[0].name, **_placed(thing.T_world_object))
    if thing.movable:
        body.add_freejoint()
    _weigh(body, thing.parts[0].shapes, None)
    moving = [part for part in thing.parts[1:] if part.joint is not None]
    for part in moving:
        _add_part(body, part, thing.T_world_object)
    for one, other in itertools.combinations([thing.parts[0], *moving], 2):  # its joints alone hold it together
        spec.add_exclude(bodyname1=one.name, bodyname2=other.name)


def _add_part(body: mujoco.MjsBody, part: Part, T_world_object: Array) -> None:
    """A part on its joint, at zero where the joint is at zero."""
    joint = part.joint
    assert joint is not None
    T_world_part = joint.displacement(0.0) @ part.T_world_part
    made = body.add_body(name=part.name, **_placed(inverse(T_world_object) @ T_world_part))
    R, p = T_world_part[:3, :3], T_world_part[:3, 3]
    kind = mujoco.mjtJoint.mjJNT_SLIDE if joint.kind == "slide" else mujoco.mjtJoint.mjJNT_HINGE
    made.add_joint(
        type=kind,
        axis=R.T @ joint.axis_world,
        pos=R.T @ (joint.anchor_world - p) if joint.kind == "hinge" else np.zeros(3),
        limited=True,
        range=list(joint.limits),
        frictionloss=RUBS[part.kind],
        damping=0.5 * RUBS[part.kind],
    )
    _weigh(made, part.shapes, PART_MASS)


def _weigh(body: mujoco.MjsBody, shapes: tuple[Shape, ...], mass: float | None) -> None:
    """Give a body its shapes, and what they weigh, which is guessed if unknown."""
    for shape in shapes:
        size = np.array(shape.size, dtype=float)
        body.add_geom(
            type=mujoco.mjtGeom(GEOMS[shape.kind]),
            size=size,
            friction=[FRICTION, SPIN, ROLL],
            condim=4,
            **_placed(shape.T_body_shape),
        )
    solid = tuple(s for s in shapes if s.kind != "plane")
    mass = mass_of(solid) if mass is None else mass
    inertia, middle = box_inertia(mass, solid) if solid else (1e-3 * np.eye(3), np.zeros(3))
    body.explicitinertial = True
    body.mass, body.ipos, body.inertia = mass, middle, np.maximum(np.diag(inertia), 1e-6)


def _placed(T: Array) -> dict[str, Array]:
    return {"pos": T[:3, 3], "quat": to_quat(T[:3, :3])}


PREFIX = "robot/"
"""Of the robot's names in the scene's model."""
TOUCHED = 1 << 29
"""Bit of what the robot can touch: all that collides, and nothing of its own."""
PAD_FRICTION = 1.0
"""Of the fingers. With 2, as in PyBullet, whose contacts give way, they jam in the handle of a mug."""
STIFF = 60.0
"""1/s by which joints come to their targets."""
CLOSING = 20_000.0
"""N/m by which fingers come to where they should be."""
HEAVY = 1.0
"""kg by which a finger feels heavier than it is, as robosuite has it: contacts are as firm as what touches is heavy."""
FIRM_SOLREF, FIRM_SOLIMP = (0.004, 1.0), (0.98, 0.99, 0.001)
"""How firm contacts of the fingers are, in MuJoCo's terms, whatever they touch: by MuJoCo's own values they close right
through a tin of 70 g."""
BEYOND = 0.02
"""Metres beyond touching each other that closed fingers aim: they press with full force."""


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


LONGEST_STEP = 0.002
"""Seconds of a physics step at most: what drives the arm is too stiff for longer ones."""


class MujocoWorld(PhysicsWorld):
    """MuJoCo's. `spec` is a model of the scene without a robot, whose bodies are called as the things and the
    parts on joints are; without it one is made of what was seen. It is at the start where the scene has it, the arm at
    its posture."""

    def __init__(self, scene: Scene, robot: RobotDescription, spec: mujoco.MjSpec | None = None) -> None:
        self.start = scene
        whole = spec_of(scene) if spec is None else spec.copy()
        add_robot(whole, robot)
        whole.option.timestep = min(whole.option.timestep, LONGEST_STEP)
        self._m = whole.compile()
        self._d = mujoco.MjData(self._m)
        self.step_seconds = float(self._m.opt.timestep)
        self.arm = MujocoArm(self._m, self._d, robot)
        self._joints = {o.name: {p.name: self._address(p.name) for p in o.parts if p.joint} for o in scene}
        for o in scene:
            for p in o.parts:
                if p.joint is not None:
                    self._d.qpos[self._joints[o.name][p.name]] = p.joint.value
            if o.movable:
                self.put(o.name, o.T_world_object)
        mujoco.mj_step1(self._m, self._d)

    def _address(self, body: str) -> int:
        return int(self._m.jnt_qposadr[self._m.body_jntadr[self._m.body(body).id]])

    def step(self) -> None:
        """One physics step; then what everything feels, and weighs, is known again."""
        mujoco.mj_step2(self._m, self._d)
        mujoco.mj_step1(self._m, self._d)

    def poses(self) -> dict[str, Array]:
        """`T_world_object` (4, 4) of what can be carried."""
        bodies = {o.name: self._m.body(o.name).id for o in self.start if o.movable}
        return {name: body_pose(self._d, b) for name, b in bodies.items()}

    def joints(self) -> dict[str, dict[str, float]]:
        """Joint values of the parts of what stands still, by thing and part."""
        q = self._d.qpos
        return {name: {part: float(q[i]) for part, i in parts.items()} for name, parts in self._joints.items() if parts}

    def put(self, name: str, T_world_object: Array) -> None:
        """Put a thing elsewhere, at rest."""
        i, v = self._address(name), int(self._m.body_dofadr[self._m.body(name).id])
        self._d.qpos[i : i + 3], self._d.qpos[i + 3 : i + 7] = T_world_object[:3, 3], to_quat(T_world_object[:3, :3])
        self._d.qvel[v : v + 6] = 0.0
        mujoco.mj_step1(self._m, self._d)

    def close(self) -> None:
        """There is nothing to free."""
