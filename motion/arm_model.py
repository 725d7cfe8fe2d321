"""An arm as a robot without meshes: the capsules of its model along its links, and a tool or a hand.

The radii are estimates: what must not be touched deserves a clearance.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from motion.arms import FLANGE, Arm
from motion.hands import FINGERS, PADS, MountedHand, Tool
from motion.poses import Array
from motion.robot import BY_JOINTS, Gripper, RobotDescription
from motion.robot_parts import RigidPart, add_part, placed
from motion.shapes import Body
from motion.world import World

TOOL_POINT = "tool_point"
"""Name of the tool's frame: the flange when there is no tool."""
NEIGHBOURS = 1.5
"""A capsule and the tool are neighbours when what lies between them, along the arm, is at most this many times both
radii: they are near in any posture, also round a right angle, and the joints' limits keep them apart."""


def robot_model(
    arm: Arm,
    tool: Tool | None = None,
    posture: Array | None = None,
    hand: MountedHand | None = None,
) -> RobotDescription:
    """The arm with its base at the world's origin, resting at `posture` (n,), or at zero. On its flange: a tool,
    a hand, or nothing.

    Bodies are named `base`, `link1`, … and `tool`, and the fingers `finger1` and `finger2`. Parts of the arm that must
    not touch each other are pairs of the model. The base is fixed, so that it collides with nothing but the arm.
    """
    tool = hand.as_tool if hand else tool
    return RobotDescription(
        mjcf=_with_tool(arm, tool, hand),
        arm_joints=tuple(f"joint{i + 1}" for i in range(arm.joints)),
        tool_site=TOOL_POINT,
        posture=np.zeros(arm.joints) if posture is None else np.asarray(posture, dtype=float),
        pinned_bodies=frozenset({"base"}),
        finger_joints=() if hand is None else FINGERS,
        pad_geoms=() if hand is None else PADS,
        gripper=Gripper(opening=0.0) if hand is None else hand.gripper,
    )


def arm_world(arm: Arm, bodies: Iterable[Body] = (), tool: Tool | None = None) -> World:
    """The arm with its tool among bodies, its base at the origin, as one that is sent its joints."""
    return World(replace(robot_model(arm, tool), tracking=BY_JOINTS), bodies)


def _with_tool(arm: Arm, tool: Tool | None, hand: MountedHand | None) -> str:
    """The arm's model with what is on its flange."""
    root = ET.fromstring(arm.mjcf)
    links = list(root.iter("body"))
    assets, contact = ET.SubElement(root, "asset"), root.find("contact")
    assert contact is not None
    mounted = RigidPart(FLANGE, None, np.eye(4), solids={} if tool is None else {"tool": tool.shape})
    if hand is not None:
        inertia, p_com = 1e-3 * np.eye(3), np.array([0.0, 0.0, 0.05])
        mounted = replace(mounted, mass=hand.mass, inertia=inertia, p_part_com=p_com)
    add_part(mounted, links[-1], assets)
    for finger in hand.fingers(FLANGE) if hand else ():
        body = ET.SubElement(links[-1], "body", {"name": finger.name, **placed(finger.T_parent_part)})
        add_part(finger, body, assets)
    T_flange_tool = np.eye(4) if tool is None else tool.T_flange_tool
    ET.SubElement(links[-1], "site", {"name": TOOL_POINT, **placed(T_flange_tool)})
    for name in _away_from(tool, links[:-3]) if tool else ():
        ET.SubElement(contact, "pair", geom1=name, geom2="tool")
    return ET.tostring(root, encoding="unicode")


def _away_from(tool: Tool, links: list[ET.Element]) -> Iterator[str]:
    """The capsules of links that must not meet the tool: all but neighbours."""
    for geom in (geom for link in links for geom in link.findall("geom")):
        radius, to_flange = float(geom.attrib["size"].split()[0]), float(geom.attrib["user"])
        if to_flange > NEIGHBOURS * (radius + tool.reach):
            yield geom.attrib["name"]
