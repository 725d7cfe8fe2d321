"""The standard action from the encoders alone is the one that the simulation's own arrays give."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from motion.arm_drive import ArmDynamics, Dynamics, Encoders
from motion.poses import Array
from motion.robot import Gripper
from motion.standard_action import Controller, finger_target
from tamp.backends.libero import tasks
from tamp.backends.libero.environment import LiberoEnvironment
from tamp.pddl.domain_file import load
from tamp.runs.episode import Settings
from tests.places import in_libero as run

pytestmark = pytest.mark.episode


def encoders(environment: LiberoEnvironment) -> Encoders:
    robot, data = environment.domain.robots[0], environment.sim.data
    arm, hand = robot._ref_joint_vel_indexes, robot._ref_gripper_joint_vel_indexes
    positions = (data.qpos[i] for i in (robot._ref_joint_pos_indexes, robot._ref_gripper_joint_pos_indexes))
    q, fingers = positions
    return Encoders(q, data.qvel[arm], fingers, data.qvel[hand])


def arrays(d: Dynamics) -> tuple[Array, ...]:
    return d.J, d.inertia, d.passive, d.twist


def test_actions_from_encoders_are_those_from_the_simulation(tmp_path: Path) -> None:
    """Over a whole episode, the target of the fingers followed by what was asked for alone."""
    task = tasks.find("libero_goal/2")
    environment = LiberoEnvironment(task, init_state=40)
    dynamics, controller, target = ArmDynamics(environment.robot_model()), Controller(), 1.0
    off, torques, directions = [], [], []
    simulated = environment.command

    def command(displacement: Array, opening: float) -> None:
        nonlocal target
        mujoco.mj_forward(environment.sim.model._model, environment.sim.data._data)
        felt = dynamics.at(encoders(environment))
        ours = controller.action(displacement, opening, target, Gripper().opening, arrays(felt))
        torques.append(np.abs(felt.passive - environment._stepper.arm()[2]).max())
        simulated(displacement, opening)
        off.append(np.abs(ours - environment.last_action).max())
        directions.append(ours[6])
        target = finger_target(target, ours[6])

    environment.command = command  # type: ignore[method-assign]
    assert run(task, None, Settings(load("tabletop"), init_state=40), tmp_path / "out", print, environment).success
    environment.close()
    assert len(off) > 50 and {-1.0, 1.0} <= set(directions)
    assert max(off) < 1e-6 and max(torques) < 1e-6
