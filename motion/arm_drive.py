"""What moves an arm's joints within a control period, whatever physics they are in: torques, or joint targets.

Everything above asks for displacements of the tool. Where the joints take targets alone, these become a reference that
answers as the robot's description states, in steps that the joints can follow.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from motion.kinematics import step_towards
from motion.poses import Array, displaced, error, pose
from motion.robot import RobotDescription
from motion.world import World

REST = 10.0
"""1/s² by which the null space pulls towards its posture."""
SINGULAR = 1e-3
"""Keeps the mobility of the tool from being singular."""
DAMPING = 1e-4
IK_STEPS = 3
"""Newton steps a target: from the one before it is never far."""
SLIDE = 0.5
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
        slide = SLIDE * seconds * (self._robot.posture - q)
        for n in range(IK_STEPS):
            T, J = self._world.jacobian(q)
            q = np.clip(q + step_towards(J, error(T, T_world_tool), DAMPING, slide * (n == 0)), low, high)
        return np.asarray(q)


@dataclass(frozen=True, eq=False)
class Encoders:
    """Joint values `q` (n,) and velocities `v` (n,) of the arm, rad and rad/s, and those of the fingers' joints (k,),
    m and m/s, in the order of the robot's description."""

    q: Array
    v: Array
    fingers: Array
    finger_velocities: Array


@dataclass(frozen=True, eq=False)
class Dynamics:
    """An arm at one moment: `T_world_tool` (4, 4); `J` (6, n) the tool's Jacobian [linear; angular] in world axes;
    `inertia` (n, n) of the joints; `passive` (n,) what dampers, springs and the air do to them, Nm; `twist` (6,) how
    the tool moves, m/s and rad/s."""

    T_world_tool: Array
    J: Array
    inertia: Array
    passive: Array
    twist: Array


class ArmDynamics:
    """The dynamics of a robot, which stands where its description says, from its encoders alone: a MuJoCo model of the
    robot and nothing else. Nothing ever steps."""

    def __init__(self, robot: RobotDescription) -> None:
        self._m = m = mujoco.MjModel.from_xml_string(robot.mjcf)
        self._d = mujoco.MjData(m)
        self._site = m.site(robot.tool_site).id
        self._qpos, self._dofs = _addresses(m, robot.arm_joints)
        self._finger_qpos, self._finger_dofs = _addresses(m, robot.finger_joints)
        self.limits = np.array([m.joint(name).range for name in robot.arm_joints])
        """Lower and upper limits of the joints (n, 2), rad."""

    def at(self, felt: Encoders) -> Dynamics:
        """What the encoders say of the arm."""
        m, d = self._m, self._d
        d.qpos[self._qpos], d.qpos[self._finger_qpos] = felt.q, felt.fingers
        d.qvel[self._dofs], d.qvel[self._finger_dofs] = felt.v, felt.finger_velocities
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_crb(m, d)
        mujoco.mj_comVel(m, d)
        mujoco.mj_passive(m, d)
        jacobian, full = np.zeros((2, 3, m.nv)), np.zeros((m.nv, m.nv))
        mujoco.mj_jacSite(m, d, jacobian[0], jacobian[1], self._site)
        mujoco.mj_fullM(m, full, d.qM)
        J = jacobian.reshape(6, m.nv)
        return Dynamics(
            T_world_tool=pose(d.site_xpos[self._site].copy(), d.site_xmat[self._site].reshape(3, 3).copy()),
            J=J[:, self._dofs],
            inertia=full[np.ix_(self._dofs, self._dofs)],
            passive=d.qfrc_passive[self._dofs],
            twist=J @ d.qvel,
        )


def _addresses(m: mujoco.MjModel, joints: tuple[str, ...]) -> tuple[Array, Array]:
    """Where the positions and the velocities of joints with one degree of freedom are."""
    found = [m.joint(name) for name in joints]
    qpos, dofs = [int(j.qposadr[0]) for j in found], [int(j.dofadr[0]) for j in found]
    return np.array(qpos, dtype=int), np.array(dofs, dtype=int)


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
