"""The Panda of LIBERO's tasks: cut out of a running simulation, or built without a task from robosuite's files."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np

from motion.robot import RobotDescription

CONTROL_PERIOD = 0.05
"""Seconds of LIBERO's control step."""
BODY = "panda"
"""The arm, as `tamp.backends.bodies` has it."""
BASE_BODY = "robot0_link0"
"""The body that the arm stands on."""
ROBOT_PREFIXES = ("robot0_", "gripper0_", "mount0_")
BASE = (-0.66, 0.0, 0.0)
"""Where the mount stands (m): 0.66 behind the middle of the table, as in LIBERO's scenes with a table."""
POSTURE = (0.0, -0.161037389, 0.0, -2.44459747, 0.0, 2.2267522, np.pi / 4)
"""Configuration (rad) in which LIBERO's tasks start and its controller rests."""


def robot_model(sim: Any, posture: np.ndarray) -> RobotDescription:
    """The robot of a robosuite simulation as a model of its own; `posture` (7,) rad rests the null space."""
    root = ET.fromstring(sim.model.get_xml())
    world = root.find("worldbody")
    assert world is not None
    for child in list(world):
        if child.tag != "body" or not child.get("name", "").startswith(ROBOT_PREFIXES):
            world.remove(child)
    _keep_used_meshes(root, world)
    for site in world.iter("site"):
        site.attrib.pop("rgba", None)  # whether it is shown just now is of no account
    for tag in ("sensor", "keyframe", "contact", "equality", "tendon", "actuator"):
        for element in root.findall(tag):
            root.remove(element)
    bodies = [b.get("name", "") for b in world.iter("body")]
    return RobotDescription(
        mjcf=ET.tostring(root, encoding="unicode"),
        arm_joints=tuple(f"robot0_joint{i}" for i in range(1, 8)),
        finger_joints=("gripper0_finger_joint1", "gripper0_finger_joint2"),
        tool_site="gripper0_grip_site",
        posture=np.asarray(posture, dtype=float),
        pad_geoms=("gripper0_finger1_pad_collision", "gripper0_finger2_pad_collision"),
        pinned_bodies=frozenset(b for b in bodies if b.startswith("mount0_"))
        | {"robot0_base", BASE_BODY, "robot0_link1"},
        period=CONTROL_PERIOD,
        name=BODY,
    )


def _keep_used_meshes(root: ET.Element, world: ET.Element) -> None:
    """Drop visual geoms and every asset that only they used: compiling takes a tenth of the time."""
    for body in world.iter("body"):
        for geom in list(body.findall("geom")):
            if geom.get("contype") == "0" and geom.get("conaffinity") == "0":
                body.remove(geom)
            else:
                geom.attrib.pop("material", None)
    used = {g.get("mesh") for g in world.iter("geom")}
    for asset in root.findall("asset"):
        for element in list(asset):
            if element.tag != "mesh" or element.get("name") not in used:
                asset.remove(element)


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
