"""An arm's own dynamics, from its encoders alone: a MuJoCo model of the robot and nothing else. Nothing ever steps."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from motion.poses import Array, pose
from motion.robot import RobotDescription


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
    """The dynamics of a robot, which stands where its description says."""

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
