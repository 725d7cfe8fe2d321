"""The Panda that LIBERO's tasks have, without a task: robosuite's own arm, mount and hand."""

from __future__ import annotations

import numpy as np

from motion.robot import RobotDescription
from tamp.backends.libero.model import robot_model

BASE = (-0.66, 0.0, 0.0)
"""Where the mount stands (m): 0.66 behind the middle of the table, as in LIBERO's scenes with a table."""
POSTURE = (0.0, -0.161037389, 0.0, -2.44459747, 0.0, 2.2267522, np.pi / 4)
"""Configuration (rad) in which LIBERO's tasks start and its controller rests."""


def panda() -> RobotDescription:
    """The arm and hand as a kinematic model, the same as a task's. `rendering.prepare` comes first."""
    from robosuite.utils.binding_utils import MjSim

    return robot_model(MjSim.from_xml_string(panda_mjcf()), np.array(POSTURE))


def panda_mjcf() -> str:
    """The arm, its mount and its hand, with all that is seen of them and nothing else. `rendering.prepare` comes
    first."""
    from robosuite.models.grippers import gripper_factory
    from robosuite.models.mounts import mount_factory
    from robosuite.models.robots import create_robot
    from robosuite.models.world import MujocoWorldBase

    arm = create_robot("Panda", idn=0)
    arm.add_gripper(gripper_factory("PandaGripper", idn=0))
    arm.add_mount(mount_factory("RethinkMount", idn=0))
    arm.set_base_xpos(np.array(BASE))
    world = MujocoWorldBase()
    world.merge(arm)
    return str(world.get_xml())
