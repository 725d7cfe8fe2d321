"""One control step of robosuite with the same states, bit for bit, in half the time or less.

robosuite computes the whole forward dynamics three times in each of a control step's 25 physics steps: in
`env.step`, in the controller, and in `mj_step`. Nothing moves between these, so the positions and velocities
of the later two are those of the first; only the constraint solver, which starts from its own last answer,
must run again. Looking names up, and observables and histories that are not read here, are the rest of the time.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from motion.poses import Array
from motion.standard_action import ACTION_SCALE, Controller


class Stepper:
    """Steps a robosuite environment with one arm under OSC_POSE, as LIBERO configures it.

    To be made anew after each reset, which replaces the controller. Holds views of the simulation's own arrays.
    """

    def __init__(self, environment: Any) -> None:
        from robosuite.utils import control_utils

        self._env = environment
        self._robot = environment.robots[0]
        self._math = control_utils
        sim, controller = environment.sim, self._robot.controller
        self._m, self._d = m, d = sim.model._model, sim.data._data
        self._substeps = int(environment.control_timestep / environment.model_timestep)
        self._site = sim.model.site_name2id(controller.eef_name)
        self._qpos, self._qvel = _slice(controller.qpos_index), _slice(controller.qvel_index)
        self.controller = Controller(controller.kp, controller.kd, ACTION_SCALE)
        nv = m.nv
        self._jacobian, self._mass = np.zeros((2, 3, nv)), np.zeros((nv, nv))
        self._J = np.zeros((6, len(controller.qvel_index)), order="F")
        self._wrench = np.zeros(6)
        arm = self._qvel
        self._jacp_arm, self._jacr_arm = self._jacobian[:, :, arm]
        self._mass_arm = self._mass[arm, arm]
        self._velocities, self._q, self._v, self._bias = d.qvel, d.qpos[self._qpos], d.qvel[arm], d.qfrc_bias[arm]
        self._position, self._rotation = d.site_xpos[self._site], d.site_xmat[self._site].reshape(3, 3)
        self._motor_controls = d.ctrl[_slice(self._robot._ref_joint_actuator_indexes)]
        self._torque_limits = self._robot.torque_limits
        fingers = _slice([sim.model.actuator_name2id(a) for a in self._robot.gripper.actuators])
        self._finger_controls = d.ctrl[fingers]
        limits = m.actuator_ctrlrange[fingers]
        self._finger_bias = 0.5 * (limits[:, 1] + limits[:, 0])
        self._finger_weight = 0.5 * (limits[:, 1] - limits[:, 0])

    def step(self, action: Array) -> None:
        """One control step with an action (7,) in [-1, 1]; what `env.step` does to the simulation."""
        env, m, d = self._env, self._m, self._d
        env.timestep += 1
        for n in range(self._substeps):
            mujoco.mj_forward(m, d)
            mujoco.mj_fwdConstraint(m, d)
            if n == 0:
                self._set_goal(action)
            self._control(action)
            mujoco.mj_step2(m, d)
        env.cur_time += env.control_timestep
        env._post_process()

    def _set_goal(self, action: Array) -> None:
        """Give the controller the action. It would look where the hand is itself, with one more forward dynamics."""
        c, d = self._robot.controller, self._d
        c.ee_pos, c.ee_ori_mat = d.site_xpos[self._site].copy(), d.site_xmat[self._site].reshape(3, 3).copy()
        c.new_update = False
        c.set_goal(action[: c.control_dim])
        c.new_update = True

    def arm(self) -> tuple[Array, Array, Array, Array]:
        """The arm as it is now, for `Controller.decoupled`: Jacobian (6, n), inertia (n, n), passive torques (n,),
        twist (6,) of the tool."""
        d, m = self._d, self._m
        jacp, jacr = self._jacobian
        mujoco.mj_jacSite(m, d, jacp, jacr, self._site)
        mujoco.mj_fullM(m, self._mass, d.qM)
        J = np.vstack([jacp[:, self._qvel], jacr[:, self._qvel]])
        twist = np.concatenate([jacp @ d.qvel, jacr @ d.qvel])
        return J, self._mass[self._qvel, self._qvel], d.qfrc_passive[self._qvel], twist

    def _control(self, action: Array) -> None:
        """Motor torques and finger targets for one physics step, operation by operation as robosuite has them.

        The order of each array in memory is robosuite's too: it decides how products are summed.
        """
        c, math, (jacp, jacr), velocities = self._robot.controller, self._math, self._jacobian, self._velocities
        mujoco.mj_jacSite(self._m, self._d, jacp, jacr, self._site)
        mujoco.mj_fullM(self._m, self._mass, self._d.qM)
        J, J_pos, J_ori = self._J, self._jacp_arm.copy("F"), self._jacr_arm.copy("F")
        J[:3], J[3:] = J_pos, J_ori
        mass = self._mass_arm.copy("F")
        _, lambda_pos, lambda_ori, nullspace = math.opspace_matrices(mass, J, J_pos, J_ori)
        kp, kd = c.kp, c.kd
        force = (c.goal_pos - self._position) * kp[:3] + -np.dot(jacp, velocities) * kd[:3]
        turn = math.orientation_error(c.goal_ori, self._rotation)
        torque = turn * kp[3:] + -np.dot(jacr, velocities) * kd[3:]
        np.dot(lambda_pos, force, out=self._wrench[:3])
        np.dot(lambda_ori, torque, out=self._wrench[3:])
        motors = np.dot(J.T, self._wrench) + self._bias
        motors += math.nullspace_torques(mass, nullspace, c.initial_joint, self._q, self._v)
        low, high = self._torque_limits
        np.minimum(np.maximum(motors, low), high, out=self._motor_controls)
        fingers = self._robot.gripper.format_action(action[c.control_dim :])
        self._finger_controls[:] = self._finger_bias + self._finger_weight * fingers


def _slice(indices: Any) -> slice:
    """Consecutive indices as a slice; ValueError when they are not."""
    first, last = int(indices[0]), int(indices[-1])
    if list(indices) != list(range(first, last + 1)):
        raise ValueError(f"not consecutive: {list(indices)}")
    return slice(first, last + 1)
