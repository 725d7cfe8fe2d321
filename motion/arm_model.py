"""Models of an arm without meshes, written from its table."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from motion.arm_shape import Capsule, Tool, capsules, link_name, watched
from motion.arms import Arm
from motion.hands import Hand
from motion.mjcf_text import numbers, placed
from motion.poses import Array
from motion.robot import BY_JOINTS, Gripper, RobotDescription
from motion.shapes import Body
from motion.world import World

TOOL_POINT = "tool_point"
"""Name of the tool's frame: the flange when there is no tool."""
FINGERS, PADS = ("finger1", "finger2"), ("pad1", "pad2")
ROTOR = 0.5
"""kg m² of a motor's rotor as its joint feels it: no table says it, and the gears make it most of the inertia."""


def robot_model(
    arm: Arm,
    tool: Tool | None = None,
    posture: Array | None = None,
    hand: Hand | None = None,
) -> RobotDescription:
    """The arm with its base at the world's origin, resting at `posture` (n,), or at zero. On its flange: a tool,
    a hand, or nothing.

    Bodies are named `base`, `link1`, … and `tool`, and the fingers `finger1` and `finger2`. Parts of the arm that must
    not touch each other are pairs of the model. The base is fixed, so that it collides with nothing but the arm.
    """
    return RobotDescription(
        mjcf=_mjcf(arm, hand.as_tool if hand else tool, hand),
        arm_joints=tuple(f"joint{i + 1}" for i in range(arm.joints)),
        tool_site=TOOL_POINT,
        posture=np.zeros(arm.joints) if posture is None else np.asarray(posture, dtype=float),
        pinned_bodies=frozenset({link_name(0)}),
        finger_joints=() if hand is None else FINGERS,
        pad_geoms=() if hand is None else PADS,
        gripper=Gripper(opening=0.0) if hand is None else hand.gripper,
    )


def arm_world(arm: Arm, bodies: Iterable[Body] = (), tool: Tool | None = None) -> World:
    """The arm with its tool among bodies, its base at the origin, as one that is sent its joints."""
    return World(replace(robot_model(arm, tool), tracking=BY_JOINTS), bodies)


def _mjcf(arm: Arm, tool: Tool | None, hand: Hand | None) -> str:
    root = ET.Element("mujoco", model=arm.name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="true")
    parent = ET.SubElement(ET.SubElement(root, "worldbody"), "body", name=link_name(0))
    parts = capsules(arm)
    _add_capsules(parent, parts, 0)
    T = np.eye(4)
    for i in range(arm.joints):
        parent = ET.SubElement(parent, "body", {"name": link_name(i + 1), **placed(T)})
        ET.SubElement(parent, "inertial", pos="0 0 0", mass="1", diaginertia="0.01 0.01 0.01")
        turns = {"type": "hinge", "axis": "0 0 1", "range": numbers([arm.lower[i], arm.upper[i]])}
        ET.SubElement(parent, "joint", {"name": f"joint{i + 1}", "armature": repr(ROTOR), **turns})
        _add_capsules(parent, parts, i + 1)
        T = arm.step(i, 0.0)
    flange = ET.SubElement(parent, "body", {"name": "tool", **placed(T)})
    T_point = np.eye(4) if tool is None else tool.T_flange_tool
    ET.SubElement(flange, "site", {"name": TOOL_POINT, **placed(T_point)})
    if tool is not None:
        size, at = numbers(tool.shape.size), placed(tool.shape.T_body_shape)
        ET.SubElement(flange, "geom", {"name": "tool", "type": tool.shape.kind, "size": size, **at})
    if hand is not None:
        ET.SubElement(flange, "inertial", pos="0 0 0.05", mass=repr(hand.mass), diaginertia="0.001 0.001 0.001")
        _add_fingers(flange, hand)
    contact = ET.SubElement(root, "contact")
    for a, b in watched(arm, tool):
        ET.SubElement(contact, "pair", geom1=a, geom2=b)
    return ET.tostring(root, encoding="unicode")


def _add_fingers(flange: ET.Element, hand: Hand) -> None:
    """Two fingers that slide apart along the tool's x, zero when they touch."""
    half = hand.finger
    for name, pad, side in zip(FINGERS, PADS, (1.0, -1.0), strict=True):
        body = ET.SubElement(flange, "body", {"name": name, **placed(hand.T_flange_tool)})
        ET.SubElement(body, "inertial", pos="0 0 0", mass="0.08", diaginertia="0.0001 0.0001 0.0001")
        limits = sorted((0.0, side * hand.gripper.opening / 2))
        ET.SubElement(body, "joint", name=name, type="slide", axis="1 0 0", range=numbers(limits))
        middle = [side * half[0], 0.0, hand.tip - half[2]]
        ET.SubElement(body, "geom", name=pad, type="box", size=numbers(half), pos=numbers(middle))


def _add_capsules(body: ET.Element, parts: Iterable[Capsule], link: int) -> None:
    for c in parts:
        if c.link == link:
            ends = numbers([*c.p, *c.q])
            ET.SubElement(body, "geom", name=c.name, type="capsule", fromto=ends, size=numbers([c.radius]))
